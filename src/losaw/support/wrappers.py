"""The model inside Pipelines and searches."""

from typing import Any, NamedTuple

from losaw.support.arguments import require_instance


class Inside(NamedTuple):
    """The model inside Pipelines and searches; itself if it is in none."""

    model: Any
    before: Any = None  # the steps before it, as a Pipeline; None without any
    path: tuple[str, ...] = ()  # the names of the steps that it is in


def inside(model: Any) -> Inside:
    """Return the model inside; of a search without a fit the one whose parameters are sought."""
    require_instance(model)
    before, path = None, []
    while True:
        if hasattr(model, "steps"):
            if len(model.steps) > 1:
                before = model[:-1] if before is None else _joined(before, model[:-1])
            name, model = model.steps[-1]
            path.append(name)
        elif hasattr(model, "best_estimator_"):
            model = model.best_estimator_
        elif "BaseSearchCV" in names_of_kinds(model):
            model = model.estimator
        else:
            return Inside(model, before, tuple(path))


def names_of_kinds(model: Any) -> set[str]:
    """Return the names of a model's class and of all that it derives from."""
    return {kind.__name__ for kind in type(model).__mro__}


def _joined(first: Any, second: Any) -> Any:
    from sklearn.pipeline import make_pipeline

    return make_pipeline(first, second)
