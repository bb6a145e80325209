"""What nobody should send is read, or refused in words; the long form is `bench/trust/parsers`."""

from __future__ import annotations

from functools import partial
from random import Random

import pytest

from bench.trust import specimens
from bench.trust.drawing import damage, dumps, json_copy, nested
from bench.trust.parsers import MAY_RAISE, parse_trial, read_transcript
from bench.trust.running import run
from palimpsest.formats.transcripts import Source, detect


@pytest.mark.parametrize("name", MAY_RAISE)
def test_a_hundred_broken_inputs_raise_nothing_but_the_documented_errors(name: str) -> None:
    found = run(partial(parse_trial, only=name), 0, 100)
    assert found.faults == []
    assert found.counts["inputs"] >= 99


@pytest.mark.parametrize("name", specimens.TRANSCRIPTS)
def test_every_specimen_of_a_transcript_is_known_for_what_it_is(name: str) -> None:
    assert detect(Source("session.jsonl", specimens.lines(name))) == name
    assert read_transcript("session.jsonl", specimens.lines(name)) is None


def test_damage_nests_no_value_in_itself() -> None:
    for seed in range(50):
        damaged = damage(Random(seed), json_copy(list(specimens.DICTS)))
        assert dumps(json_copy(damaged))


def test_a_value_too_deep_to_write_has_no_json() -> None:
    assert dumps(nested(100_000)) == ""
