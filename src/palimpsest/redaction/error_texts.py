"""Redaction of error messages and logs: secrets, and keys in the forms of provider errors.

All are hidden in the same way: a placeholder made from a hash is of no use there, and could be used to test guesses.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from palimpsest.lazy_regex import later
from palimpsest.redaction.detector import PLACEHOLDER
from palimpsest.redaction.redactor import redact as redact_secrets

HIDDEN = "[hidden]"
MIN_SECRET_CHARS = 6

_KEYS = later(
    r"\b(?:sk|pk|rk|gsk|xai|hf|nvapi|fw|tgp|csk|ak|key|pplx|r8|ghp|gho|github_pat|glpat|xox[abp])[-_][\w*.…-]{6,}"
    r"|\bAIza[\w-]{20,}|\bya29\.[\w.-]{10,}|\bA[KS]IA[A-Z0-9]{12,}|\beyJ[\w-]{10,}(?:\.[\w-]+){1,2}"
)
_NAMED = later(
    r"((?:(?:x[-_])?(?:goog[-_])?api[-_ ]?key|access[-_]?token|auth(?:orization)?|secret|password|\bkey)"
    r"""["']?\s*(?:[=:]|provided:)\s*["']?(?:bearer\s+|basic\s+)?)(?!\[hidden\])([^\s"'&,;)}\]]{6,})""",
    re.IGNORECASE,
)
_BEARER = later(r"(\bbearer\s+)(?!\[hidden\])[^\s\"',;)}\]]{6,}", re.IGNORECASE)
_IN_ADDRESS = later(r"(?<!\w)(\w+://)[^/\s:@]*:[^/\s@]+@")


def redact(text: str, secrets: Sequence[str] = ()) -> str:
    """`text` without anything that looks like a key, and without the given secrets."""
    for secret in secrets:
        if len(secret) >= MIN_SECRET_CHARS:
            text = text.replace(secret, HIDDEN)
    text = PLACEHOLDER.sub(HIDDEN, redact_secrets(text))
    text = _IN_ADDRESS.sub(rf"\1{HIDDEN}@", text)
    text = _KEYS.sub(HIDDEN, text)
    text = _NAMED.sub(rf"\1{HIDDEN}", text)
    return _BEARER.sub(rf"\1{HIDDEN}", text)
