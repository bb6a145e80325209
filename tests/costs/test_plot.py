"""Pictures of bills: small, the same every time, and of any session."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from palimpsest.costs.bill import Bill
from palimpsest.costs.plot import MOST_POINTS, draw
from palimpsest.costs.report import make_bill
from palimpsest.errors import UsageError
from palimpsest.record.message import Usage
from tests.costs.test_report import asked, growing, must, reply

pytest.importorskip("matplotlib")


def compacted(model: str = "claude-sonnet-4-5") -> Bill:
    after = reply(30, Usage(14_000, 100, 5_000, 9_000), model=model)
    return must(make_bill("a", ((*growing(30, model=model), asked("and now"), after),)))


def test_a_session_is_drawn_as_svg_and_png_the_same_every_time() -> None:
    bill = compacted()
    once, again = draw([bill], "svg"), draw([bill], "svg")
    assert once == again
    text = once.decode()
    assert all(
        word in text for word in ("read from the cache", "written to the cache", "compacted", "economic")
    )
    assert len(once) < 200_000
    assert draw([bill], "png").startswith(b"\x89PNG")


def test_several_sessions_are_drawn_in_sum() -> None:
    text = draw([compacted(), must(make_bill("b", (growing(4),)))], "svg").decode()
    assert "2 sessions" in text
    assert "never compacting" in text


@pytest.mark.parametrize(
    "title", ["$x^2 and $ more", "渡輪時刻表 修正", "<b>&amp;</b>\n\x07" + "long " * 100, ""]
)
def test_a_title_is_drawn_as_it_stands(title: str) -> None:
    bill = must(make_bill("a", (growing(2),), title=title))
    assert draw([bill], "svg").startswith(b"<?xml")


@pytest.mark.parametrize("count", [1, 2, MOST_POINTS + 1])
def test_any_number_of_calls_can_be_drawn(count: int) -> None:
    assert len(draw([must(make_bill("a", (growing(count),), replayed=count < 3))], "svg")) < 250_000


def test_a_model_that_costs_no_money_is_drawn_in_units() -> None:
    assert "thousand units" in draw([compacted("ollama:qwen3")], "svg").decode()
    with pytest.raises(UsageError, match="nothing to compare"):
        draw([compacted("ollama:qwen3"), compacted("ollama:qwen3")], "svg")


@contextmanager
def not_installed(name: str) -> Iterator[None]:
    """A package cannot be imported."""
    hidden = sys.modules.pop(name, None)
    sys.modules[name] = None  # type: ignore[assignment]
    try:
        yield
    finally:
        del sys.modules[name]
        sys.modules.update({name: hidden} if hidden is not None else {})


def test_without_the_library_it_is_said_how_to_get_it() -> None:
    with not_installed("matplotlib"), pytest.raises(UsageError, match="needs matplotlib") as caught:
        draw([compacted()], "svg")
    assert "palimpsest[plot]" in caught.value.hint


def test_nothing_cannot_be_drawn() -> None:
    with pytest.raises(UsageError, match="no call"):
        draw([], "svg")
