"""The curvature of a logit in the effects of levels: a block for each class, solved together.

In the symmetric form with one vector b_k per class,

    block_k = K / (K - 1) sum_g n_g p_gk (1 - p_gk) z_g z_g' + 1 / C (no intercept),

which is exact where all classes are equally likely, but for the shift that classes may share. With
z_g the indicators of a pattern's levels this is a table for every pair of features, into which a
pattern adds one vector. Lanes are classes, for the factor L D L' as well.
"""

from losaw.kernels.compiled import inlined_kernel
from losaw.kernels.logit.effects_terms import EffectsLogit, Shape
from losaw.kernels.vectors import (
    LANES,
    add,
    divide,
    fma,
    less_product,
    load,
    multiply,
    spread,
    store,
    subtract,
    where_greater,
)

# Curvature of an intercept, per row of its class, that is always added: where classes are
# nearly separated it vanishes, and the step would be endless.
_FLOOR = 1e-3


@inlined_kernel()
def update_blocks(logit: EffectsLogit, shape: Shape, penalty: float) -> None:
    """Sum the blocks at the probabilities, and factorise them."""
    for group in range(shape.lanes // LANES):
        first = group * shape.n_rows * shape.n_rows * LANES
        _sum_block(logit, shape, penalty, group, first)
        _factorise(logit, shape.n_rows, first, group * shape.n_rows * LANES)


@inlined_kernel()
def _sum_block(logit: EffectsLogit, shape: Shape, penalty: float, group: int, first: int) -> None:
    """Sum the lower triangles of the blocks of eight classes."""
    blocks = logit.blocks
    row = shape.n_rows * LANES
    for i in range(shape.n_rows):
        for place in range(first + i * row, first + i * row + (i + 1) * LANES, LANES):
            store(blocks, place, spread(0.0))
    first_column = shape.n_rows - shape.n_columns
    scale = spread(shape.n_classes / (shape.n_classes - 1.0))
    counts = spread(0.0)
    for g in range(shape.n_patterns):
        lane = g * shape.lanes + group * LANES
        p = load(logit.probability, lane)
        counts = add(counts, load(logit.counts, lane))
        both = multiply(multiply(scale, spread(logit.size[g])), p)
        weight = multiply(both, subtract(spread(1.0), p))
        store(blocks, first, add(load(blocks, first), weight))
        # Every pair of the pattern's levels, the larger row first.
        for j in range(shape.n_factors):
            start = first + int(logit.level_row[g, j]) * row
            for other in range(j + 1):
                place = start + int(logit.level_row[g, other]) * LANES
                store(blocks, place, add(load(blocks, place), weight))
        for c in range(shape.n_columns):
            start = first + (first_column + c) * row
            weighted = multiply(weight, spread(logit.values[g, c]))
            store(blocks, start, add(load(blocks, start), weighted))
            for j in range(shape.n_factors):
                place = start + int(logit.level_row[g, j]) * LANES
                store(blocks, place, add(load(blocks, place), weighted))
            for other in range(c + 1):
                place = start + (first_column + other) * LANES
                value = spread(logit.values[g, other])
                store(blocks, place, fma(weighted, value, load(blocks, place)))
    # An intercept and a level meet where the level meets itself; the penalty spares intercepts.
    for t in range(1, shape.n_rows):
        diagonal = first + t * row + t * LANES
        if t < first_column:
            store(blocks, first + t * row, load(blocks, diagonal))
        store(blocks, diagonal, add(load(blocks, diagonal), spread(penalty)))
    store(blocks, first, fma(spread(_FLOOR), counts, load(blocks, first)))


@inlined_kernel()
def _factorise(logit: EffectsLogit, n_rows: int, first: int, first_inverse: int) -> None:
    """Replace blocks by L D L'; a pivot that is no more than rounding counts as none.

    So does that of the intercept of a class that fills up a vector, some 1e-65: its inverse would
    make a step of a gradient as small, and with the classes' mean shift all of them. Four rows at a
    time, since every sum waits for the previous sum.
    """
    blocks, scaled = logit.blocks, logit.scaled
    row = n_rows * LANES
    for j in range(n_rows):
        start = first + j * row
        diagonal = load(blocks, start + j * LANES)
        pivot = diagonal
        for m in range(j):
            left = load(blocks, start + m * LANES)
            both = multiply(left, load(blocks, first + m * row + m * LANES))
            store(scaled, m * LANES, both)
            pivot = less_product(pivot, left, both)
        least = fma(diagonal, spread(1e-10), spread(1e-20))
        inverse = where_greater(pivot, least, divide(spread(1.0), pivot))
        store(logit.inverse, first_inverse + j * LANES, inverse)
        store(blocks, start + j * LANES, pivot)
        i = j + 1
        while i < n_rows:
            # Rows beyond the last repeat the last.
            a_row = first + i * row
            b_row = first + min(i + 1, n_rows - 1) * row
            c_row = first + min(i + 2, n_rows - 1) * row
            d_row = first + min(i + 3, n_rows - 1) * row
            a = load(blocks, a_row + j * LANES)
            b = load(blocks, b_row + j * LANES)
            c = load(blocks, c_row + j * LANES)
            d = load(blocks, d_row + j * LANES)
            for m in range(j):
                both = load(scaled, m * LANES)
                a = less_product(a, load(blocks, a_row + m * LANES), both)
                b = less_product(b, load(blocks, b_row + m * LANES), both)
                c = less_product(c, load(blocks, c_row + m * LANES), both)
                d = less_product(d, load(blocks, d_row + m * LANES), both)
            store(blocks, a_row + j * LANES, multiply(a, inverse))
            store(blocks, b_row + j * LANES, multiply(b, inverse))
            store(blocks, c_row + j * LANES, multiply(c, inverse))
            store(blocks, d_row + j * LANES, multiply(d, inverse))
            i += 4


@inlined_kernel()
def solve_blocks(logit: EffectsLogit, shape: Shape) -> None:
    """Replace the direction by its product with the inverse blocks."""
    blocks, direction = logit.blocks, logit.memory.direction
    row = shape.n_rows * LANES
    for group in range(shape.lanes // LANES):
        first = group * shape.n_rows * row
        lane = group * LANES
        # Forward with L, two sums side by side.
        for i in range(shape.n_rows):
            start = first + i * row
            even = load(direction, i * shape.lanes + lane)
            odd = spread(0.0)
            for m in range(0, i - 1, 2):
                x = load(direction, m * shape.lanes + lane)
                even = less_product(even, load(blocks, start + m * LANES), x)
                x = load(direction, (m + 1) * shape.lanes + lane)
                odd = less_product(odd, load(blocks, start + (m + 1) * LANES), x)
            if i % 2 == 1:
                x = load(direction, (i - 1) * shape.lanes + lane)
                even = less_product(even, load(blocks, start + (i - 1) * LANES), x)
            store(direction, i * shape.lanes + lane, add(even, odd))
        # D, then back with L'.
        for i in range(shape.n_rows):
            place = i * shape.lanes + lane
            inverse = load(logit.inverse, group * row + i * LANES)
            store(direction, place, multiply(load(direction, place), inverse))
        for reverse in range(shape.n_rows):
            i = shape.n_rows - 1 - reverse
            x = load(direction, i * shape.lanes + lane)
            for m in range(i):
                place = m * shape.lanes + lane
                rest = less_product(
                    load(direction, place), load(blocks, first + i * row + m * LANES), x
                )
                store(direction, place, rest)
