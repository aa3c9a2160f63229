"""What a model is: an instance, of a task, itself or inside Pipelines and searches."""

from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from losaw.support.arguments import ArgumentTypeError

Task = Literal["regression", "classification"]


def require_instance(model: Any) -> None:
    """Raise an error for a class in place of a model."""
    if isinstance(model, type):
        raise ArgumentTypeError(
            f"model must be an estimator, got the class {model.__name__}; make one, as in "
            f"{model.__name__}(), and fit it"
        )


def is_classifier(model: Any) -> bool:
    """Return whether a model, or the first of a list, predicts classes.

    It says so by scikit-learn's tag, or by ``predict_proba``.
    """
    if isinstance(model, list):  # of each fold
        model = model[0] if model else None
    require_instance(model)
    if hasattr(model, "predict_proba"):
        return True
    if not hasattr(model, "__sklearn_tags__"):
        return False
    from sklearn.base import is_classifier as is_tagged

    return bool(is_tagged(model))


def task_of(model: Any, declared: str | None = None) -> Task:
    """Return the task that a fitted model solves; a declared task must agree."""
    task: Task = "classification" if is_classifier(model) else "regression"
    if declared is None or declared == task:
        return task
    what = "is" if task == "classification" else "has no predict_proba and is not"
    raise ValueError(
        f"the data are declared a {declared}, but {type(model).__name__} {what} a classifier; "
        f"declare task={task!r}, or fit another model"
    )


def classes_of(model: Any) -> NDArray[Any]:
    """Return the classes of a fitted classifier, in the order of its probabilities."""
    name = type(model).__name__
    classes = getattr(model, "classes_", None)
    if classes is None:
        raise ValueError(
            f"{name} predicts probabilities but has no classes_: the class of each "
            "column is unknown"
        )
    if isinstance(classes, list) and any(np.ndim(of_one) for of_one in classes):
        raise ValueError(f"{name} has {len(classes)} responses; fit and explain a model for each")
    if len(classes) < 2:
        raise ValueError(
            f"the model, a {name}, knows one class only ({np.asarray(classes).tolist()[0]!r}): "
            "nothing to explain; fit it to rows of two classes or more"
        )
    return np.asarray(classes)


class Inside(NamedTuple):
    """The model inside Pipelines and searches; itself if it is in none."""

    model: Any
    before: Any = None  # the steps before it that transform, as a Pipeline; None without any
    path: tuple[str, ...] = ()  # the names of the steps that it is in


def inside(model: Any) -> Inside:
    """Return the model inside; of a search without a fit the one whose parameters are sought."""
    from sklearn.pipeline import make_pipeline

    require_instance(model)
    before, path = None, []
    while True:
        if hasattr(model, "steps"):
            steps = [step for step in model.steps[:-1] if step[1] not in (None, "passthrough")]
            if steps:
                own = type(model)(steps)
                before = own if before is None else make_pipeline(before, own)
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
