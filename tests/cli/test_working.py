"""What a person sees while something goes on whose end nobody knows."""

from __future__ import annotations

import pytest

from palimpsest.cli.output import Output
from tests.cli.surroundings import variables


def test_it_says_what_is_done_and_is_gone_when_done(capsys: pytest.CaptureFixture[str]) -> None:
    with variables(FORCE_COLOR="1", NO_COLOR="1"), Output("forget", as_json=False).working("forgetting"):
        pass
    said = capsys.readouterr().err
    assert "forgetting 0:00:00" in said
    assert said.endswith("\x1b[2K")


@pytest.mark.parametrize("forced, as_json", [("", False), ("1", True)])
def test_nothing_is_shown_to_a_pipe_or_beside_json(
    capsys: pytest.CaptureFixture[str], forced: str, *, as_json: bool
) -> None:
    with variables(FORCE_COLOR=forced), Output("forget", as_json=as_json).working("forgetting"):
        pass
    assert capsys.readouterr().err == ""
