"""The error tree: who erred, which exit code, what is worth trying again."""

from __future__ import annotations

import copy
import inspect
import pickle

import pytest

import palimpsest
from palimpsest import errors
from palimpsest.errors import DoesNotFit, ModelError, PalimpsestError, StaleCommit, StoreError, UsageError

TREE = [one for _, one in inspect.getmembers(errors, inspect.isclass) if issubclass(one, PalimpsestError)]
EXIT_CODES = {
    "internal": 1, "usage": 2, "format": 2, "not_found": 3, "configuration": 4, "store": 5, "stale": 5, "integrity": 6,
    "does_not_fit": 7, "model": 8,
}  # fmt: skip


def test_every_error_has_the_settled_kind_and_exit_code() -> None:
    assert {one.kind: one.exit_code for one in TREE} == EXIT_CODES
    assert len(TREE) == len(EXIT_CODES)


@pytest.mark.parametrize("error", TREE)
def test_every_error_stands_in_the_drawn_tree_and_can_be_imported(error: type[PalimpsestError]) -> None:
    assert errors.__doc__ is not None
    assert error.__name__ in errors.__doc__
    assert getattr(palimpsest, error.__name__) is error


def test_an_error_says_what_happened_and_what_to_do() -> None:
    assert str(UsageError("the limit is 0", hint="give 1 or more")) == "the limit is 0 (give 1 or more)"
    assert str(UsageError("the limit is 0")) == "the limit is 0"


@pytest.mark.parametrize(
    "error",
    [
        StoreError("it is locked", hint="wait"),
        ModelError("too slow", hint="wait", reason="timeout", status=504, retry_after_s=2.0),
        DoesNotFit("no", parts=[("memory", 3), ("tools", 9)], capacity_tokens=5, hint="more room"),
    ],
)
def test_an_error_comes_whole_out_of_another_process(error: PalimpsestError) -> None:
    for again in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert type(again) is type(error)
        assert (str(again), vars(again)) == (str(error), vars(error))


def test_what_does_not_fit_is_listed_largest_first() -> None:
    error = DoesNotFit("no", parts=[("memory", 3), ("tools", 9)], capacity_tokens=5, hint="more room")
    assert error.parts == (("tools", 9), ("memory", 3))
    assert (error.capacity_tokens, str(error)) == (5, "no (more room)")


def test_races_are_worth_another_try_and_so_are_models_that_may_recover() -> None:
    assert {one for one in TREE if one.retryable} == {StaleCommit}
    assert ModelError("slow down", reason="rate_limit").retryable
    assert not ModelError("wrong key", reason="auth").retryable
    assert issubclass(StaleCommit, StoreError)
