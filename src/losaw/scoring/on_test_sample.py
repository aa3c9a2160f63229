"""A function of this package as a study calls it: on the test sample, with kept parameters."""

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from losaw.data import Dataset
from losaw.scoring.explained import of_dataset
from losaw.scoring.parameter_repr import Described
from losaw.scoring.result import ImportanceResult


class OnTestSample(Described):
    """An importance whose function scores a fitted model on rows that it has not seen.

    Attributes
    ----------
    function : callable
        Takes the model, X, y, and the parameters of the class by their names.
    takes_train : bool, default False
        Whether the function is given the training sample too.
    """

    function: ClassVar[Callable[..., ImportanceResult]]
    takes_train: ClassVar[bool] = False

    def explain(self, model: Any, data: Dataset, rng: np.random.Generator) -> ImportanceResult:
        """Scores of every feature for a fitted ``model``."""
        train = {"train": data.train} if self.takes_train else {}
        return type(self).function(
            model, *data.test, **train, **vars(self), random_state=rng, **of_dataset(model, data)
        )
