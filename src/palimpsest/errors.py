"""Every error this package raises, in one tree. Each says who erred and what to do about it.

    PalimpsestError               something here failed; `hint` says the way out
    |- UsageError                 the caller: an argument that cannot be used           (exit 2)
    |  `- FormatError             the caller: a message or transcript of unknown shape  (exit 2)
    |- NotFound                   the caller: an id or name this owner does not have     (exit 3)
    |- SettingsError              the caller: a setting that is unknown or impossible    (exit 4)
    |- StoreError                 the machine: database locked, read-only, foreign, full (exit 5)
    |  `- StaleCommit             a race: the items a plan replaces no longer stand      (retry)
    |- IntegrityError             the data: a stored record contradicts itself           (exit 6)
    |- DoesNotFit                 the caller: the fixed parts exceed the window          (exit 7)
    `- ModelError                 the model: it raised, refused or timed out             (exit 8)

Driver exceptions are translated once, in the floor that meets them; nothing above sees `sqlite3` errors.
"""

from __future__ import annotations

import reprlib
from collections.abc import Sequence
from functools import partial
from typing import Literal

_BRIEF = reprlib.Repr()
_BRIEF.maxstring = _BRIEF.maxother = _BRIEF.maxlong = 80
_BRIEF.maxlevel = 3


def reason_of(error: OSError) -> str:
    """Return the system's own reason for a refusal."""
    return error.strerror or type(error).__name__


def brief(value: object) -> str:
    """Return a value shortened for an error message: it may be large or deeply nested."""
    try:
        return _BRIEF.repr(value)
    except ValueError:
        return "a number too large to be written"


class PalimpsestError(Exception):
    """Base of all errors. `kind` is a stable name, `hint` says what to do, `retryable` whether a retry can help."""

    kind: str = "internal"
    exit_code: int = 1
    retryable: bool = False

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} ({self.hint})" if self.hint else self.message


class UsageError(PalimpsestError):
    """An argument cannot be used as given."""

    kind = "usage"
    exit_code = 2


class FormatError(UsageError):
    """A message dict or a transcript has an unknown shape."""

    kind = "format"


class NotFound(PalimpsestError):
    """No such conversation, message or summary for this owner."""

    kind = "not_found"
    exit_code = 3


class SettingsError(PalimpsestError):
    """A setting is unknown, has the wrong type, or contradicts another one."""

    kind = "configuration"
    exit_code = 4


class StoreError(PalimpsestError):
    """The database cannot be opened, read or written."""

    kind = "store"
    exit_code = 5


class StaleCommit(StoreError):
    """The items that a plan replaces were changed meanwhile. Nothing was written; plan again on the current window."""

    kind = "stale"
    retryable = True


class IntegrityError(PalimpsestError):
    """Stored records contradict each other."""

    kind = "integrity"
    exit_code = 6


class DoesNotFit(PalimpsestError):
    """No request within the budget exists. `parts` lists (name, tokens) of what cannot be made smaller, largest
    first; an entry is below 0 if the provider counts less than was estimated.
    """

    kind = "does_not_fit"
    exit_code = 7

    def __init__(
        self, message: str, *, parts: Sequence[tuple[str, int]], capacity_tokens: int, hint: str = ""
    ) -> None:
        super().__init__(message, hint=hint)
        self.parts = tuple(sorted(parts, key=lambda part: -part[1]))
        self.capacity_tokens = capacity_tokens

    def __reduce__(self) -> tuple[object, ...]:
        """Support pickling, for process pools."""
        make = partial(type(self), parts=self.parts, capacity_tokens=self.capacity_tokens)
        return make, (self.message,), self.__dict__


FailureReason = Literal[
    "context_overflow", "timeout", "rate_limit", "quota", "auth", "not_found", "bad_request", "refused", "overloaded",
    "server", "connection", "unknown",
]  # fmt: skip
"""Why a model call failed, independent of the provider (`formats.failures` classifies errors)."""

RETRYABLE: frozenset[FailureReason] = frozenset(
    ("timeout", "rate_limit", "overloaded", "server", "connection")
)
"""Reasons that a repeated call may not meet again."""


class ModelError(PalimpsestError):
    """A completion failed: it raised, was refused, or timed out.

    `status` is the HTTP status, 0 without one; `retry_after_s` the wait that the provider asked for, or None.
    `limit_tokens` and `prompt_tokens` are the window and the prompt in an overflow's message.
    """

    kind = "model"
    exit_code = 8

    def __init__(
        self, message: str, *, hint: str = "", reason: FailureReason = "unknown", status: int = 0,
        retry_after_s: float | None = None, limit_tokens: int = 0, prompt_tokens: int = 0,
    ) -> None:  # fmt: skip
        super().__init__(message, hint=hint)
        self.reason: FailureReason = reason
        self.status = status
        self.retry_after_s = retry_after_s
        self.limit_tokens = limit_tokens
        self.prompt_tokens = prompt_tokens
        self.retryable = reason in RETRYABLE
