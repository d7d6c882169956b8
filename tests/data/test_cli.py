import pytest
from typer.testing import CliRunner

from pauci.cli import app
from pauci.errors import InputError, MissingDataError


def run(*words):
    return CliRunner().invoke(app, ["data", *map(str, words)])


def test_list_shows_nine_tasks_with_counts_without_any_data():
    result = run("list")
    assert result.exit_code == 0
    lines = {tuple(line.split()[:2]): line for line in result.output.splitlines() if line}
    assert len([key for key in lines if key[1] in ("clean", "paper")]) == 12
    assert "10,415 (1,508)" in lines["cifar10-lt-1", "clean"]
    assert "15,146 (1,172)" in lines["cifar100-lt-3", "paper"]
    assert "9,037 (1,155)" in lines["cifar100-lt-1", "clean"]
    assert "70,000 (4,200)" in lines["tiny-imagenet-3", "clean"]
    assert "leaks" in result.output


def test_prepare_then_verify_then_list(cifar10_archive, cache):
    root = cifar10_archive.parent
    prepared = cache / "cifar10-lt.safetensors"
    result = run("prepare", "cifar10-lt-2", "cifar10-lt", "--root", root)
    assert result.exit_code == 0, result.exception
    assert result.stdout == f"cifar10-lt: {prepared}\n"
    assert run("verify", "--root", root).exit_code == 0
    assert run("verify", "cifar10-lt", "cifar100-lt", "--root", root).exit_code == 1
    assert f"cifar10-lt: {prepared}" in run("list", "--root", root).output

    data = prepared.read_bytes()
    for damaged in (data[:-1], data[:-1] + bytes([data[-1] ^ 1])):
        prepared.write_bytes(damaged)
        result = run("verify", "--root", root)
        assert result.exit_code == 1
        assert "DAMAGED" in result.output


def test_prepare_decodes_with_all_cores(tiny_archive):
    assert run("prepare", "tiny-imagenet", "--root", tiny_archive.parent).exit_code == 0
    assert "1,400 (42)" in run("list", "--root", tiny_archive.parent).output


def test_nothing_is_prepared():
    result = run("verify")
    assert result.exit_code == 1
    assert result.output.count("not prepared") == 3
    result = run("prepare", "tiny-imagenet", "--no-download")
    assert isinstance(result.exception, MissingDataError)
    assert "tiny-imagenet-200.zip" in str(result.exception)


@pytest.mark.parametrize("command", ["prepare", "verify"])
def test_unknown_names(command):
    result = run(command, "mnist")
    assert isinstance(result.exception, InputError)
    assert "tiny-imagenet-3" in str(result.exception)
