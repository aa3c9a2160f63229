"""The adapter through which studies call the functions of :mod:`losaw.importance`."""

import inspect
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from losaw.data import Dataset
from losaw.scoring.result import ImportanceResult, parameter_repr
from losaw.study.registry.catalogue import Use
from losaw.support.arguments import one_of
from losaw.support.models import task_of

SAMPLES = ("test", "train")


class InStudies:
    """An importance function as studies call it.

    The registry loads one without parameters. Called with the parameters of a study file, it
    returns one that explains fitted models with them. The function is
    ``function(model, X, y, *, feature_names, …) -> ImportanceResult``, or
    ``function(model, *, feature_names)`` for scores that the model reports of itself, or without
    the model for a method that grows its own.
    """

    def __init__(
        self,
        function: Callable[..., ImportanceResult],
        use: Use,
        parameters: Mapping[str, Any] | None = None,
    ) -> None:
        self.function = function
        self.use = use
        self.parameters = dict(parameters or {})
        self.examples = use.examples
        self.example_learner = use.learner
        self._known = inspect.signature(function).parameters
        rows = inspect.Parameter("rows", inspect.Parameter.KEYWORD_ONLY, default="test")
        first = [rows] if use.on == "rows" else []
        options = [self._known[name] for name in use.options]
        self.__signature__ = inspect.Signature([*first, *options])

    def __call__(self, **parameters: Any) -> "InStudies":
        """The same function with parameters; those out of range raise an error at once."""
        given = self.__signature__.bind(**parameters)
        given.apply_defaults()
        values = given.arguments
        if self.use.on == "rows":
            one_of("rows", values["rows"], SAMPLES)
        check = getattr(self.function, "check", None)
        if check is not None:
            known = {name: parameter.default for name, parameter in self._known.items()} | values
            known |= _sampler_of_a_plugin(known)
            looked_at = inspect.signature(check).parameters
            check(**{name: value for name, value in known.items() if name in looked_at})
        return InStudies(self.function, self.use, values)

    def explain(self, model: Any, data: Dataset, rng: np.random.Generator) -> ImportanceResult:
        """Scores of the features of ``data`` for a fitted ``model`` of the same task."""
        options = self.parameters | _sampler_of_a_plugin(self.parameters)
        if "sampler" in options and data.stream is not None:
            # The draws are from the data set's own stream, so that its learners share them.
            from losaw.importance.cpi import sampler_of
            from losaw.study.importances.shared_knockoffs import SharedKnockoffs

            name = self.parameters["sampler"]
            sampler = sampler_of(options["sampler"], options["sampler_parameters"])
            shown = parameter_repr(name, **self.parameters["sampler_parameters"] or {})
            shared = SharedKnockoffs(sampler, shown, data.stream(f"knockoffs:{name}"))
            options |= {"sampler": shared, "sampler_parameters": None}
        options["feature_names"] = data.feature_names
        if self.use.on == "model":
            return self.function(model, **options)
        if "kinds" in self._known:
            options["kinds"] = data.feature_kinds
        if model is not None:
            task_of(model, data.task)  # refuses a model of the other task
        if self.use.on == "own models":
            options["task"] = data.task
        rows = options.pop("rows", self.use.on)
        sample = data.test if rows.startswith("test") else data.train
        if self.use.on == "test and train":
            options["train"] = data.train
        if "random_state" in self._known:
            options["random_state"] = rng
        models = () if self.use.on == "own models" else (model,)
        result = self.function(*models, *sample, **options)
        if "repeats" in result.details:  # as in the papers: the median, and its permutations' error
            error = result.details.get("permutation_error")
            return ImportanceResult(
                np.median(result.details["repeats"], axis=0),
                result.feature_names,
                std_error=error,
                std_error_kind=None if error is None else "over permutations",
                method=result.method,
                kinds=result.kinds,
                details=result.details,
            )
        if self.use.scores_only:
            return ImportanceResult(result.scores, result.feature_names)
        return result


def _sampler_of_a_plugin(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the sampler that a plugin has registered, in place of its name and parameters."""
    from losaw.knockoffs.sampler import SAMPLERS
    from losaw.study.registry import get, names

    name = options.get("sampler")
    if name in SAMPLERS or name not in names("knockoff"):
        return {}
    sampler = get("knockoff", name).create(**options.get("sampler_parameters") or {})
    return {"sampler": sampler, "sampler_parameters": None}
