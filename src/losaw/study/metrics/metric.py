"""The contract of a metric."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from losaw.data import FloatArray, Truth
from losaw.scoring.result import ImportanceResult

Needs = Literal["importance", "prediction", "estimate"]


@dataclass(frozen=True)
class Predictions:
    """The predictions of a fitted learner, and the responses that were observed.

    Attributes
    ----------
    test : pair of arrays (y, y_hat)
        On the test sample. For a classification y is class numbers 0, 1, … and y_hat the
        probabilities of all classes, (n_samples, n_classes).
    independent : pair of arrays (y, y_hat) or None
        On the sample of independent features, if the generator draws it.
    mean : array or None
        The true mean of the test responses given their features, if the generator knows it.

    Examples
    --------
    >>> import numpy as np
    >>> from losaw.data import Truth
    >>> from losaw.study.metrics.metric import Predictions
    >>> from losaw.study.registry import get
    >>> y = np.array([1.0, 2.0, 3.0])
    >>> truth = Truth(signal=(0,), n_features=2)
    >>> get("metric", "r2_test").create()(Predictions(test=(y, y)), truth)
    1.0
    """

    test: tuple[FloatArray, FloatArray]
    independent: tuple[FloatArray, FloatArray] | None = None
    mean: FloatArray | None = None


@dataclass(frozen=True)
class Metric:
    """A function as a metric, with what tables, ranks and errors must know of it.

    Called with what is measured and the truth, it gives the number, or a ValueError if that is not
    defined. Called with parameters by name, it is the same metric with these parameters. A class of
    your own that is called alike is a metric as well: it needs ``range``, ``higher_is_better`` and
    ``needs``, and may have ``summary``, ``is_decision``, ``ranks_methods``, ``optional`` and
    ``task`` (``examples/metric.py``).

    Attributes
    ----------
    function : callable
        Of what is measured and the truth; parameters by name only.
    range : tuple of float
        Smallest and largest possible value.
    higher_is_better : bool
    needs : {"importance", "prediction", "estimate"}
        Whether an :class:`ImportanceResult` is measured, :class:`Predictions`, or a mapping of the
        estimands to their :class:`Estimate`; the truth is then one of them to their true values.
    summary : {"mean", "sd", "median", "root-mean"} or float
        What is taken of the runs, unless the study file says something else.
    is_decision : bool
        Whether the value is a share of yes-or-no decisions: its mean then has a binomial error.
    ranks_methods : bool
        False: it describes and does not judge.
    optional : bool
        Whether NaN says that there is nothing to measure; of others it is a failure, as an infinite
        value always is. A parameter ``optional`` of the function decides for its own metric.
    task : {"", "classification"}
        Of predictions: "classification" if they must be probabilities of classes.
    examples : tuple of dict
        Parameters with which the contract tests try it.
    check : callable or None
        Raises an error for parameters out of range.
    parameters : dict

    Examples
    --------
    >>> import numpy as np
    >>> from losaw.data import Truth
    >>> from losaw.importance import ImportanceResult
    >>> from losaw.study.registry import get
    >>> metric = get("metric", "pr_auc").create()
    >>> result = ImportanceResult(np.array([0.5, 0.2, 0.3]), ("X1", "X2", "X3"))
    >>> metric(result, Truth(signal=(0, 2), n_features=3)), metric.range, metric.higher_is_better
    (1.0, (0.0, 1.0), True)
    """

    function: Callable[..., float]
    range: tuple[float, float] = (0.0, 1.0)
    higher_is_better: bool = True
    needs: Needs = "importance"
    summary: str | float = "mean"
    is_decision: bool = False
    ranks_methods: bool = True
    optional: bool = False
    task: Literal["", "classification"] = ""
    examples: tuple[dict[str, Any], ...] = ({},)
    check: Callable[..., None] | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "__doc__", self.function.__doc__)

    @property
    def __signature__(self) -> inspect.Signature:
        known = inspect.signature(self.function).parameters.values()
        return inspect.Signature([option for option in known if option.kind is option.KEYWORD_ONLY])

    def __call__(self, *measured: Any, **parameters: Any) -> Any:
        if measured:
            try:
                return float(self.function(*measured, **self.parameters))
            except ValueError as error:
                raise ValueError(f"{self.function.__name__}: {error}") from error
        given = self.__signature__.bind(**parameters).arguments
        if self.check is not None:
            self.check(**given)
        return replace(self, parameters=given, optional=given.get("optional", self.optional))


def check_scores(result: ImportanceResult) -> None:
    """Raise a ValueError that names the first score that is missing or infinite."""
    bad = np.flatnonzero(~np.isfinite(result.scores))
    if len(bad):
        raise ValueError(
            f"{len(bad)} of {len(result.scores)} scores are missing or infinite, the first is "
            f"{result.scores[bad[0]]} for {result.feature_names[bad[0]]!r}"
        )


def split_scores(result: ImportanceResult, truth: Truth) -> tuple[FloatArray, NDArray[np.bool_]]:
    """Return finite scores, larger for more important features, and the mask of signal features.

    Both kinds of features are there, and each has a finite score.
    """
    scores = result.ranking_scores()
    if len(scores) != truth.n_features:
        raise ValueError(f"{len(scores)} scores for {truth.n_features} features")
    check_scores(result)
    is_signal = truth.is_signal
    for kind, is_there in (("signal", is_signal.any()), ("noise", not is_signal.all())):
        if not is_there:
            raise ValueError(f"not defined, since the truth has no {kind} feature")
    return scores, is_signal
