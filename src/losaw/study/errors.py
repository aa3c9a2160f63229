"""The exceptions of the study engine."""

from losaw.support.errors import LosawError


class StudyError(LosawError):
    """A mistake that the user can fix; it names the file, line, key and value, and the remedy."""


class MissingBlocksError(StudyError):
    """Some blocks could not begin; all others are done, and a summary may do without these."""
