"""A comparison of methods on simulated responses: ``losaw audit``, ``losaw.audit``."""

from losaw.auditing.api import audit as audit
from losaw.auditing.result import Audit as Audit
