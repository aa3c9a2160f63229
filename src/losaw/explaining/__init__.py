"""Every importance of a person's own table in one call: `losaw explain`, ``losaw.explain``."""

from losaw.explaining.explanation import Explanation as Explanation
from losaw.explaining.front_door import explain as explain
