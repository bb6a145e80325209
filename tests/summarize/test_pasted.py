"""What of a long message was typed, and which rules are taken from it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from palimpsest.record.message import Message, Text
from palimpsest.summarize.ledger.entries import Ledger
from palimpsest.summarize.ledger.reading import update
from palimpsest.summarize.pasted import TYPED_CHARS, is_prose, parted, spoken

LOG = "\n".join(
    f"08:1{n % 10}:07 tide.feed[{n}] row={n * 37} took=0.{n}s /var/log/tide_{n}.log" for n in range(60)
)
PAGE = " ".join(f"The pilot of boat {n} waits behind the mole until the tide has turned." for n in range(60))


def rules_in(text: str) -> list[str]:
    ledger = update(Ledger(), Message("user", (Text(text),)), 1)
    return [entry.text for entry in ledger.of("rule").values()]


def test_a_short_message_is_typed_whatever_it_holds() -> None:
    assert parted("Look:\n\nrow=1 took=0.2s") == ("Look:\n\nrow=1 took=0.2s", "")


def test_between_logs_a_paragraph_of_prose_is_typed() -> None:
    typed, pasted = parted(f"Why is it slow?\n\n{LOG}\n\nI'd rather you asked before a restart.\n\n{LOG}")
    assert typed == "Why is it slow?\n\nI'd rather you asked before a restart."
    assert pasted == f"{LOG}\n\n{LOG}"


def test_beside_a_page_only_a_short_paragraph_at_an_end_is_typed() -> None:
    text = f"Sum this up.\n\n{PAGE}\n\nEvery pilot has to wait.\n\n{PAGE}\n\nIn German, please."
    typed, pasted = parted(text)
    assert typed == "Sum this up.\n\nIn German, please."
    assert "Every pilot has to wait." in pasted


def test_lines_of_programs_are_no_prose() -> None:
    assert is_prose("The tide turns at noon, and nobody knows why.")
    assert not is_prose(LOG)
    assert not is_prose("def turn(tide): return tide\nimport harbour\nx = {1: 2}")


def test_a_rule_typed_beside_a_long_log_is_one() -> None:
    assert len(LOG) > TYPED_CHARS
    assert rules_in(f"Find the slow row. Keep the feed's order.\n\n{LOG}") == ["Keep the feed's order."]
    assert rules_in(f"{LOG}\n\nKeep the feed's order.\n\n{LOG}") == ["Keep the feed's order."]


def test_what_a_pasted_page_asks_for_is_no_rule_of_the_user() -> None:
    assert rules_in(f"Sum this up.\n\n{PAGE}\n\nKeep the lamp lit.\n\n{PAGE}") == []


@given(st.text(alphabet="a é_1=\n\t。", max_size=60), st.integers(1, 4_000))
def test_whatever_is_pasted_nothing_is_lost_or_said_twice(piece: str, times: int) -> None:
    text = (piece * times)[:20_000]
    typed, pasted = parted(text)
    assert sorted("".join((typed + pasted).split())) == sorted("".join(text.split()))


def test_a_long_message_of_blanks_holds_nothing() -> None:
    assert parted(" \n\n" * 1_000) == ("", "")
    assert rules_in(" \n\n" * 1_000) == []


def test_of_very_many_paragraphs_those_at_the_ends_are_looked_at() -> None:
    text = "\n\n".join([LOG] * 100 + ["Keep the feed's order."] + [LOG] * 3)
    assert parted(text)[0] == "Keep the feed's order."


SCREEN = "\n".join(
    line.ljust(60)
    for line in (
        "│ The berth of the pilot is named twice in     │",
        "  ⠙ Working (esc to leave)",
        "+ 9 - The lamp of the mole now burns until noon and",
        "the old one was taken down from its pole.",
    )
)


def remarks_in(text: str) -> list[str]:
    ledger = update(Ledger(), Message("user", (Text(text),)), 1)
    return [entry.text for entry in ledger.of("remark").values()]


def test_what_is_copied_off_a_screen_is_no_remark_of_the_user() -> None:
    assert remarks_in("Our pilot only speaks Danish.") == ["Our pilot only speaks Danish."]
    assert remarks_in(f"{SCREEN}\n\nOur pilot only speaks Danish.") == ["Our pilot only speaks Danish."]


def test_a_first_line_right_above_what_a_program_printed_is_the_users() -> None:
    text = "We share this harbour with the ferries.\n" + LOG[:600] + "\nberths in all (15)"
    assert remarks_in(text) == ["We share this harbour with the ferries."]


def test_a_few_lines_are_said_whatever_they_hold() -> None:
    assert list(spoken("pending is 282832\nred is #283228", "")) == [
        ("pending is 282832\nred is #283228", True)
    ]
    assert list(spoken(LOG, "")) == [(LOG, False)]


def test_beside_what_was_pasted_for_certain_remarks_stand_at_the_ends() -> None:
    inner = "The ferries lie in the northern basin."
    assert remarks_in(
        f"Why is it so slow?\n\n{LOG}\n\n{inner}\n\n{LOG}\n\nOur pilot only speaks Danish."
    ) == ["Our pilot only speaks Danish."]


@given(st.text(alphabet="a é_1=\n\t。─", max_size=400), st.sampled_from(["", "x"]))
def test_nothing_that_was_typed_is_lost_by_asking_who_speaks(typed: str, pasted: str) -> None:
    said = "".join(text for text, _ in spoken(typed, pasted))
    assert "".join(said.split()) == "".join(typed.split())


def prose(chars: int) -> str:
    return ("The pilot waits behind the mole until the tide has turned. " * 40)[: chars - 1] + "."


def test_a_long_paragraph_is_pasted_however_it_reads() -> None:
    for size, typed in ((800, True), (801, False)):
        assert (parted(f"{LOG}\n\n{prose(size)}\n\n{LOG}")[0] != "") is typed
    for size, typed in ((400, True), (401, False)):
        assert (parted(f"{prose(size)}\n\n{PAGE}")[0] != "") is typed


def test_half_of_what_is_no_prose_makes_a_message_one_around_what_programs_print() -> None:
    asked, letter = "Keep the feed's order.", prose(1_700)
    half = LOG[: len(letter) + len(asked)]
    assert parted(f"{letter}\n\n{asked}\n\n{half}")[0] == asked
    assert parted(f"{letter}\n\n{asked}\n\n{half[:-400]}")[0] == ""


BRIEF = [
    f"The board shows pier {n}, and the office reads it in the morning. {said} The crew of boat {n} looks at it "
    "too, and the harbour master prints it for the wall of the waiting room, where the passengers stand."
    for n, said in enumerate(
        (
            "Round every fare up.",
            "Nobody repaints the old boats.",
            "Never mail a skipper at night.",
            "Dogs sleep.",
        )
        * 3
    )
]


def test_a_long_brief_in_paragraphs_is_typed_as_a_whole() -> None:
    text = "\n\n".join(("We build a board for the ferries.", *BRIEF, "Begin with the piers."))
    assert len(text) > TYPED_CHARS
    assert parted(text) == (text, "")
    assert rules_in(text) == ["Never mail a skipper at night."]
    told = remarks_in(text)
    assert "Nobody repaints the old boats." in told
    assert "Dogs sleep." not in told


def test_what_is_announced_or_asked_about_or_too_long_to_be_typed_is_no_brief() -> None:
    for first, last in (
        ("Sum up this page.", "In German, please."),
        ("Here is what I found:", "In German, please."),
        ("We build a board.", "What is wrong with it?"),
        ("Übersetze den folgenden Text.", "Auf Deutsch, bitte."),
    ):
        assert parted("\n\n".join((first, *BRIEF, last)))[0] == f"{first}\n\n{last}"
    assert parted("\n\n".join(("We build a board.", *BRIEF, " ".join(BRIEF[:4]))))[1] != ""
