"""Is a reproduced number the printed one? z-scores made of both errors and the rounding."""

import math

from scipy.stats import norm
from scipy.stats import t as student

AGREES, NEAR, DIFFERS = "agrees", "near", "differs"
NOT_PRINTED, NOT_RUN, NO_ERROR = "not printed", "not run", "no error estimate"


def z_score(
    reproduced: float,
    sd: float,
    n_seeds: int,
    published: float,
    decimals: int,
    published_runs: float,
    value_range: tuple[float, float] = (-math.inf, math.inf),
) -> float:
    """How many standard errors lie between a reproduced mean and the printed one.

    With s the standard deviation of single runs, n our seeds, m the runs behind the printed
    number and d its decimals,

        t = (reproduced - published) / sqrt(s^2 / n + s^2 / m + 10^(-2d) / 12).

    As s is estimated from n runs, t follows Student's law with n - 1 degrees of freedom; z is the
    normal quantile of the same probability, so that 2 and 3 mean the same for 4 seeds and for 250.

    A sample without any variation (say, pr-AUC 1 in every run) does not show its error. Where the
    metric is bounded and all n runs sit on one value, the difference is judged exactly instead:
    for values in an interval of length r, a printed mean that is D away from this value needs at
    least k = ceil(D m / r) deviating runs among its m. Were all n + m runs of one law, these k
    would all fall among the printed ones with probability C(m, k) / C(n + m, k), and z is the
    normal quantile of that.

    Parameters
    ----------
    reproduced, sd, n_seeds : float, float, int
        Our mean, standard deviation of single runs and number of seeds.
    published, decimals, published_runs : float, int, float
        The printed number, its decimals, and the runs it averages.
    value_range : (float, float)
        Smallest and largest possible value of a single run.

    Returns
    -------
    float
        z, or NaN where a number is missing or a single seed shows no error.
    """
    if not (math.isfinite(reproduced) and math.isfinite(published)) or n_seeds < 2:
        return math.nan
    rounding = 10.0**-decimals
    difference = reproduced - published
    if sd > 1e-12:
        variance = sd**2 / n_seeds + sd**2 / published_runs + rounding**2 / 12
        return _signed_z(
            2 * student.sf(abs(difference) / math.sqrt(variance), n_seeds - 1), difference
        )
    beyond_rounding = max(0.0, abs(difference) - rounding / 2)
    width = value_range[1] - value_range[0]
    if not math.isfinite(width):
        return difference / (rounding / math.sqrt(12))
    n_deviating = math.ceil(min(1.0, beyond_rounding / width) * published_runs - 1e-9)
    probability = math.prod(
        (published_runs - i) / (n_seeds + published_runs - i) for i in range(n_deviating)
    )
    return _signed_z(probability, difference)


def _signed_z(probability: float, difference: float) -> float:
    """The normal quantile of a two-sided probability, with the sign of the difference."""
    return math.copysign(float(norm.isf(max(probability, 1e-300) / 2)), difference)


def verdict(z: float, has_published: bool, has_reproduced: bool) -> str:
    """``agrees`` for |z| <= 2, ``near`` for |z| <= 3, ``differs`` beyond; or what is missing."""
    if not has_reproduced:
        return NOT_RUN
    if not has_published:
        return NOT_PRINTED
    if math.isnan(z):
        return NO_ERROR
    return AGREES if abs(z) <= 2 else NEAR if abs(z) <= 3 else DIFFERS
