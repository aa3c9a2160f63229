"""What the command line answers with one line and exit status 2 instead of a traceback."""


class LosawError(ValueError):
    """A mistake that its maker can mend: the message says where it is and what to do."""
