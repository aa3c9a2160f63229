"""A quasi-Newton method for the multinomial logit of :mod:`losaw.kernels.logit.terms`.

With K classes of d coefficients each, Newton's step costs (K d)^2 sums over the patterns and
(K d)^3 for the inverse. Here only the K diagonal blocks of the Hessian are summed and inverted,
once or twice in a fit, and the rest is learnt from the steps taken
(:mod:`losaw.kernels.logit.limited_memory`): a step costs K d times the patterns and K d^2. In the
symmetric form with one vector per class,

    block_k = K / (K - 1) sum_g n_g p_gk (1 - p_gk) z_g z_g' + 1 (no intercept),

which is exact for two classes, and where all classes are equally likely but for the shift that
classes may share.
"""

from losaw.kernels.compiled import kernel, spliced_kernel
from losaw.kernels.inversion import invert, product
from losaw.kernels.logit.limited_memory import (
    MEMORY,
    add_scaled,
    first_pass,
    inner,
    keep_gradient,
    keep_step,
    second_pass,
)
from losaw.kernels.logit.terms import (
    Logit,
    Size,
    start_from_frequencies,
    sum_products,
    update_gradient,
    update_probabilities,
)
from losaw.kernels.vectors import LANES, load, multiply, spread, store, subtract

# Blocks are those of the start, renewed at every second step while the squared distance to the
# optimum, in standard errors of the coefficients, is above this.
_FAR = 1.0
# Curvature of an intercept, per row of its class, that is always added: where classes are
# nearly separated it vanishes, and the step would be endless.
_FLOOR = 1e-3
MAX_STEPS = 3000


@spliced_kernel()
def _update_blocks(logit: Logit, size: Size, is_start: bool) -> None:
    """Compute the inverse blocks at the probabilities.

    At the start a class is equally likely in all patterns, and its block a multiple of
    sum_g n_g z_g z_g', which is summed once.
    """
    patterns = logit.columns.shape[1]
    place = logit.moments.shape[1]
    scale = size.n_classes / (size.n_classes - 1.0)
    # A binary logit has the whole penalty on b_1, of which the symmetric form would have half.
    ridge = 1.0 if size.n_classes > 2 else 2.0
    if is_start:
        for lane in range(0, size.n_patterns, LANES):
            store(logit.weight, lane, load(logit.totals, lane))
        sum_products(logit, size, logit.moments)
    for k in range(size.n_classes):
        block = logit.blocks[k]
        if is_start:
            # p (1 - p) is the same in all patterns: a multiple of the matrix that was summed.
            p = logit.probability[k, 0]
            share = spread(scale * p * (1.0 - p))
            for i in range(size.width):
                for lane in range(i * place, i * place + size.row, LANES):
                    store(block, lane, multiply(share, load(logit.moments, lane)))
        else:
            for lane in range(0, size.n_patterns, LANES):
                # n_g p_gk (1 - p_gk) K / (K - 1), the weight of pattern g in block k.
                q = load(logit.probability, k * patterns + lane)
                variance = multiply(q, subtract(spread(1.0), q))
                weight = multiply(multiply(spread(scale), load(logit.totals, lane)), variance)
                store(logit.weight, lane, weight)
            sum_products(logit, size, block)
        # The intercept is not penalised, but kept away from zero curvature; the slopes have the
        # ridge.
        count = 0.0
        for g in range(size.n_patterns):
            count += logit.counts[k, g]
        block[0, 0] += _FLOOR * count
        for i in range(1, size.width):
            block[i, i] += ridge
        invert(block, size.width, logit.diagonal)


@spliced_kernel()
def _solve_blocks(logit: Logit, size: Size) -> None:
    """Replace the direction by its product with the inverse blocks.

    In the symmetric form the first class's gradient is minus the sum of the others', and the step
    of a class against the first one is the difference of two.
    """
    direction = logit.memory.direction
    gradient, first, step = logit.rows[0], logit.rows[1], logit.rows[2]
    for lane in range(0, size.row, LANES):
        sums = spread(0.0)
        for k in range(size.n_classes - 1):
            sums = subtract(sums, load(direction, k * size.row + lane))
        store(gradient, lane, sums)
    # The first class's step, which each of the others is taken against.
    product(logit.blocks[0], size.width, gradient, first)
    for k in range(size.n_classes - 1):
        for lane in range(0, size.row, LANES):
            store(gradient, lane, load(direction, k * size.row + lane))
        product(logit.blocks[k + 1], size.width, gradient, step)
        for lane in range(0, size.row, LANES):
            store(direction, k * size.row + lane, subtract(load(step, lane), load(first, lane)))


@kernel()
def fit_logit(logit: Logit, size: Size, precision: float) -> int:
    """Fit the logit to its counts and design; return the number of steps, -1 without convergence.

    Fills coefficients and probabilities. Ends where the squared distance to the optimum, in
    standard errors of the coefficients, is below ``precision``.
    """
    direction = logit.memory.direction
    length = (size.n_classes - 1) * size.row
    held, newest, since = 0, 0, 0
    slope, before, times = 1.0, 1.0, 0.0
    start_from_frequencies(logit, size)
    taken = 0
    while True:
        # Here the coefficients are ``times`` the direction away from where the last step began.
        update_probabilities(logit, size)
        # Steps shrink by a factor that itself shrinks: the error is about the size of the step
        # before.
        is_near = times == 1.0 and max(slope / before, 1e-3) * slope < precision
        # Without adjustment features the frequencies are the solution.
        if size.width == 1 or is_near:
            return taken
        update_gradient(logit, size)
        if taken > 0:
            # A step past the maximum of its line is shortened to the maximum of a parabola.
            after = inner(logit.gradient, 0, direction, 0, length)
            if not after >= -0.5 * slope and times > 1e-12:
                shorter = times * max(0.1, slope / (slope - after))
                add_scaled(logit.coefficients, shorter - times, direction, 0, length)
                times = shorter
                continue
            keep_step(logit.memory, logit.gradient, length, newest, times)
            # A pair is added, or takes the place of the oldest.
            held = min(held + 1, MEMORY)
        if taken == MAX_STEPS:
            return -1

        # The next step: the gradient times the inverse of the Hessian, as far as it is known.
        if taken == 0 or (slope > _FAR and since >= 2):
            _update_blocks(logit, size, taken == 0)
            # Pairs of other blocks tell nothing of these.
            held, since = 0, 0
        since += 1
        before = slope
        first_pass(logit.memory, logit.gradient, length, held, newest)
        _solve_blocks(logit, size)
        slope = second_pass(logit.memory, logit.gradient, length, held, newest)
        newest = (newest + 1) % MEMORY
        keep_gradient(logit.memory, logit.gradient, length, newest)
        add_scaled(logit.coefficients, 1.0, direction, 0, length)
        times = 1.0
        taken += 1
