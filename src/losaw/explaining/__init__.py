"""Every importance of a person's own table in one call: `losaw explain`, ``losaw.explain``."""

from losaw.explaining.api import explain as explain
from losaw.explaining.explanation import Explanation as Explanation
