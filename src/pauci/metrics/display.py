"""`PartialROCDisplay`: the ROC curve where one will operate, drawn in the manner of scikit-learn's displays."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self, cast

from pauci.extras import require
from pauci.metrics.folds import fold_rows
from pauci.metrics.inputs import ArrayLike
from pauci.metrics.region_curve import RegionCurve
from pauci.metrics.responses import positive_scores
from pauci.metrics.roc_drawing import draw_chance, draw_curves, finish_axes
from pauci.metrics.shading import shade
from pauci.region import Region, one_region

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure
    from matplotlib.lines import Line2D


class PartialROCDisplay:
    """ROC curve in a region, with the region shaded, the operating point marked and a bootstrap band.

    Make one with `from_predictions`, `from_estimator` or `from_cv_results`, which also draw it. The display keeps
    everything it shows, so that `plot` can draw it again elsewhere.

    Parameters
    ----------
    curves : RegionCurve or sequence of RegionCurve
        One curve, several named curves to compare, or the curves of the folds of a cross-validation.
    region : Region
        The rectangle.
    pos_label : object, optional
        The positive class, named in the axis labels.

    Attributes
    ----------
    line_ : Line2D or list of Line2D
        The curves.
    band_ : list of artists
        The bootstrap bands.
    point_ : list of Line2D
        The operating points (see `operating_point`).
    region_ : artist
        The shaded rectangle.
    chance_level_ : Line2D or None
        The diagonal.
    ax_, figure_ : Axes, Figure
        Axes and figure of the drawing.

    See Also
    --------
    partial_roc_curve : The points of the curve.
    report.write_report : A page with curves, operating points and comparisons of several models.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], [900, 100])
    >>> display = PartialROCDisplay.from_predictions(y, rng.normal(size=1000) + 2 * y, max_fpr=0.1, name="model")
    >>> display.line_.get_label().split(" [")[0]
    'model: pAUC 0.532'
    """

    line_: "Line2D | list[Line2D]"
    band_: "list[Artist]"
    point_: "list[Line2D]"
    region_: "Artist"
    chance_level_: "Line2D | None"
    ax_: "Axes"
    figure_: "Figure | SubFigure"

    def __init__(self, *, curves: RegionCurve | Sequence[RegionCurve], region: Region, pos_label: Any = None) -> None:
        self.curves = [curves] if isinstance(curves, RegionCurve) else list(curves)
        self.region = region
        self.pos_label = pos_label

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        region: Region | None = None,
        max_fpr: float = 1.0,
        min_tpr: float = 0.0,
        min_fpr: float = 0.0,
        max_tpr: float = 1.0,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        pos_label: Any = None,
        level: float = 0.95,
        n_resamples: int = 1000,
        seed: int = 0,
        name: str | None = None,
        ax: "Axes | None" = None,
        **plot_options: Any,
    ) -> Self:
        """Draw the curve of labels and scores.

        Parameters
        ----------
        y_true, y_score : array-like of shape (n,)
            Labels and scores.
        region : Region, optional
            The rectangle. Alternatively, give its edges:
        max_fpr, min_tpr, min_fpr, max_tpr : float
            Edges of the region (see `Region`).
        sample_weight, groups : array-like of shape (n,), optional
            Weights, and the groups that were sampled independently, as in `partial_auc_interval`.
        pos_label : object, optional
            The positive class, as in `partial_auc_score`.
        level : float
            Confidence level of interval and band.
        n_resamples, seed : int
            Number of bootstrap resamples (with 0 there is neither interval nor band) and their seed.
        name : str, optional
            Name in the legend.
        ax : Axes, optional
            Where to draw; a new figure by default.
        **plot_options : object
            Passed to `plot`.

        Returns
        -------
        PartialROCDisplay
            The display, drawn.

        Examples
        --------
        >>> display = PartialROCDisplay.from_predictions([0, 0, 0, 1, 1], [0.1, 0.2, 0.6, 0.5, 0.9], max_fpr=0.5)
        >>> display.ax_.get_xlabel()
        'False Positive Rate'
        """
        region = one_region(region, max_fpr=max_fpr, min_tpr=min_tpr, min_fpr=min_fpr, max_tpr=max_tpr)
        curve = RegionCurve.of(
            y_true,
            y_score,
            region,
            sample_weight=sample_weight,
            groups=groups,
            pos_label=pos_label,
            level=level,
            n_resamples=n_resamples,
            seed=seed,
            name=name,
        )
        return cls(curves=curve, region=region, pos_label=pos_label).plot(ax, **plot_options)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike,
        *,
        response_method: str = "auto",
        pos_label: Any = None,
        name: str | None = None,
        **options: Any,
    ) -> Self:
        """Draw the curve of a fitted classifier.

        Parameters
        ----------
        estimator : classifier
            A fitted classifier for two classes.
        X, y : array-like
            Data to judge the classifier on.
        response_method : {"auto", "decision_function", "predict_proba"}
            Method that gives the scores; "auto" takes the first of the two that the estimator has.
        pos_label : object, optional
            The positive class; by default the second of ``estimator.classes_``.
        name : str, optional
            Name in the legend; by default the estimator's class.
        **options : object
            Passed to `from_predictions`.

        Returns
        -------
        PartialROCDisplay
            The display, drawn.

        Examples
        --------
        >>> from sklearn.datasets import make_classification
        >>> from sklearn.linear_model import LogisticRegression
        >>> X, y = make_classification(random_state=0)
        >>> model = LogisticRegression().fit(X, y)
        >>> PartialROCDisplay.from_estimator(model, X, y, max_fpr=0.2).curves[0].name
        'LogisticRegression'
        """
        scores, pos_label = positive_scores(estimator, X, response_method, pos_label)
        name = type(estimator).__name__ if name is None else name
        return cls.from_predictions(y, scores, pos_label=pos_label, name=name, **options)

    @classmethod
    def from_cv_results(
        cls,
        cv_results: Mapping[str, Any],
        X: Any,
        y: ArrayLike,
        *,
        region: Region | None = None,
        max_fpr: float = 1.0,
        min_tpr: float = 0.0,
        min_fpr: float = 0.0,
        max_tpr: float = 1.0,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        response_method: str = "auto",
        pos_label: Any = None,
        level: float = 0.95,
        n_resamples: int = 0,
        seed: int = 0,
        name: str | None = None,
        ax: "Axes | None" = None,
        **plot_options: Any,
    ) -> Self:
        """Draw one curve per fold of a cross-validation.

        Parameters
        ----------
        cv_results : mapping
            What `sklearn.model_selection.cross_validate` returns with ``return_estimator=True,
            return_indices=True``.
        X, y : array-like
            The data that `cross_validate` was given.
        region : Region, optional
            The rectangle. Alternatively, give its edges:
        max_fpr, min_tpr, min_fpr, max_tpr : float
            Edges of the region (see `Region`).
        sample_weight, groups : array-like of shape (n,), optional
            Weights and groups of all rows of X, as in `from_predictions`.
        response_method : {"auto", "decision_function", "predict_proba"}
            Method that gives the scores, as in `from_estimator`.
        pos_label : object, optional
            The positive class, as in `from_estimator`.
        level : float
            Confidence level of the interval and band of each fold, if the folds are resampled.
        n_resamples, seed : int
            Number of bootstrap resamples of each fold, and their seed. None by default, as the folds themselves show
            how much curves vary.
        name : str, optional
            Name in the legend; by default the estimator's class.
        ax : Axes, optional
            Where to draw; a new figure by default.
        **plot_options : object
            Passed to `plot`.

        Returns
        -------
        PartialROCDisplay
            The display, drawn.

        Examples
        --------
        >>> from sklearn.datasets import make_classification
        >>> from sklearn.linear_model import LogisticRegression
        >>> from sklearn.model_selection import cross_validate
        >>> X, y = make_classification(n_samples=300, random_state=0)
        >>> folds = cross_validate(LogisticRegression(), X, y, cv=3, return_estimator=True, return_indices=True)
        >>> len(PartialROCDisplay.from_cv_results(folds, X, y, max_fpr=0.2).line_)
        3
        """
        region = one_region(region, max_fpr=max_fpr, min_tpr=min_tpr, min_fpr=min_fpr, max_tpr=max_tpr)
        curves = []
        for estimator, fold in fold_rows(cv_results, X=X, y=y, sample_weight=sample_weight, groups=groups):
            scores, pos_label = positive_scores(estimator, fold["X"], response_method, pos_label)
            curves.append(
                RegionCurve.of(
                    fold["y"],
                    scores,
                    region,
                    sample_weight=fold["sample_weight"],
                    groups=fold["groups"],
                    pos_label=pos_label,
                    level=level,
                    n_resamples=n_resamples,
                    seed=seed,
                    name=type(estimator).__name__ if name is None else name,
                )
            )
        return cls(curves=curves, region=region, pos_label=pos_label).plot(ax, **plot_options)

    def plot(
        self,
        ax: "Axes | None" = None,
        *,
        name: str | None = None,
        curve_kwargs: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None,
        plot_chance_level: bool = False,
        chance_level_kw: Mapping[str, Any] | None = None,
        despine: bool = False,
    ) -> Self:
        """Draw the curves, zoomed to the region.

        Parameters
        ----------
        ax : Axes, optional
            Where to draw; a new figure by default.
        name : str, optional
            Name in the legend, in place of the one given before.
        curve_kwargs : dict or list of dict, optional
            Passed to matplotlib's `plot`: one dict for all curves, or one for each.
        plot_chance_level : bool
            Whether to draw the diagonal.
        chance_level_kw : dict, optional
            Passed to matplotlib's `plot` for the diagonal.
        despine : bool
            Whether to leave out the upper and right spine.

        Returns
        -------
        PartialROCDisplay
            This display.
        """
        if ax is None:
            pyplot = require("matplotlib.pyplot", purpose="PartialROCDisplay")
            ax = cast("Axes", pyplot.subplots(layout="constrained")[1])
        curves = self.curves if name is None else [replace(curve, name=name) for curve in self.curves]
        self.ax_, self.figure_, self.region_ = ax, ax.figure, shade(ax, self.region)
        lines, self.band_, self.point_ = draw_curves(ax, curves, curve_kwargs=curve_kwargs)
        self.line_ = lines[0] if len(lines) == 1 else lines
        self.chance_level_ = draw_chance(ax, chance_level_kw) if plot_chance_level else None
        finish_axes(ax, curves, self.region, self.pos_label)
        if despine:
            ax.spines[["top", "right"]].set_visible(False)
        return self
