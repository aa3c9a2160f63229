"""The losaw weights of a target and its adjustment features (Definition 2.1, Algorithm 3.2)."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from losaw.data import FloatArray
from losaw.support.arguments import ArgumentTypeError, finite_vector, in_range
from losaw.tables.columns import few_levels
from losaw.weighting.checks import check_eta, check_pair, check_weights
from losaw.weighting.effective_sample_size import cap_weights
from losaw.weighting.propensity import GaussianLinear, MultinomialLogit
from losaw.weighting.stabilization import ClassFrequency, NormalDensity

# Normal densities below this lose digits; ratios beyond exp(+-_FAR) are cut to it, so that squares
# stay finite. The cap of Algorithm 3.2 cuts them further.
_SMALLEST, _FAR = 1e-290, 300.0
# Of a density, and of a probability.
_PROPENSITIES = (GaussianLinear, MultinomialLogit)
_STABILIZATIONS = (NormalDensity, ClassFrequency)


def losaw_weights(
    target: ArrayLike,
    adjustment: ArrayLike,
    *,
    eta: float = 0.25,
    propensity: GaussianLinear | MultinomialLogit | None = None,
    stabilization: NormalDensity | ClassFrequency | None = None,
    reference: ArrayLike | None = None,
) -> FloatArray:
    """Return weights under which the target is (nearly) uncorrelated with the adjustment features.

    ``w_n ∝ P(x_n) / P(x_n | a_n)``, with both densities estimated from the sample, then capped so
    that the relative effective sample size is at least ``eta``. With the true densities the
    weighted distribution is the product of the marginals.

    Parameters
    ----------
    target : array of shape (n_samples,)
    adjustment : array of shape (n_samples, n_adjustment)
        No columns: uniform weights.
    eta : float in (0, 1], default 0.25
    propensity : GaussianLinear or MultinomialLogit, optional
        By default the logit for a target with few distinct values, else the linear regression.
    stabilization : NormalDensity or ClassFrequency, optional
        By default class frequencies with the logit, the normal density with the linear regression.
    reference : array, optional
        Values of the target to estimate its marginal density from, such as the full training
        sample when ``target`` is a part of it (default: ``target``).

    Returns
    -------
    array of shape (n_samples,)
        They sum to 1.

    References
    ----------
    losaw, Definition 2.1, equation (1), Algorithm 3.2.

    Examples
    --------
    >>> import numpy as np
    >>> from losaw.weighting import losaw_weights, weighted_correlations
    >>> rng = np.random.default_rng(0)
    >>> a = rng.standard_normal(500)
    >>> x = 0.6 * a + 0.8 * rng.standard_normal(500)
    >>> w = losaw_weights(x, a, eta=0.25)
    >>> bool(abs(weighted_correlations(x, a, w)[0]) < 0.5 * abs(np.corrcoef(x, a)[0, 1]))
    True
    """
    t, a = check_pair(target, adjustment)
    check_eta(eta)
    is_discrete = _is_discrete(propensity, stabilization)
    if a.shape[1] == 0 or eta == 1.0:
        return np.full(len(t), 1.0 / len(t))
    values = t if reference is None else finite_vector("reference", reference)
    # The paper's models of P(x | a) and of P(x) for the kind of target (Section 2).
    is_discrete = few_levels(values) is not None if is_discrete is None else is_discrete
    conditional = propensity or (MultinomialLogit() if is_discrete else GaussianLinear())
    marginal = stabilization or (ClassFrequency() if is_discrete else NormalDensity())
    ratio = density_ratio(marginal.fit(values), conditional.fit(t, a), t, a)
    return cap_weights(ratio, eta)


def _is_discrete(propensity: Any, stabilization: Any) -> bool | None:
    """Return whether the models that are given are of probabilities; None without one of ours."""
    asked = {"propensity": _PROPENSITIES, "stabilization": _STABILIZATIONS}
    found = set()
    for (name, kinds), model in zip(asked.items(), (propensity, stabilization), strict=True):
        others = {*_PROPENSITIES, *_STABILIZATIONS}.difference(kinds)
        has_methods = hasattr(model, "fit") and hasattr(model, "density")
        if model is not None and (isinstance(model, (type, *others)) or not has_methods):
            raise ArgumentTypeError(
                f"{name} must be {kinds[0].__name__}(), {kinds[1].__name__}() or a model with "
                f"their methods fit and density, got {model!r}"
            )
        if isinstance(model, kinds):
            found.add(isinstance(model, kinds[1]))
    if found == {True, False}:  # their ratio would not be 1 for an independent target
        raise ValueError(
            f"propensity {propensity!r} and stabilization {stabilization!r} are a density and a "
            "probability; take GaussianLinear() with NormalDensity(), or MultinomialLogit() with "
            "ClassFrequency()"
        )
    return found.pop() if found else None


def density_ratio(
    marginal: Any, conditional: Any, target: FloatArray, adjustment: FloatArray
) -> FloatArray:
    """Return the ratio ``f(x) / f(x | a)`` of two fitted densities for every row, (n,).

    The density of an outlier may be too small for a float. The ratio is then computed from the
    logarithms of densities, of models that have a ``log_density``.
    """
    above = np.asarray(marginal.density(target), dtype=np.float64)
    below = np.asarray(conditional.density(target, adjustment), dtype=np.float64)
    is_small = (above < _SMALLEST) | (below < _SMALLEST)
    if is_small.any() and hasattr(marginal, "log_density") and hasattr(conditional, "log_density"):
        logarithm = marginal.log_density(target) - conditional.log_density(target, adjustment)
        far = np.exp(np.clip(logarithm, -_FAR, _FAR))
        return np.where(is_small, far, _cut_ratio(above, np.where(is_small, 1.0, below)))
    for model, density in ((marginal, above), (conditional, below)):
        if not (np.isfinite(density) & (density > 0)).all():
            raise ValueError(
                f"{type(model).__name__}.density returned zero, negative or missing values: a "
                "density has to be positive wherever there is a row"
            )
    return _cut_ratio(above, below)


def _cut_ratio(above: FloatArray, below: FloatArray) -> FloatArray:
    with np.errstate(over="ignore"):  # of a target in tiny units
        return np.asarray(np.minimum(above / below, np.exp(_FAR)))


def weighted_correlations(
    target: ArrayLike, adjustment: ArrayLike, weights: ArrayLike
) -> FloatArray:
    """Return Pearson correlations of target and adjustment features under weights, (n_adjustment,).

    ``corr_w(x, a) = cov_w(x, a) / (sd_w(x) sd_w(a))`` with weights of sum 1; zero where a
    variance vanishes.

    Examples
    --------
    >>> import numpy as np
    >>> from losaw.weighting import weighted_correlations
    >>> X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    >>> weighted_correlations(X[:, 0], X[:, 1:], np.ones(4)).tolist()
    [0.0]
    """
    t, a = check_pair(target, adjustment)
    w = check_weights(weights)
    if w.shape != t.shape:
        raise ValueError(f"weights has shape {w.shape}, expected {t.shape}: one for each row")
    w = in_range(w)
    w = w / w.sum()
    t, a = in_range(t), in_range(a)
    t, a = t - t[0], a - a[0]  # of a constant exactly 0
    t, a = in_range(t - w @ t), in_range(a - w @ a)
    scale = np.sqrt((w @ t**2) * (w @ a**2))
    return np.divide(w * t @ a, scale, out=np.zeros(a.shape[1]), where=scale > 0)
