"""Why a model call failed: any client's error as one `ModelError` with a reason, by one table for each provider.

Order of evidence: the error's type (a timeout or a lost connection), then its status and codes, and its wording last.
The order matters: an overflow makes the engine drop history from the window, and a timeout or a rate limit whose
message mentions "context" or "tokens" must never do that.
"""

from palimpsest.formats.failures.classify import classify, refuses_thinking
from palimpsest.redaction.redactor import redact_error_text as redact

__all__ = ["classify", "redact", "refuses_thinking"]
