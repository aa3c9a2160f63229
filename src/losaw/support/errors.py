"""Mistakes of a user, which end a command with a line and exit status 2, not a traceback."""


class LosawError(ValueError):
    """An error that the user can correct: the message names its place and the remedy."""
