"""`pauci fit`: from a labelled table to a model that keeps a budget of false positives."""

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pauci.cli.family import BASE, ROUNDS, Base, Family, build_estimator, check_family
from pauci.cli.fit_columns import tell_columns
from pauci.cli.options import JsonOption, check_share, share
from pauci.cli.picture import check_picture
from pauci.cli.place import check_place
from pauci.cli.progress import late_progress
from pauci.cli.terminal import say
from pauci.cli.words import command_line_words, in_command_line_words
from pauci.errors import InputError
from pauci.region import Region
from pauci.training.interrupt import INTERRUPTED

if TYPE_CHECKING:
    from pauci.tabular.fitting import Fitted
    from pauci.tabular.importance import Importance
    from pauci.tabular.training_table import TrainingTable


def fit(
    file: Annotated[Path, typer.Argument(help="CSV, TSV (also gzipped), Parquet or npz file with a header.")],
    target: Annotated[str, typer.Option(help="Column to predict.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="Model file to write, MODEL.pauci.")],
    max_fpr: Annotated[
        float | None,
        typer.Option(help="Share of the negatives that may be acted on, such as 0.005 or 0.5%.", parser=share),
    ] = None,
    min_tpr: Annotated[
        float,
        typer.Option(
            help="Share of the positives that must be found, such as 0.8. Beside --max-fpr it narrows the "
            "region, and --max-fpr decides.",
            parser=share,
        ),
    ] = 0.0,
    family: Annotated[Family, typer.Option("--model", help="Kind of model to fit.")] = Family.boosting,
    base: Annotated[Base | None, typer.Option(help="Library for boosted trees.", show_default=BASE.value)] = None,
    rounds: Annotated[
        int | None,
        typer.Option(
            help="Largest number of boosting rounds; fewer where more do no good.", min=1, show_default=str(ROUNDS)
        ),
    ] = None,
    positive: Annotated[str | None, typer.Option(help="Value of the positive class; all others are negative.")] = None,
    drop: Annotated[
        list[str] | None, typer.Option(help="Column to leave out, such as an identifier; repeat for several.")
    ] = None,
    categorical: Annotated[
        list[str] | None, typer.Option(help="Column whose numbers are names, such as postcodes; repeat for several.")
    ] = None,
    groups: Annotated[
        str | None,
        typer.Option(help="Column that names what was sampled independently: patients, accounts. It is not a feature."),
    ] = None,
    drop_unlabeled: Annotated[bool, typer.Option("--drop-unlabeled", help="Leave out rows without a label.")] = False,
    confidence: Annotated[
        float,
        typer.Option(
            help="Probability with which the true FPR is within the budget.", parser=share, callback=check_share
        ),
    ] = 0.95,
    seed: Annotated[int, typer.Option(help="Seed of everything random.", min=0)] = 0,
    jobs: Annotated[int | None, typer.Option(help="Number of threads.", min=1, show_default="all")] = None,
    as_json: JsonOption = False,
    plot: Annotated[Path | None, typer.Option(help="Write a picture of the results (.png, .svg or .pdf).")] = None,
) -> None:
    """Fit a model for a budget of false positives, judged against plain cross-entropy by cross-validation.

    Plain cross-entropy (logloss) is always a candidate. It is left out only if another candidate was seen to be better.
    Ctrl-C keeps the best so far.
    """
    region, drop = _region(max_fpr, min_tpr), drop or []
    check_family(family, base, rounds)
    if target in drop:
        raise InputError(
            f"--target {target} and --drop {target} name the same column. A target is never learned from: leave "
            "out --drop, or name another target."
        )
    if groups == target:
        raise InputError(f"--groups {groups} is the --target; name the column of patients, accounts or the like.")
    _check_out(out)
    check_picture(plot)
    from pauci.cli.fit_report import FitReport
    from pauci.cli.score_columns import read_groups
    from pauci.data.archives import file_digest
    from pauci.estimators.threshold import GuaranteeWarning
    from pauci.estimators.unseen import usual_ranges
    from pauci.tabular.fitting import fit_watched
    from pauci.tabular.model import TabularModel
    from pauci.tabular.model_file import save_model
    from pauci.tabular.training_table import read_training_table

    with command_line_words(), late_progress("reading", quiet=as_json):
        table = read_training_table(
            file,
            target=target,
            positive=positive,
            drop=drop if groups is None or groups in drop else [*drop, groups],
            categorical=categorical or (),
            drop_unlabeled=drop_unlabeled,
        )
        members = None if groups is None else read_groups(file, groups, labelled=target if drop_unlabeled else None)
    tell_columns(file, table, dropped=drop, grouped=groups is not None, quiet=as_json)
    estimator = build_estimator(
        family, region, confidence, table.columns, base=base, rounds=rounds, jobs=jobs, seed=seed
    )
    with warnings.catch_warnings(record=True) as doubts, late_progress("fitting", quiet=as_json) as advance:
        warnings.simplefilter("always", GuaranteeWarning)
        try:
            fitted = fit_watched(estimator, table.X, table.y, lambda _, total: advance(total), groups=members)
        except KeyboardInterrupt:
            say("interrupted before any candidate was fitted; nothing is written.", err=True)
            raise typer.Exit(INTERRUPTED) from None
    ranges = usual_ranges(table.X, table.columns)
    save_model(TabularModel(estimator, target, table.positive, file_digest(file), ranges), out)
    _tell(doubts, table.X)
    importances = _importances(table, fitted, region, seed, quiet=as_json)
    report = FitReport(
        file=file,
        model_file=out,
        table=table,
        report=estimator.report_,
        fitted=fitted,
        importances=importances or [],
        groups=members,
    )
    if plot is not None:
        from pauci.cli.fit_picture import draw_fit
        from pauci.report.figures.saving import save

        save(draw_fit(report), plot)
    report.print_json() if as_json else report.print_tables()
    if not fitted.complete:
        say("interrupted: the model is the best so far, from the part of the work that was finished.", err=True)
        raise typer.Exit(INTERRUPTED)
    if importances is None:
        say("interrupted: the model is complete, but its columns were not weighed.", err=True)
        raise typer.Exit(INTERRUPTED)


def _region(max_fpr: float | None, min_tpr: float) -> Region:
    if max_fpr is None and min_tpr == 0:
        raise InputError(
            "say what you can afford: --max-fpr 0.01 acts on at most 1% of the negatives; --min-tpr 0.8 finds at least "
            "80% of the positives."
        )
    if max_fpr is not None and not 0 < max_fpr <= 1:
        raise InputError(f"--max-fpr {max_fpr:g} must be a share above 0 and at most 1: 5% of the negatives are 0.05.")
    if not 0 <= min_tpr < 1:
        raise InputError(f"--min-tpr {min_tpr:g} must be a share from 0 to below 1: 80% of the positives are 0.8.")
    return Region(max_fpr=1.0 if max_fpr is None else max_fpr, min_tpr=min_tpr)


def _check_out(out: Path) -> None:
    from pauci.tabular.archive import SUFFIX

    if out.suffix.lower() != SUFFIX:
        raise InputError(f"--out {out}: model files end in {SUFFIX}.")
    check_place("--out", out)


def _tell(doubts: "Sequence[warnings.WarningMessage]", X: Any) -> None:
    """Pass on what was doubted while fitting, each doubt once, and say where no two rows differ."""
    import numpy as np

    told = [in_command_line_words(str(doubt.message)) for doubt in doubts]
    if np.array_equal(X[1:], np.broadcast_to(X[0], X[1:].shape), equal_nan=True):
        told.insert(0, "no column varies: all rows get the same score, and there is nothing to decide by.")
    for doubt in dict.fromkeys(told):
        say(f"warning: {doubt}", err=True)


def _importances(
    table: "TrainingTable", fitted: "Fitted", region: Region, seed: int, *, quiet: bool
) -> "list[Importance] | None":
    """Weigh the columns on rows that a model has not seen; none where there are no such rows. None if interrupted."""
    if (held_out := fitted.held_out) is None:
        return []
    from pauci.tabular.importance import column_importances

    names = [column.name for column in table.columns]
    try:
        with late_progress("weighing columns", len(names), quiet=quiet) as advance:
            return column_importances(
                held_out.twin.decision_function,
                table.X[held_out.unseen],
                table.y[held_out.unseen],
                names=names,
                region=region,
                seed=seed,
                advance=advance,
            )
    except KeyboardInterrupt:
        return None
