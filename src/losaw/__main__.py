"""``python -m losaw``, as every rule of the workflow calls it."""

import sys

from losaw.cli import main

sys.exit(main())
