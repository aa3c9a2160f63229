"""An importance made as a study makes it, of the name and the parameters in its file."""

from losaw.study.registry import get


def in_study(name, **parameters):
    return get("importance", name).create(**parameters)
