"""Why a model call failed: any client's error as one `ModelError` with a reason, by one table a provider.

Order of evidence: the error's type (a time-out or a lost connection is what it is), then its status and codes, and the
words last. That order matters: an overflow makes the engine throw history out of the window, and a time-out or a rate
limit whose message speaks of "context" or "tokens" must never do that.
"""

from palimpsest.formats.failures.classify import classify
from palimpsest.redaction.error_texts import redact

__all__ = ["classify", "redact"]
