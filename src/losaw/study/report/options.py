"""Checks of the options that a study file hands to a drawing."""

from collections.abc import Collection, Iterable

from losaw.support.words import unknown


class OptionError(ValueError):
    """An option whose value a drawing cannot use; the message lists the allowed ones."""


def check_names(
    option: str, names: Iterable[str], known: Collection[str], kind: str | None = None
) -> None:
    """Refuse a name that a study does not have; ``kind`` says what the name is of."""
    for name in names:
        if name not in known:
            message = unknown(kind or option.removesuffix("s"), name, list(known))
            raise OptionError(f"{option}: {message}")
