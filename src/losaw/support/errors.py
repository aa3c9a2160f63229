"""Errors that the command line reports in one line with exit status 2, without a traceback."""


class LosawError(ValueError):
    """A mistake that the user can fix: the message names its place and the remedy."""
