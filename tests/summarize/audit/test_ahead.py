"""What answers the newest request is no summary: whole replies without headings, and what stands under a heading."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.summarize.audit.audit import audit
from palimpsest.summarize.audit.repair import repair
from palimpsest.summarize.sentences import sentences
from tests.summarize.audit.answered import CANTINA, CHOIR, HAUS, SHOP, STORIES, Story
from tests.summarize.audit.stories import grounds
from tests.summarize.dialogues import leaf, quarter, user


def headed(lines: tuple[str, ...]) -> str:
    """Lines "heading: text" as sections; what has several lines stands there as it is."""
    parts = (line.partition(": ") for line in lines)
    return "\n".join(
        f"## {heading}\n{said if chr(10) in said else f'- {said}'}" for heading, _, said in parts
    )


def put_right(story: Story, request: str, lines: tuple[str, ...]) -> str:
    """A summary of these lines after the audit."""
    held = grounds(leaf([*story.messages, user(request)]))
    text = headed(lines)
    return repair(text, audit(text, held), held, target_tokens=900, limit_tokens=1_800, count=quarter)[0]


@pytest.mark.parametrize("story", STORIES)
def test_a_whole_reply_that_answers_is_no_summary(story: Story) -> None:
    taken = [
        reply
        for request, reply in story.replies
        if not audit(reply, grounds(leaf([*story.messages, user(request)]))).unusable
    ]
    assert taken == []


@pytest.mark.parametrize("story", STORIES)
def test_free_prose_that_tells_of_the_conversation_is_taken(story: Story) -> None:
    refused = [
        (said, request)
        for said in story.free
        for request in dict(story.replies)
        if audit(said, grounds(leaf([*story.messages, user(request)]))).unusable
    ]
    assert refused == []


@pytest.mark.parametrize("story", STORIES)
def test_an_answer_under_a_heading_goes(story: Story) -> None:
    left = [
        line
        for request, line in story.lines
        for own in [line.partition(": ")[2].removeprefix(request).strip()]
        if own.splitlines()[-2:][0] in put_right(story, request, (*story.right, line))
    ]
    assert left == []


@pytest.mark.parametrize("story", STORIES)
def test_a_right_summary_stays_whatever_is_asked_last(story: Story) -> None:
    lost = [
        (line, request)
        for request in dict((*story.replies, *story.lines))
        for text in [put_right(story, request, story.right)]
        for line in story.right
        if line.partition(": ")[2] not in text
    ]
    assert lost == []


@pytest.mark.parametrize(
    "story, request_, line",
    [
        (
            CHOIR,
            "Use the big poster format from now on, and write the invitation.",
            "Decisions: The big poster format is used from now on.",
        ),
        (
            CHOIR,
            "We agreed with the mayor on free parking. Write the invitation.",
            "Decisions: Free parking was agreed with the mayor.",
        ),
        (
            CHOIR,
            "I phoned Novak, he comes on Tuesday. Write the invitation.",
            "Progress: Novak comes on Tuesday.",
        ),
        (
            CHOIR,
            "The printer is broken. What can we do instead?",
            "Errors and rejected approaches: The printer is broken.",
        ),
        (
            CHOIR,
            "Let's drop the madrigals, the altos are ill. Who could sing instead?",
            "Decisions: Madrigals are dropped, as the altos are ill.",
        ),
        (CHOIR, "Never print surnames. Now write the poster.", "Decisions: Surnames are never printed."),
        (
            CHOIR,
            "Mail me at desk 7714, the old address is dead. And write the invitation.",
            "Critical identifiers: Mail goes to desk 7714.",
        ),
        (
            CHOIR,
            "No flowers this time, they wilted last year. Write the invitation.",
            "Decisions: No flowers, they wilted last year.",
        ),
        (
            HAUS,
            "Frau Adler ist verreist, den Schlüssel hat jetzt ihr Bruder. Schreib den Aushang.",
            "Critical identifiers: Den Schlüssel hat jetzt der Bruder von Frau Adler.",
        ),
        (
            HAUS,
            "Ich habe mit Quint telefoniert, sie bringen Planen mit. Schreib den Aushang.",
            "Progress: Quint bringt Planen mit.",
        ),
        (HAUS, "Wir nehmen doch Weiß statt Hellgrau. Schreib das Quint.", "Decisions: Weiß statt Hellgrau."),
        (HAUS, "Das Gerüst steht schon. Was kostet die Miete dafür?", "Progress: Das Gerüst steht schon."),
        (
            HAUS,
            "Keine Lösemittel, bitte, wegen der Katzen. Frag Quint danach.",
            "Decisions: Keine Lösemittel, wegen der Katzen.",
        ),
        (
            CANTINA,
            "I pompieri sono passati e hanno misurato la sala. Scrivi l'invito.",
            "Progress: I pompieri hanno misurato la sala.",
        ),
        (
            CANTINA,
            "Ho parlato con Lucia, le bastano otto bottiglie. Fai i conti.",
            "Decisions: A Lucia bastano otto bottiglie.",
        ),
        (
            CANTINA,
            "Niente musica dopo le undici. Scrivi l'invito per i soci.",
            "Decisions: Niente musica dopo le undici.",
        ),
        (
            SHOP,
            "老周已经定好价了，画册每本三十元。给志愿者写通知。",
            "Decisions: 画册每本三十元，老周定的价。",
        ),
        (SHOP, "雨棚已经借到了。给志愿者写一封通知。", "Progress: 雨棚已经借到。"),
        (
            CHOIR,
            "Done on my side: chairs counted, 138 are fine. Write the invitation.",
            "Progress: Chairs counted, 138 are fine.",
        ),
    ],
)
def test_what_the_user_tells_or_rules_beside_the_request_may_be_told(
    story: Story, request_: str, line: str
) -> None:
    found = audit(headed((*story.right, line)), grounds(leaf([*story.messages, user(request_)])))
    assert found.answers == ()


@given(st.sampled_from(STORIES), st.data())
def test_what_was_said_before_the_request_is_no_answer_to_it(story: Story, data: st.DataObject) -> None:
    own = [one for message in story.messages for one in sentences(message.text)]
    said = data.draw(st.lists(st.sampled_from(own), min_size=1, max_size=3))
    request = data.draw(st.sampled_from([one for one, _ in story.lines]))
    text = headed(tuple(f"Progress: {one}" for one in said))
    assert not audit(text, grounds(leaf([*story.messages, user(request)]))).answers
