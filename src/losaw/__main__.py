"""``python -m losaw``: the command ``losaw`` of this Python."""

import sys

from losaw.cli import main

sys.exit(main())
