"""What a person sees while something goes on whose end nobody knows."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from palimpsest.cli.output import Output


def _output(*, terminal: bool, as_json: bool = False) -> tuple[Output, io.StringIO]:
    said = io.StringIO()
    err = Console(file=said, force_terminal=terminal, width=60, color_system=None)
    return Output("forget", as_json, Console(file=io.StringIO()), err), said


def test_it_says_what_is_done_and_is_gone_when_done() -> None:
    output, said = _output(terminal=True)
    with output.working("forgetting"):
        pass
    assert "forgetting 0:00:00" in said.getvalue()
    assert said.getvalue().endswith("\x1b[2K")


@pytest.mark.parametrize("terminal, as_json", [(False, False), (True, True)])
def test_nothing_is_shown_to_a_pipe_or_beside_json(*, terminal: bool, as_json: bool) -> None:
    output, said = _output(terminal=terminal, as_json=as_json)
    with output.working("forgetting"):
        pass
    assert said.getvalue() == ""
