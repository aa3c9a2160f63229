"""Which method to trust on a table like one's own: `losaw audit`, ``losaw.audit``."""

from losaw.auditing.api import audit as audit
from losaw.auditing.result import Audit as Audit
