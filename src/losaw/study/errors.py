"""The exception of the study engine."""

from losaw.support.errors import LosawError


class StudyError(LosawError):
    """A mistake that the user can fix; it names the file, key and value, and the remedy."""


class OptionError(ValueError):
    """An option that a drawing cannot use with the settings or results of a study."""
