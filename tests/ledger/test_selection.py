"""In which order a ledger's entries are said, and what the lines they stand in cost."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.budget.token_estimator import count_text
from palimpsest.ledger.entries import Entry
from palimpsest.ledger.render import render
from palimpsest.ledger.selection import Costed, choose, ordered
from tests.ledger.noting import noted
from tests.summarize.dialogues import assistant, call

ENTRIES = st.builds(
    lambda kind, label, text, worth, cost: Costed(Entry(kind, text, label), worth / 100, cost),
    st.sampled_from(["name", "value", "file", "command"]),
    st.sampled_from(["date", "berth", "pilot's licence"]),
    st.text("abc/", min_size=1, max_size=6),
    st.integers(1, 90),
    st.integers(1, 9),
)


def words(text: str) -> int:
    """A count of tokens that is easily reckoned."""
    return len(text.split())


def test_a_line_is_begun_once_and_only_where_it_has_room() -> None:
    berths = [Costed(Entry("value", f"B{n}", "berth"), 0.5, 1) for n in range(4)]
    chosen = choose(ordered(berths), 6, {}, words)
    assert [entry.text for entry in chosen.entries] == ["B0", "B1", "B2"]
    assert chosen.spent_tokens == 6
    assert choose(berths, 3, {}, words).entries == []


@given(st.lists(ENTRIES, max_size=20))
def test_every_candidate_is_ordered_once_and_of_a_line_the_worthiest_first(found: list[Costed]) -> None:
    in_order = ordered(found)
    assert sorted(map(id, in_order)) == sorted(map(id, found))
    for line in {(one.entry.kind, one.entry.label) for one in found if one.entry.kind in ("name", "value")}:
        rates = [one.worth / one.cost_tokens for one in in_order if (one.entry.kind, one.entry.label) == line]
        assert rates == sorted(rates, reverse=True)


@pytest.mark.parametrize("budget_tokens, least", [(500, 100), (1_500, 400), (4_000, 700)])
def test_as_many_files_are_told_as_there_is_room_for(budget_tokens: int, least: int) -> None:
    reads = [
        assistant("", call(str(at), "Read", file_path=f"/srv/quay/src/pkg{at % 30}/file{at}.py"))
        for at in range(700)
    ]
    text = render(noted(reads), budget_tokens)
    assert text.count(".py") >= least
    assert count_text(text) <= budget_tokens
