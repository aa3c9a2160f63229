"""Whether rows are the sample that a forest was grown on: its in-bag counts prove it."""

from collections.abc import Iterable

import numpy as np

from losaw.trees.flat import GrownTree


def check_sample(trees: Iterable[GrownTree]) -> None:
    """Raise a ValueError unless every leaf has as many in-bag rows as in the fit."""
    for number, tree in enumerate(trees):
        sizes = tree.sizes_of_rows()
        different = tree.is_leaf & (sizes != tree.size)
        if different.any():
            leaf = int(np.flatnonzero(different)[0])
            raise ValueError(
                "X is not the sample that the forest was fitted on: "
                f"{sizes[leaf]:g} of its in-bag rows reach leaf {leaf} of tree {number}, but that "
                f"leaf was fitted to {tree.size[leaf]:g}. Give the rows of the fit in the same "
                "order, with the same columns in the same order, and in the same units"
            )
