"""Letters, tables, titles and code are known by how they are laid out; prose, lists and sections are none of them."""

from __future__ import annotations

import pytest

from palimpsest.summarize.alike import Known
from palimpsest.summarize.audit.reply.works import drafts, laid_out, without_lines
from palimpsest.summarize.sentences import terms

SOURCE = (
    "The ferry sails at noon. Paint the boat shed green, and ask Ilka for the key. The shed is open on Sunday. "
    "$ make shed\ncut the boards --length 40"
)
WORDS = frozenset(terms(SOURCE))
ASKED = "Write the notice about the boat shed."


@pytest.mark.parametrize(
    "text",
    [
        "Dear members,\nthe shed is open on Sunday.",
        "Drodzy członkowie,\n\nszopa jest otwarta w niedzielę.",
        "Beste leden!\nDe loods is zondag open.",
        "About the shed\nHei kaikki,\nvaja on auki sunnuntaina.",
        "各位同事，\n周日开门。",
        "To all of you:\n\nThe shed is open on Sunday.\n\nWarm regards",
        "The shed is open on Sunday.\n\nWarm regards\nIlka",
        "| day | shed |\n|---|---|\n| Sunday | open |",
        "Boat shed\n\nIt is open on Sunday.",
        "**Notice: boat shed**\nOpen on Sunday",
        "SELECT day\nFROM sheds\nWHERE open = 1;",
        '{\n  "shed": "green"\n}',
        "def paint(shed):\n    shed.colour = 'green'",
    ],
)
def test_a_piece_of_work_is_known_by_its_layout(text: str) -> None:
    assert laid_out(text, ASKED, WORDS)


@pytest.mark.parametrize(
    "text",
    [
        "The shed was painted green.\nIlka has the key.",
        "The shed was painted green.\n\nIlka has the key, which is still to be asked for.",
        "- shed: green\n- key: with Ilka",
        "Painted so far:\n- the shed\n- the boat",
        "1. The shed was painted.\n2. The key is with Ilka.",
        "The shed was painted green, since the user wanted it so, and the key is with Ilka,\nwho has it on Sunday.",
        "The shed was painted green.\n\nKey: Ilka",
        "The shed was painted green.\n\nFerry at noon",
        "The user wants a notice about the boat shed\nand has painted it.",
        "Shed painted; key with Ilka.",
        "User request: the notice about the boat shed\nPainted: green",
    ],
)
def test_prose_and_lists_are_no_piece_of_work(text: str) -> None:
    assert not laid_out(text, ASKED, WORDS)


def left(section: str) -> str:
    """What stays of a section under a heading without drafts in it."""
    text = f"## Progress\n- The shed is green.\n{section}"
    gone = tuple(drafts(text, SOURCE, Known(WORDS)))
    return "\n".join(without_lines(text, gone).split("\n")[2:])


@pytest.mark.parametrize(
    "section, kept",
    [
        ("Dear members,\nthe shed is green.\nIlka\n- Ilka has the key.", "- Ilka has the key."),
        ("The new notice\nCari soci,\nil capanno è verde.\n- Ilka has the key.", "- Ilka has the key."),
        ("```python\nshed_colour = 'green'\n```\n- Ilka has the key.", "- Ilka has the key."),
        ("```\n$ make shed\n```\n- Ilka has the key.", "```\n$ make shed\n```\n- Ilka has the key."),
        ("- Asked for, and still open:\n- the key", "- Asked for, and still open:\n- the key"),
    ],
)
def test_a_draft_under_a_heading_goes_and_what_stands_beside_it_stays(section: str, kept: str) -> None:
    assert left(section) == kept
