"""The exception of the study engine."""

from losaw.support.errors import LosawError


class StudyError(LosawError):
    """A mistake that the user can fix; it names the file, key and value, and the remedy."""
