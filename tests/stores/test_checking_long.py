"""Examining a database: sound whatever was done to it, and every damage is found and named."""

from __future__ import annotations

from hypothesis import settings
from hypothesis.stateful import invariant, run_state_machine_as_test

from palimpsest.stores.sqlite import SqliteStore
from tests.contract.test_model import Stores


class Examined(Stores):
    """The stores' state machine, with an examination after every step."""

    @invariant()
    def nothing_is_found(self) -> None:
        """Whatever the store did itself is sound."""
        assert isinstance(self.store, SqliteStore)
        assert self.runner.run(self.store.check(None)).faults == ()


def test_whatever_a_store_does_leaves_nothing_to_complain_of() -> None:
    run_state_machine_as_test(Examined, settings=settings(max_examples=250, stateful_step_count=30))
