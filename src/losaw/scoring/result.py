"""The one result object that every importance method returns."""

import inspect
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sized
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from losaw.data import FloatArray
from losaw.scoring.many_tests import adjust, rank_sets, rank_words
from losaw.support.arguments import between_0_and_1, one_of, whole_number
from losaw.support.extras import extra
from losaw.support.json_values import json_value

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

_BLUE, _GREY = "#0072b2", "#999999"
_FOR_SKEWNESS = 19  # degrees of freedom; fewer deviations, as of folds, have no third moment
_SHOWN = 5
_LABEL = 60  # so many letters of a line stay within a drawing
PROCEDURES = ("benjamini-hochberg", "benjamini-yekutieli")
_DATA = (str, int, float, bool, np.ndarray, np.generic, list, tuple)  # what JSON can hold
Function = TypeVar("Function", bound=Callable[..., "ImportanceResult"])


@dataclass(frozen=True, eq=False)  # an array equal to another is no truth value
class ImportanceResult:
    """Scores of all features, with what is known of their error.

    Attributes
    ----------
    scores : array of shape (n_features,)
        The raw scores, never renormalised; of a trend positive where the response rises.
    feature_names : tuple of str
    std_error : array of shape (n_features,) or None
    std_error_kind : str or None
        What the standard error measures, for example ``"over test rows"``.
    p_values : array of shape (n_features,) or None
        One-sided, of a score larger than 0; of a trend two-sided, of one that is not 0; NaN for a
        feature that cannot be tested.
    higher_is_more : bool, default True
        Whether a larger score means a more important feature.
    is_trend : bool, default False
        Whether the sign of a score is a direction: features are then ordered by its size.
    details : dict
        Method-specific extras, documented by the method.
    method : str
        The method and its parameters.
    kinds : tuple of str or None
        The kind that each feature was taken for.
    degrees_of_freedom : float or None
        Of Student's t in :meth:`interval`; None: the normal distribution.
    rows : array of shape (n_rows, n_features) or None
        What every row adds to the score, where the score is a mean over rows; NaN for rows that
        were never held out.
    deviations : array of shape (n_parts, n_features) or None
        What each row, cluster or fold adds to the error of the scores, also by the values that
        other rows took from it: their covariance is ``deviations.T @ deviations``. :meth:`ranks`
        compares scores by it.
    deviations_freedom : float or None
        Degrees of freedom of that error, which weights lower; None: one less than the parts.
    notes : dict of str to str
        What must be known of a feature to read its score, for example that it cannot be tested.

    Raises
    ------
    ValueError
        If lengths differ, labelled values have the features in another order, or a standard error
        comes without its kind.

    Examples
    --------
    >>> import numpy as np
    >>> from losaw.importance import ImportanceResult
    >>> result = ImportanceResult(
    ...     np.array([0.5, 0.0]), ("age", "rooms"),
    ...     std_error=np.array([0.1, 0.1]), std_error_kind="over test rows",
    ...     p_values=np.array([0.001, 0.5]),
    ... )
    >>> result.select(fwer=0.05)
    ('age',)
    """

    scores: FloatArray
    feature_names: tuple[str, ...]
    std_error: FloatArray | None = None
    std_error_kind: str | None = None
    p_values: FloatArray | None = None
    higher_is_more: bool = True
    details: dict[str, Any] = field(default_factory=dict)
    method: str = ""
    kinds: tuple[str, ...] | None = None
    degrees_of_freedom: float | None = None
    rows: FloatArray | None = field(default=None, repr=False)
    deviations: FloatArray | None = field(default=None, repr=False)
    deviations_freedom: float | None = None
    notes: Mapping[str, str] = field(default_factory=dict)
    is_trend: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "feature_names", tuple(map(str, self.feature_names)))
        for name in ("scores", "std_error", "p_values", "kinds", "rows", "deviations"):
            _check_order(name, getattr(self, name), self.feature_names)
        for name in ("scores", "std_error", "p_values"):
            if (array := getattr(self, name)) is not None:
                object.__setattr__(self, name, np.asarray(array, dtype=float))
        for name in ("scores", "std_error", "p_values", "kinds"):
            value = getattr(self, name)
            if value is not None and np.shape(value) != (len(self.feature_names),):
                raise ValueError(
                    f"{name} has shape {np.shape(value)}, expected ({len(self.feature_names)},): "
                    "one number for every feature name"
                )
        if (self.std_error is None) != (self.std_error_kind is None):
            raise ValueError("std_error and std_error_kind belong together: give both or neither")

    def __len__(self) -> int:
        return len(self.feature_names)

    def __repr__(self) -> str:
        head = self.method or "ImportanceResult"
        return f"{head}\n{self.to_frame().to_string(index=False)}"

    def ranking_scores(self) -> FloatArray:
        """Scores oriented so that larger means more important."""
        if self.is_trend:
            return np.abs(self.scores)
        return self.scores if self.higher_is_more else -self.scores

    def interval(self, level: float = 0.95) -> FloatArray:
        """Two-sided confidence intervals, shape (n_features, 2).

        ``score ± q std_error`` with Student's quantile q, or the normal one where the degrees of
        freedom are not known. Scores are skewed, since few rows can have much of the loss: over 20
        rows or more each end is moved by the skewness of their ``deviations`` (Hall 1992), and the
        degrees of freedom are those that their kurtosis leaves (Satterthwaite 1946). They cover
        what ``std_error_kind`` says, and nothing else. A p-value asks whether the score is 0:
        an interval that counts the rows which gave values is wider than its test, and may contain 0
        where the p-value is small.

        Parameters
        ----------
        level : float, default 0.95
            Share of samples in which an interval covers.

        Returns
        -------
        array of shape (n_features, 2)
            Lower and upper ends.

        Raises
        ------
        ValueError
            If the method gives no standard error, or the level is not between 0 and 1.
        """
        from scipy.stats import norm, t

        between_0_and_1("level", level)
        if self.std_error is None:
            raise ValueError(
                f"{self._name()} gives no standard error; ask cpi, loco or another method with "
                "cv=5, or more repeats"
            )
        upper, freedom = (1 + level) / 2, self.degrees_of_freedom
        if freedom is None or freedom < _FOR_SKEWNESS or self.deviations is None:
            quantile = norm.ppf(upper) if freedom is None else t.ppf(upper, freedom)
            ends = np.array([[quantile], [-quantile]])
        else:
            quantiles = t.ppf(upper, _known_freedom(freedom, self.deviations))
            ends = _for_skewed(np.array([quantiles, -quantiles]), self.deviations)
        return np.asarray((self.scores - ends * np.asarray(self.std_error)).T)

    def ranks(self, level: float = 0.95) -> "pd.DataFrame":
        """Sets of ranks that contain the true ranks of all features at once.

        A feature is "2nd to 4th" if one feature is larger for certain, and all but three others
        are smaller or not certainly smaller: tests of all pairs by Holm's procedure
        (:func:`losaw.scoring.many_tests.rank_sets`). The true ranks are those of the fitted
        model on new rows of the same distribution, or with ``cv=`` of models that are fitted anew.
        Features that cannot be tested can have any rank.

        Parameters
        ----------
        level : float, default 0.95
            Probability, at the least, that all sets contain the true ranks.

        Returns
        -------
        pandas.DataFrame
            Columns feature, score, best, worst and ranks (in words), most important first.

        Raises
        ------
        ValueError
            If the method gives no errors that scores can be compared by, or the level is not
            between 0 and 1.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn.linear_model import LinearRegression
        >>> from losaw.importance import pfi
        >>> X = np.random.default_rng(0).standard_normal((400, 3))
        >>> y = X @ [2.0, 1.0, 0.9]
        >>> model = LinearRegression().fit(X[:200], y[:200])
        >>> pfi(model, X[200:], y[200:], random_state=0).ranks()["ranks"].tolist()
        ['1st', '2nd to 3rd', '2nd to 3rd']
        """
        import pandas as pd

        between_0_and_1("level", level)
        if self.deviations is None:
            raise ValueError(
                f"{self._name()} has no errors here that scores can be compared by; ask pfi (of "
                "differences), cpi (with the conditional sampler), loco, sage or subgroups on rows "
                "that the model has not seen, or with cv=5"
            )
        untested = [name in self.notes for name in self.feature_names]
        deviations = np.where(untested, np.nan, self.deviations)
        freedom = self.deviations_freedom or len(deviations) - 1.0
        sets = rank_sets(self.ranking_scores(), deviations, freedom, level)
        frame = pd.DataFrame({"feature": self.feature_names, "score": self.scores})
        frame[["best", "worst"]] = sets
        frame["ranks"] = [rank_words(best, worst) for best, worst in sets]
        order = np.argsort(-self.ranking_scores(), kind="stable")
        return frame.iloc[order].reset_index(drop=True)

    def select(
        self,
        *,
        fdr: float | None = None,
        fwer: float | None = None,
        top: int | None = None,
        procedure: str = "benjamini-hochberg",
    ) -> tuple[str, ...]:
        """Names of the selected features, most important first.

        Exactly one of ``fdr``, ``fwer`` and ``top`` is given. A feature without a p-value, of a
        method that tests, is never selected: none is, on rows that the model was fitted to.

        Parameters
        ----------
        fdr : float or None
            Bound of the false discovery rate.
        fwer : float or None
            Bound of the probability of any false selection (Holm).
        top : int or None
            The so many largest scores.
        procedure : {"benjamini-hochberg", "benjamini-yekutieli"}
            Of ``fdr``. Benjamini and Hochberg's holds for independent and positively dependent
            p-values, Benjamini and Yekutieli's for any.

        Returns
        -------
        tuple of str

        Raises
        ------
        ValueError
            If not exactly one is given, a number is out of range, or a rate is requested from a
            method without p-values.
        """
        asked = {"fdr": fdr, "fwer": fwer, "top": top}
        names_asked = [name for name, value in asked.items() if value is not None]
        if len(names_asked) != 1:
            raise ValueError(f"give exactly one of fdr, fwer and top, got {names_asked or 'none'}")
        order = np.argsort(-self.ranking_scores(), kind="stable")
        if top is not None:
            whole_number("top", top, 1)
            if self.p_values is not None:
                order = order[~np.isnan(self.p_values[order])]
            return tuple(self.feature_names[j] for j in order[:top])
        rate = between_0_and_1(names_asked[0], asked[names_asked[0]])
        if fwer is None:
            one_of("procedure", procedure, PROCEDURES)
        p_values = self.details.get("raw_p_values", self.p_values)
        if p_values is None:
            raise ValueError(
                f"{self._name()} gives no p-values, so that no error rate can be controlled; "
                "select(top=…), or ask a method that tests: cpi, loco, or another with cv=5"
            )
        adjusted = adjust(np.asarray(p_values), procedure if fwer is None else "holm")
        return tuple(self.feature_names[j] for j in order if adjusted[j] <= rate)

    def to_frame(self, level: float = 0.95) -> "pd.DataFrame":
        """One row per feature, most important first.

        Parameters
        ----------
        level : float, default 0.95
            Of the interval from ``low`` to ``high`` (:meth:`interval`).

        Returns
        -------
        pandas.DataFrame
            Columns feature, kind, score, std_error, low, high, p_value, note; without those that
            the method does not give.
        """
        import pandas as pd

        columns: dict[str, Any] = {"feature": list(self.feature_names)}
        if self.kinds is not None:
            columns["kind"] = list(self.kinds)
        columns["score"] = self.scores
        if self.std_error is not None:
            columns["std_error"] = self.std_error
            columns["low"], columns["high"] = self.interval(level).T
        if self.p_values is not None:
            columns["p_value"] = self.p_values
        if self.notes:
            columns["note"] = [self.notes.get(name, "") for name in self.feature_names]
        frame = pd.DataFrame(columns)
        order = np.argsort(-self.ranking_scores(), kind="stable")
        return frame.iloc[order].reset_index(drop=True)

    def to_json(self, path: "str | Path | None" = None) -> str:
        """The scores, errors, p-values, notes and details as JSON; row differences are left out.

        Parameters
        ----------
        path : path or None
            A file to write it to, in addition to returning it.

        Returns
        -------
        str
        """
        content = {
            "method": self.method,
            "features": list(self.feature_names),
            "kinds": self.kinds,
            "scores": self.scores,
            "std_error": self.std_error,
            "std_error_kind": self.std_error_kind,
            "degrees_of_freedom": self.degrees_of_freedom,
            "p_values": self.p_values,
            "higher_is_more": self.higher_is_more,
            "notes": dict(self.notes),
            "details": {k: v for k, v in self.details.items() if isinstance(v, _DATA)},
        }
        text = json.dumps(json_value(content), indent=2)
        if path is not None:
            Path(path).write_text(text + "\n", encoding="utf-8")
        return text

    def plot(self, ax: "Axes | None" = None, top: int = 20, level: float = 0.95) -> "Axes":
        """Horizontal bars of the ``top`` features, with intervals and ranks where there are any.

        Parameters
        ----------
        ax : matplotlib axes or None
        top : int, default 20
        level : float, default 0.95
            Confidence of the intervals, and of all ranks (:meth:`ranks`) at once.

        Returns
        -------
        matplotlib axes
        """
        with extra("plot"):
            import matplotlib.pyplot as plt

        whole_number("top", top, 1)
        order = np.argsort(-self.ranking_scores(), kind="stable")[:top][::-1]
        if ax is None:
            _, ax = plt.subplots(figsize=(6, 0.3 * len(order) + 1.3), layout="constrained")
        names = [self.feature_names[j] for j in order]
        shown = names
        if self.deviations is not None:
            ranks = self.ranks(level).set_index("feature")["ranks"]
            shown = [f"{name} ({ranks[name]})" for name in names]
        shown = [name.replace("$", r"\$") for name in shown]  # names are text, not formulas
        ax.barh(
            shown, self.scores[order], color=[_GREY if n in self.notes else _BLUE for n in names]
        )
        label = f"importance ({self._name()})" if self.method else "importance"
        if self.std_error is not None:
            half = np.abs(self.interval(level)[order].T - self.scores[order])
            ax.errorbar(self.scores[order], shown, xerr=half, fmt="none", ecolor="black")
            also = "" if self.deviations is None else " and ranks"
            text = f"{100 * level:g}% interval{also} {self.std_error_kind}"
            label = "\n".join([label, *wrap(text, _LABEL)])
        ax.axvline(0.0, color="black", linewidth=0.8)
        ax.set_xlabel(label)
        return ax

    def _name(self) -> str:
        return self.method.partition("(")[0] or "this method"


def _check_order(name: str, values: Any, feature_names: tuple[str, ...]) -> None:
    """Raise a ValueError if labelled values have the features' names, but in another order."""
    if not hasattr(values, "iloc"):
        return
    labels = [str(label) for label in getattr(values, "columns", values.index)]
    if labels != [*feature_names] and sorted(labels) == sorted(feature_names):
        shown = ", ".join(labels[:_SHOWN]) + ", …" * (len(labels) > _SHOWN)
        place = "[list(feature_names)]"
        raise ValueError(
            f"{name} has the features in another order ({shown}) than feature_names; give it as "
            f"{'' if hasattr(values, 'columns') else '.loc'}{place}"
        )


def _known_freedom(freedom: float, deviations: FloatArray) -> FloatArray:
    """Return the degrees of freedom of each score's error: heavy tails leave few.

    2 E[s^2]^2 / Var[s^2] (Satterthwaite, An approximate distribution of estimates of variance
    components, 1946), where Var[s^2] / E[s^2]^2 is the kurtosis less 1, over the number of rows.
    """
    squares = deviations**2
    with np.errstate(divide="ignore", invalid="ignore"):
        of_variance = ((squares / squares.sum(axis=0)) ** 2).sum(axis=0) - 1 / len(squares)
        return np.asarray(np.fmin(freedom, 2 / np.maximum(of_variance, 0)))


def _for_skewed(quantiles: FloatArray, deviations: FloatArray) -> FloatArray:
    """Quantiles (2, n_features) of t, for means of skewed values.

    t + g t^2 / 3 + g^2 t^3 / 27 + g / 6 has a symmetric law to the second order, where g is the
    skewness of the mean (Hall, On the removal of skewness by transformation, 1992); it is inverted
    here. Without it a score's interval is short above: its error grows with the score.
    """
    variance = (deviations**2).sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        g = (deviations**3).sum(axis=0) / variance**1.5
        moved = 3 / g * (np.cbrt(1 + g * (quantiles - g / 6)) - 1)
    return np.where(np.abs(g) > 1e-6, moved, quantiles)


def checked_by(check: Callable[..., Any]) -> Callable[[Function], Function]:
    """Name the check of a function's parameters, so that a study file is checked when it is read.

    ``check`` takes some of the function's parameters by name, and raises for those out of range.
    """

    def decorate(function: Function) -> Function:
        function.check = check  # type: ignore[attr-defined]
        return function

    return decorate


def parameter_repr(name: str, **parameters: Any) -> str:
    """Return ``name(parameter=value, …)``; functions by their names, folds by their number."""
    shown = (f"{key}={_shown(key, value)}" for key, value in parameters.items())
    return f"{name}({', '.join(shown)})"


def _shown(key: str, value: Any) -> str:
    if key == "cv" and isinstance(value, Iterable):  # row numbers of every fold
        return f"{len(value)} folds" if isinstance(value, Sized) else "folds"
    if inspect.isroutine(value):
        return str(value.__name__)
    return re.sub(r"(?: object)? at 0x[0-9a-fA-F]+", "", repr(value))
