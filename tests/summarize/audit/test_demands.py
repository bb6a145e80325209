"""What a reply has the user want: rules from nowhere and rules turned round go, what the user said stays."""

from __future__ import annotations

from dataclasses import replace

import pytest

from palimpsest.summarize.audit.audit import audit
from palimpsest.summarize.audit.people.demands import unfounded
from palimpsest.summarize.forms import FORMS
from palimpsest.summarize.sentences import terms
from tests.summarize.audit.stories import GOOD, REQUEST, STORY, asked, grounds
from tests.summarize.dialogues import assistant, condense, leaf, user


@pytest.mark.parametrize(
    "line",
    [
        "- The user now wants the database schema touched",
        "- Sail galleons beyond Tortuga",
        "- committed as deadbee, ready to ship",
        "- see build 3f2a9c…",
    ],
)
def test_what_the_user_never_asked_for_and_hashes_from_nowhere_are_taken_out(line: str) -> None:
    bad = GOOD.replace("## Progress", f"{line}\n## Progress")
    draft, requests = asked([bad, bad])
    assert "<findings>" in requests[1]
    assert draft.text == GOOD


def test_a_rule_that_the_user_took_back_may_be_said_without_its_no() -> None:
    source = replace(
        STORY,
        entries=(*STORY.entries[:-1], *leaf([user("You may touch the database schema after all.")]).entries),
    )
    good = GOOD.replace("never touch the database schema", "may touch the database schema after all")
    draft, requests = asked(
        [good.replace(REQUEST, "You may touch the database schema after all.")], grounds(source)
    )
    assert "may touch the database schema after all" in draft.text
    assert len(requests) == 1


def test_a_heading_of_another_form_goes_with_all_that_stood_under_it() -> None:
    bad = GOOD.replace("## Files", "## Hosts\n- tide.example.com\n## Files")
    draft, _ = asked([bad, bad])
    assert draft.text == GOOD


SAID = leaf(
    [
        user("Move the ferry service to Kestrel. Do not delete migrations."),
        assistant("I delete the old queue and push to main."),
    ]
)
WORDS = frozenset(term for entry in SAID.entries for term in terms(entry.message.text))  # pyright: ignore[reportAttributeAccessIssue]


@pytest.mark.parametrize(
    "line, founded",
    [
        ("- The user wants the ferry service moved to Kestrel.", True),
        ("- The user: do not delete migrations", True),
        ("- The user wants everything on main pushed and the old queue deleted", False),
        ("- Delete migrations as the user wants.", False),
        ("- brief", True),
    ],
)
@pytest.mark.parametrize("form", FORMS)
def test_a_rule_needs_words_of_the_users_in_every_form(form: str, line: str, founded: bool) -> None:
    heading = (
        "Goal" if form == "page" else "Constraints & preferences" if form == "sections" else "Constraints"
    )
    shape = FORMS[form]  # type: ignore[index]
    rules = ("Do not delete migrations.",)
    found = unfounded(f"## {heading}\n{line}\n## Progress\n{line}", shape, SAID, WORDS, rules)
    assert found == ([] if founded or (form == "page" and "main" in line) else [line])


def test_what_the_user_said_at_great_length_may_be_said_in_any_words_of_the_source() -> None:
    long = leaf([user("Move the ferry. " * 5_000), assistant("Boards are in tenths.")])
    words = frozenset(terms("Move the ferry. Boards are in tenths."))
    assert unfounded("## Constraints\n- boards in tenths", FORMS["sections"], long, words, ()) == []


def test_a_rule_that_a_summary_says_was_taken_back_is_not_brought_back() -> None:
    source = condense(
        "## Constraints\n- Do not delete migrations.", "## Constraints\n- Delete migrations, after all."
    )
    words = frozenset(terms("Do not delete migrations, after all."))
    rules = ("Do not delete migrations.",)
    assert unfounded("## Constraints\n- delete migrations", FORMS["sections"], source, words, rules) == []


LIMITS = (
    "Lines have at most 100 columns.",
    "Retry a call at most 3 times.",
    "Answers within 200 ms.",
    "Never use more than 4 workers.",
    "每行不超过100个字符。",
)


def is_founded(line: str, *more: str) -> bool:
    """Whether a line is founded on rules with numbers, and on what else the user said."""
    source = leaf([*(user(said) for said in (*LIMITS, *more)), assistant("Noted.")])
    words = frozenset(term for said in (*LIMITS, *more) for term in terms(said))
    return not unfounded(f"## Constraints\n- {line}", FORMS["sections"], source, words, LIMITS)


@pytest.mark.parametrize(
    "line",
    [
        "At most 80 columns in a line",
        "Retry at most 5 times",
        "Answers within 300 ms",
        "Never more than 8 workers",
        "每行不超过80个字符",
    ],
)
def test_a_rule_with_a_number_that_nobody_said_is_unfounded(line: str) -> None:
    assert not is_founded(line)
    assert is_founded(line, "Sorry, I mean 80, 5, 300 and 8.")


@pytest.mark.parametrize(
    "line",
    [
        "Lines of at most 100 columns",
        "Fewer than 5 workers",
        "Use 4 workers at most",
        "Answers within 0.2 s",
        "At most 3 retries of a call, 4 workers",
        "每行最多100个字符",
    ],
)
def test_a_rule_with_its_number_in_other_words_is_founded(line: str) -> None:
    assert is_founded(line)


def test_a_number_that_was_said_in_words_is_founded() -> None:
    assert is_founded("Retry a call at most 5 times", "Make that five.")


def test_a_rule_in_the_summarys_own_words_is_not_taken_back_by_itself() -> None:
    rule = "Use the median of each berth instead of sums from now on."
    source = leaf([user(rule), assistant("Noted.")])
    shape = FORMS["sections"]
    words = frozenset(terms(rule))
    assert (
        unfounded("## Constraints\n- The median of each berth, not sums", shape, source, words, [rule]) == []
    )
    assert unfounded("## Constraints\n- Sums of each berth, not the median", shape, source, words, [rule])


@pytest.mark.parametrize(
    "answer, line, founded",
    [
        ("Not now.", "the vite server must not be raised for now", True),
        ("Not now.", "the vite server shall be raised", False),
        ("Yes.", "the vite server shall be raised", True),
    ],
)
def test_what_the_user_answers_is_founded_on_the_question(answer: str, line: str, founded: bool) -> None:
    story = [user("Build the quay."), assistant("Built. Should I raise the vite server?"), user(answer)]
    words = frozenset(term for one in story for term in terms(one.text))
    found = unfounded(f"## Constraints\n- {line}", FORMS["sections"], leaf(story), words, ())
    assert (not found) is founded


TURNED = {
    "one of two rules in a sentence": (
        "Starte auf keinen Fall die Schleuse neu und schreib mir vor jeder Änderung am Tor.",
        "Die Schleuse darf neu gestartet werden",
        "Die Schleuse darf auf keinen Fall neu gestartet werden",
    ),
    "german": (
        "Plane die Woche. Keine Termine am Sonntag.",
        "Termine am Sonntag sind erlaubt",
        "Termine am Sonntag sind nicht erlaubt",
    ),
    "a no in two words": (
        "Compare les quais. Cite toujours l'année.",
        "Ne jamais citer l'année",
        "Toujours citer l'année",
    ),
    "spanish": (
        "Planea el viaje. Nada de barcos nocturnos.",
        "Los barcos nocturnos están permitidos",
        "Sin barcos nocturnos",
    ),
    "a condition": (
        "Play with us. Never roll my dice for me, and no player dies without a warning.",
        "Sail galleons beyond Tortuga",
        "A player dies only after a warning",
    ),
    "what is liked better": (
        "Never call me at home, only email.",
        "Sail galleons beyond Tortuga",
        "The customer prefers email over a call at home",
    ),
    "in other words": (
        "Schreib mir vor jeder Änderung am Tor.",
        "Das Wetter am Kap wird täglich abgefragt",
        "Änderungen am Tor sind erst nach Rücksprache erlaubt",
    ),
}


@pytest.mark.parametrize("asked, turned, kept", TURNED.values(), ids=TURNED.keys())
def test_a_rule_is_not_turned_round_in_any_language(asked: str, turned: str, kept: str) -> None:
    held = grounds(leaf([user(asked), assistant("Noted."), user("Go on.")]))
    assert audit(f"## Constraints & preferences\n- {turned}", held, whole=False)
    assert not audit(f"## Constraints & preferences\n- {kept}", held, whole=False)


def test_what_a_ban_goes_on_with_is_no_demand() -> None:
    held = grounds(leaf([user("Never add new files, long names."), assistant("Noted."), user("Go on.")]))
    assert not audit("## Constraints & preferences\n- Don't add long names", held, whole=False)


def test_what_was_asked_for_with_words_of_a_ban_is_asked_for() -> None:
    said = (
        "Tengo la reserva KT-52 en el Hotel Faro y necesito cambiar las fechas. No quiero cambiar de hotel."
    )
    source = leaf([user(said), assistant("Miro la reserva.")])
    words, rules = frozenset(terms(said)), ("No quiero cambiar de hotel.",)
    goal = "- La clienta quiere cambiar las fechas de la reserva KT-52 en el Hotel Faro"
    assert unfounded(f"## Goal\n{goal}", FORMS["sections"], source, words, rules) == []
    other = "- La clienta quiere cambiar de hotel"
    assert unfounded(f"## Goal\n{other}", FORMS["sections"], leaf([user(rules[0])]), words, rules) == [other]
