"""Here-documents are taken out of commands, in time that grows with the command."""

from __future__ import annotations

import time

import pytest

from palimpsest.summarize.heredocs import without_bodies


@pytest.mark.parametrize(
    "command, plain",
    [
        ("cat > tide.txt <<EOF\nhigh\nlow\nEOF\nmake", "cat > tide.txt \nmake"),
        ("cat <<'END' | wc -l\nhigh\n  END \nls -l", "cat  | wc -l\nls -l"),
        ("cat <<-A\nA\nnext", "cat \nnext"),
        ("cat <<A\nA\nhigh\nA\nnext", "cat \nnext"),
        ("cat <<A\nhigh\nnext", "cat <<A\nhigh\nnext"),
        ("cat <<A\none\nA\ncat <<B\ntwo\nB\nmake", "cat \ncat \nmake"),
        ("cat <<'A\nhigh\nA\n", "cat <<'A\nhigh\nA\n"),
        ("shift 3 << 2", "shift 3 << 2"),
        ("edit 1:9\nprint(tide)\nend_of_edit", "edit 1:9"),
        ("edit 1:9\nprint(tide)", "edit 1:9\nprint(tide)"),
    ],
)
def test_a_document_goes_from_its_word_to_the_line_that_holds_it(command: str, plain: str) -> None:
    assert without_bodies(command) == plain


@pytest.mark.parametrize("end", ["", "\nA"])
@pytest.mark.parametrize("numbered", [False, True])
def test_a_command_of_nothing_but_beginnings_costs_its_length(end: str, *, numbered: bool) -> None:
    command = "".join(f"<<A{number if numbered else ''}\n" for number in range(50_000)) + end
    began_s = time.process_time()
    without_bodies(command)
    assert time.process_time() - began_s < 5
