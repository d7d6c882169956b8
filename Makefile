# Two commands do everything: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed

.PHONY: demo test lint format docs package lowest newest clean

demo: $(INSTALLED)
	$(BIN)/pauci demo

# One thread per worker: on two cores more of them only wait for each other.
test: $(INSTALLED)
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 --dist worksteal

lint: $(INSTALLED)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(INSTALLED)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# The documentation site, in build/site; whatever is missing or leads nowhere is an error.
docs: $(INSTALLED)
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo "the documentation is in build/site/index.html"

# The wheel must import, and its command must start, where nothing but the wheel was installed.
package: $(INSTALLED)
	rm -rf dist build/empty
	$(BIN)/python -m build --outdir dist .
	$(PYTHON) -m venv build/empty
	build/empty/bin/pip install --quiet --constraint constraints.txt dist/*.whl
	cd build && empty/bin/python -W error -c "import pauci; print(pauci.__version__, pauci.Region(max_fpr=0.05))"
	cd build && empty/bin/pauci --version

# The suite with the lowest versions that pyproject.toml admits; what these warn of is not ours, and what pages show is
# printed by the pinned ones.
lowest:
	$(PYTHON) -m venv build/lowest
	build/lowest/bin/pip install --quiet uv
	build/lowest/bin/uv pip compile --quiet --resolution lowest-direct --extra all pyproject.toml -o build/lowest.txt
	build/lowest/bin/uv pip install --quiet --python build/lowest/bin/python -r build/lowest.txt '.[all,dev]'
	OMP_NUM_THREADS=1 build/lowest/bin/python -m pytest -n 2 --dist worksteal -W default -m "not slow" --ignore tests/docs

# The same with the newest ones, whatever constraints.txt says; PYTHON=python3.14 takes another interpreter.
newest:
	$(PYTHON) -m venv build/newest
	build/newest/bin/pip install --quiet --upgrade '.[all,dev]'
	OMP_NUM_THREADS=1 build/newest/bin/python -m pytest -n 2 --dist worksteal -m "not slow" --ignore tests/docs

# Reinstalled only when the requirements change.
$(INSTALLED): pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --constraint constraints.txt --editable '.[all,dev]'
	touch $@

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
