"""Histories as they go wrong make requests that every provider takes; the long form is `bench/trust/rendering`."""

from __future__ import annotations

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from bench.trust.rendering import render_trial, rendered
from bench.trust.running import Found, run
from tests.effort import examples


def test_hundreds_of_random_histories_break_no_rule_of_any_provider() -> None:
    found = run(render_trial, 0, 800)
    assert found.faults == []
    assert found.counts["requests"] >= 2_350


def test_what_the_long_form_once_found_stays_mended() -> None:
    """A document of a client's own dict whose data is no base64, for Anthropic."""
    assert render_trial(496_980).faults == []


@examples(40)
@given(st.randoms(use_true_random=False))
def test_a_history_that_breaks_a_rule_would_be_shown_at_its_smallest(draw: Random) -> None:
    found = Found()
    rendered(draw, found, thorough=True)
    assert found.faults == []
