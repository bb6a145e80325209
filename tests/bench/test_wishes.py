"""The benchmark of the user's own words draws the sessions that it says, and counts what a window holds of them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from palimpsest.budget.token_estimator import count_text

BENCH = Path(__file__).parents[2] / "bench"
sys.path.insert(0, str(BENCH))

import wishes  # noqa: E402
import wishes_data  # noqa: E402
from wishes_data import KINDS, LANGUAGES, LONG_TOKENS, SHORT_TOKENS, USER_TOKENS  # noqa: E402


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_user_says_as_much_as_is_promised_and_nothing_twice(language: str) -> None:
    for kind in KINDS:
        made = wishes_data.wishes(language, kind)
        short = [one.tokens for one in made if one.tokens <= SHORT_TOKENS]
        long = [one.tokens for one in made if one.tokens > SHORT_TOKENS]
        assert 0.98 * USER_TOKENS < sum(short) <= USER_TOKENS
        assert 30 < len(short) < 60
        assert long == pytest.approx(LONG_TOKENS, abs=50)
        sentences = [sentence for one in made for sentence in one.sentences]
        assert len(set(sentences)) == len(sentences)
        assert made == wishes_data.wishes(language, kind)


def test_nobody_but_the_user_says_what_the_user_says() -> None:
    said = wishes_data.wishes("de", "chat", 600)
    talk = wishes_data.talk("de", "chat", said, chunks=3, chunk_tokens=1_500)
    messages = [one for chunk in (*talk.chunks, *talk.spare) for one in chunk]
    assert [one.text for one in messages if one.role == "user"] == [one.text for one in said]
    others = "\n".join(one.text for one in messages if one.role == "assistant")
    others += "\n".join(result.text for one in messages for result in one.results)
    others += "\n".join(wishes_data.templates("de")["summary"])
    assert count_text(others) > 4_000
    assert [one for wish in said for one in wish.sentences if one in others] == []


def test_a_window_is_scored_by_what_it_holds() -> None:
    made = wishes_data.wishes("en", "coding", 400, long=(900,))
    ids = [f"m{number}" for number in range(len(made))]
    long = next(place for place, one in enumerate(made) if one.tokens > SHORT_TOKENS)
    short = [one for place, one in enumerate(made) if place != long]
    everything = wishes.flat("\n".join(one.text for one in made) + f" m{long}")
    whole = dict.fromkeys(("whole", "sentences", "head", "tail", "id"), 100.0)
    assert wishes.score(made, ids, everything) == whole
    head, tail = wishes.ends(made[long])
    assert 150 < count_text(" ".join(head)) <= 215
    assert 50 < count_text(" ".join(tail)) <= 95
    lost = (
        everything.replace(short[0].sentences[-1], "").replace(tail[0], "").replace(f"m{long}", f"m{long}0")
    )
    sentences = sum(len(one.sentences) for one in short)
    assert wishes.score(made, ids, lost) == pytest.approx(
        {
            "whole": 100 * (1 - 1 / len(short)),
            "sentences": 100 * (1 - 1 / sentences),
            "head": 100.0,
            "tail": 0.0,
            "id": 0.0,
        }
    )


def test_a_small_run_makes_a_row_without_and_with_a_model() -> None:
    command = [sys.executable, str(BENCH / "wishes.py"), "--presets", "default", "--languages", "ko"]
    command += ["--kinds", "customer", "--compactions", "2", "--user", "300", "--chunk", "5000", "--json"]
    record = json.loads(subprocess.run(command, capture_output=True, check=True, text=True).stdout)
    without, with_model = record["rows"]
    assert (without["with_model"], with_model["with_model"]) == (False, True)
    assert (without["made"], with_model["made"]) == (2, 2)
    assert without["model"] == 0.0 < with_model["model"]
    assert {row["language"] for row in record["rows"]} == {"ko"}
    assert all(0 < row["sentences"] <= 100 for row in record["rows"])
    assert all(500 < row["tokens"] < wishes.WINDOW_TOKENS for row in record["rows"])
