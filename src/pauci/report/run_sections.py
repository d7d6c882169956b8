"""What the page says about training runs: how they went, how the loss worked, how to run them again."""

import shlex
from collections.abc import Iterator, Sequence
from html import escape

from pauci.report.loss_state import RunDiagnosis
from pauci.report.markup import code, table
from pauci.report.run_folder import TrainingRun
from pauci.report.wording import percent, region_in_words
from pauci.training.claim import RECIPE
from pauci.training.recipe import Recipe
from pauci.training.recipe_toml import recipe_to_toml


def training(runs: Sequence[TrainingRun]) -> str:
    """Write facts, convergence, diagnosis and recipe of every run."""
    return "".join(_run(number, run) for number, run in enumerate(runs))


def _run(number: int, run: TrainingRun) -> str:
    facts = "".join(f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>" for name, value in _facts(run))
    name = escape(run.name)
    chart = (
        f'<div class="chart" id="convergence-{number}" role="img" aria-label="Convergence of {name}: '
        'partial AUC on validation data and training loss over epochs"></div>'
        if run.history
        else "<p>No epoch is finished yet.</p>"
    )
    return (
        f'<article class="card"><h3>{name}</h3><dl class="facts">{facts}</dl>{chart}{_diagnosis(run)}'
        f"<h4>Recipe</h4>{_again(run)}"
        f"<details><summary>recipe.toml</summary>{code(recipe_to_toml(run.recipe), 'recipe')}</details></article>"
    )


def _again(run: TrainingRun) -> str:
    recipe, out = str(run.folder / RECIPE), f"{run.folder}-again"
    if run.recipe.data.task or run.recipe.data.table:
        said = "The command that trains it again, to the same result on the same kind of device:"
        return f"<p>{said}</p>{code(shlex.join(['pauci', 'train', recipe, '--out', out]), 'command')}"
    said = "Its data were passed as arrays. With the same ones, this trains it again:"
    return f"<p>{said}</p>{code(f'train(load_recipe({recipe!r}), data, out={out!r})', 'command')}"


def _facts(run: TrainingRun) -> Iterator[tuple[str, str]]:
    yield "Target", region_in_words(run.recipe.region)
    yield "Loss", _loss(run.recipe)
    if run.summary is None:
        yield "State", f"not finished: {len(run.history)} of {run.recipe.epochs} epochs"
        return
    yield "Selected", f"epoch {run.summary['best_epoch']} of {len(run.history)}"
    for part, word in (("val", "validation"), ("test", "test")):
        if metrics := run.summary[f"{part}_metrics"]:
            yield f"Partial AUC, {word}", f"{metrics['target']:.4f}"
    yield "Time", f"{run.summary['seconds']:.1f} s on {run.summary.get('device', 'an unknown device')}"
    chosen_by = ", by which the epoch was chosen" if run.part == "validation" else ""
    yield "ROC curve", f"on the {run.part} part{chosen_by}" if run.part else f"none: {run.missing}"


def _loss(recipe: Recipe) -> str:
    if recipe.loss.name in ("ce", "focal"):  # which look at all cases alike
        return recipe.loss.name
    share = f" with {100 * recipe.loss.ce_weight:.4g}% cross-entropy" if recipe.loss.ce_weight else ""
    return f"{recipe.loss.name}{share}, on {region_in_words(recipe.train_region)}"


def _diagnosis(run: TrainingRun) -> str:
    if run.diagnosis is None:
        return ""
    about = (
        "with the network and inner variables of the newest checkpoint"
        if run.diagnosis.kept_inner
        else "with the best inner variables for the final scores: the run kept no checkpoint with its own, so how far "
        "gamma was from its optimum is not known"
    )
    return f"<h4>Diagnosis of the loss</h4><p>Measured on the validation part, {about}.</p>" + table(
        ["Quantity", "Measured", "Should be"], _diagnosed(run.diagnosis)
    )


def _diagnosed(about: RunDiagnosis) -> Iterator[tuple[str, str, str]]:
    found, optimum = about.found, float(about.found.optimum.gamma)
    yield "gamma", f"{found.gamma:z.3f}" if about.kept_inner else "not kept", f"{optimum:z.3f}, its optimum"
    yield "Curvature in gamma", f"{found.curvature:.2f}", "below 0"
    for name, number in (("negatives", about.n_negative), ("positives", about.n_positive)):
        inside, active = getattr(found.effective_region, name), getattr(found, f"active_{name}")
        selected, share = getattr(found, f"selected_{name}"), getattr(found, f"share_{name}")
        yield f"Effective region: selection weight on the region's {name}", percent(inside), "near 100%"
        yield f"Selected share of the {name}", percent(selected), percent(share)
        yield f"Active {name}", f"{active:,.0f} ({percent(active / number)})", "more than a handful in a batch"
    yield "Saturated scores", percent(found.saturated), "well below 100%"
