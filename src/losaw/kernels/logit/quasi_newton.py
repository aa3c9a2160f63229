"""A quasi-Newton method for multinomial logits that are large for Newton's.

With K classes of w coefficients each, Newton's step costs (K w)^2 sums over the patterns and
(K w)^3 for the inverse. Here only the K diagonal blocks of the Hessian are summed and inverted, a
few times in a fit, and the rest is learnt from the steps taken
(:mod:`losaw.kernels.logit.limited_memory`): a step costs K w times the patterns and K w^2. In the
symmetric form with one vector per class,

    block_k = K / (K - 1) sum_g n_g p_gk (1 - p_gk) z_g z_g' + 1 / C (no intercept),

which is exact where all classes are equally likely, but for the shift that classes may share.
"""

from losaw.kernels.compiled import inlined_kernel, inner_kernel
from losaw.kernels.inversion import invert
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
    ROWS,
    Logit,
    four_sums,
    update_gradient,
    update_probabilities,
    weigh_columns,
)
from losaw.kernels.vectors import (
    LANES,
    fma,
    load,
    multiply,
    spread,
    store,
    subtract,
)

# Blocks are renewed at the first two steps, and at every second step while the squared distance to
# the optimum, in standard errors of the coefficients, is above this.
_FAR = 1.0
# Curvature of an intercept, per row of its class, that is always added: where classes are
# nearly separated it vanishes, and the step would be endless.
_FLOOR = 1e-3
MAX_QUASI_STEPS = 3000


@inlined_kernel()
def _sum_block(logit: Logit, n_patterns: int, width: int, k: int) -> None:
    """Sum block k: weights times z z', for weights in row 0 of ``scaled``.

    Its lower triangle is summed and mirrored.
    """
    block = logit.blocks[k]
    place = block.shape[1]
    for first in range(0, width, ROWS):
        rows = min(ROWS, width - first)
        weigh_columns(logit, n_patterns, first, rows)
        for lane in range(0, first + rows, LANES):
            a, b, c, d = four_sums(logit.scaled, 1, logit.design, n_patterns, lane)
            for i in range(rows):
                sums = a if i == 0 else b if i == 1 else c if i == 2 else d
                store(block, (first + i) * place + lane, sums)
    for i in range(width):
        for j in range(i + 1, width):
            block[i, j] = block[j, i]
        for j in range(width, -(-width // LANES) * LANES):
            block[i, j] = 0.0


@inlined_kernel()
def _update_blocks(
    logit: Logit, n_patterns: int, n_classes: int, width: int, penalty: float, is_start: bool
) -> None:
    """Compute the inverse blocks at the probabilities.

    At the start a class is equally likely in all patterns, and its block a multiple of
    sum_g n_g z_g z_g': that is summed once, into the first block, which comes last.
    """
    blocks = logit.blocks
    row = logit.columns.shape[1]
    scale = n_classes / (n_classes - 1.0)
    if is_start:
        for lane in range(0, n_patterns, LANES):
            store(logit.scaled, lane, load(logit.size, lane))
        _sum_block(logit, n_patterns, width, 0)
    for k in range(n_classes - 1, -1, -1):
        count = 0.0
        for g in range(n_patterns):
            count += logit.counts[k, g]
        if is_start:
            p = logit.probability[k, 0]
            share = spread(scale * p * (1.0 - p))
            for i in range(width):
                for lane in range(0, width, LANES):
                    place = i * blocks.shape[2] + lane
                    store(blocks[k], place, multiply(share, load(blocks[0], place)))
        else:
            for lane in range(0, n_patterns, LANES):
                q = load(logit.probability, k * row + lane)
                both = multiply(multiply(spread(scale), load(logit.size, lane)), q)
                store(logit.scaled, lane, multiply(both, subtract(spread(1.0), q)))
            _sum_block(logit, n_patterns, width, k)
        blocks[k, 0, 0] += _FLOOR * count
        for i in range(1, width):
            blocks[k, i, i] += penalty
        invert(blocks[k], width, logit.diagonal)


@inlined_kernel()
def _solve_blocks(logit: Logit, n_classes: int, width: int) -> None:
    """Replace the direction by its product with the inverse blocks.

    In the symmetric form the first class's gradient is minus the sum of the others', and the step
    of a class against the first one is the difference of two.
    """
    direction, blocks, rows = logit.memory.direction, logit.blocks, logit.block_rows
    row = direction.shape[1]
    place = blocks.shape[2]
    block = blocks.shape[1] * place
    for lane in range(0, width, LANES):
        sums = spread(0.0)
        for k in range(n_classes - 1):
            sums = subtract(sums, load(direction, k * row + lane))
        store(rows, lane, sums)
    for lane in range(0, width, LANES):
        sums = spread(0.0)
        for i in range(width):
            sums = fma(spread(rows[0, i]), load(blocks, i * place + lane), sums)
        store(rows, row + lane, sums)
    for k in range(n_classes - 1):
        for lane in range(0, width, LANES):
            sums = spread(0.0)
            for i in range(width):
                start = (k + 1) * block + i * place + lane
                sums = fma(spread(direction[k, i]), load(blocks, start), sums)
            store(rows, 2 * row + lane, subtract(sums, load(rows, row + lane)))
        for lane in range(0, width, LANES):
            store(direction, k * row + lane, load(rows, 2 * row + lane))


@inner_kernel()
def fit_quasi_newton(
    logit: Logit,
    n_patterns: int,
    n_classes: int,
    width: int,
    penalty: float,
    precision: float,
) -> int:
    """Move to the optimum; return the number of steps, -1 without convergence.

    Probabilities and gradient at the start are known. Ends where the squared distance to the
    optimum, in standard errors of the coefficients, is below ``precision``.
    """
    direction = logit.memory.direction
    row = direction.shape[1]
    n_rows = n_classes - 1
    held = 0
    newest = 0
    since = 0
    slope = 1.0
    for taken in range(MAX_QUASI_STEPS):
        if taken < 2 or (slope > _FAR and since >= 2):
            _update_blocks(logit, n_patterns, n_classes, width, penalty, taken == 0)
            held = 0
            since = 0
        since += 1
        before = slope
        first_pass(logit.memory, logit.gradient, n_rows, width, held, newest)
        _solve_blocks(logit, n_classes, width)
        slope = second_pass(logit.memory, logit.gradient, n_rows, width, held, newest)
        newest = (newest + 1) % MEMORY
        keep_gradient(logit.memory, logit.gradient, n_rows, width, newest)
        add_scaled(logit.coefficients, 0, 1.0, direction, 0, n_rows, row, width)
        update_probabilities(logit, n_patterns, n_classes, width)
        # Steps shrink by a factor that itself shrinks: the error is about the size of the step
        # before.
        if max(slope / before, 1e-3) * slope < precision:
            return taken + 1
        update_gradient(logit, n_patterns, n_classes, width, penalty)
        after = inner(logit.gradient, 0, direction, 0, n_rows, row, width)
        times = 1.0
        # A step past the maximum of its line is shortened to the maximum of a parabola.
        while not after >= -0.5 * slope and times > 1e-12:
            shorter = times * max(0.1, slope / (slope - after))
            add_scaled(logit.coefficients, 0, shorter - times, direction, 0, n_rows, row, width)
            times = shorter
            update_probabilities(logit, n_patterns, n_classes, width)
            update_gradient(logit, n_patterns, n_classes, width, penalty)
            after = inner(logit.gradient, 0, direction, 0, n_rows, row, width)
        keep_step(logit.memory, logit.gradient, n_rows, width, newest, times)
        held = min(held + 1, MEMORY)
    return -1
