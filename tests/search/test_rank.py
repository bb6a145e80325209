"""What ranks before what, and how passages are cut."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from palimpsest.budget.token_estimator import count_text
from palimpsest.search.features import features
from palimpsest.search.passages import LEAST_TOKENS, make_passages
from palimpsest.search.question import read_question
from palimpsest.search.ranking import rank
from palimpsest.search.retrieval_candidates import Candidate, CandidatePool
from palimpsest.search.weights import FEATURES, WEIGHTS


def said(*texts: str, roles: str = "ua") -> list[Candidate]:
    """Messages of one branch, by turns."""
    names = {"u": "user", "a": "assistant"}
    return [
        Candidate(
            f"m{place}",
            "message",
            "talk",
            1,
            place,
            names[roles[(place - 1) % len(roles)]],
            "",
            None,
            text,
            10,
        )
        for place, text in enumerate(texts, 1)
    ]


def best(question: str, candidates: list[Candidate], holding: int = 1) -> list[str]:
    """The ids in the order they are ranked."""
    asked = read_question(question)
    pool = CandidatePool(100, (holding,) * len(asked.concepts), tuple(candidates))
    return [one.candidate.id for one in rank(asked, pool)]


def test_no_weight_is_negative_and_they_are_shares() -> None:
    assert all(weight >= 0 for weight in WEIGHTS.values())
    assert sum(WEIGHTS.values()) == pytest.approx(1, abs=0.01)


def test_what_holds_more_of_the_question_comes_first() -> None:
    candidates = said(
        "The ferry left.", "Nothing here at all.", "So be it.", "Fine.", "The red ferry left the pier early."
    )
    assert best("Why did the red ferry leave the pier?", candidates)[0] == "m5"


def test_the_answer_to_a_question_is_found_by_the_question_before_it() -> None:
    candidates = said(
        "Fine.", "Ok.", "Which pier does the ferry use?", "Number three, since last year.", "Ok.", "Right."
    )
    assert set(best("Which pier does the ferry use?", candidates)[:2]) == {"m3", "m4"}


def feature(name: str, question: str, candidates: list[Candidate], holding: int = 1) -> list[float]:
    """One feature of each candidate, 0 where nothing is for it."""
    asked = read_question(question)
    pool = CandidatePool(100, (holding,) * len(asked.concepts), tuple(candidates))
    return [row[FEATURES.index(name)] if row else 0.0 for row in features(asked, pool)]


def test_a_question_is_about_what_was_said_before_it() -> None:
    asking = said(
        "The children saw the old lighthouse.", "Oh! How did they take it?", "Awestruck, all three."
    )
    telling = said("The children saw the old lighthouse.", "Oh! So they took it.", "Awestruck, all three.")
    question = "How did the children like the lighthouse?"
    assert best(question, asking).index("m3") < 3
    (_, _, answer), (_, _, nothing) = (feature("answers", question, one) for one in (asking, telling))
    assert answer > 0 == nothing
    direct = said("So.", "How did the children like the old lighthouse?", "Awestruck, all three.")
    assert feature("answers", question, direct)[2] > answer


def test_who_holds_the_word_that_weighs_most_needs_no_other() -> None:
    lines = ("The ferry.", "A pier, a boat, an oar.", "Nothing.")
    asked = read_question("ferry, pier, boat, oar")
    holding = tuple({"ferry": 1}.get(concept.word, 60) for concept in asked.concepts)
    apart = tuple(replace(one, branch=one.seq) for one in said(*lines))
    rows = features(asked, CandidatePool(100, holding, apart))
    rarest = [row[FEATURES.index("rarest")] if row else 0.0 for row in rows]
    assert rarest[0] > 2 * rarest[1] > 0 == rarest[2]


def test_what_stands_beside_what_weighs_most_has_less_of_it_the_longer_it_is() -> None:
    short, long = (said("The ferry.", text) for text in ("Yes, on Monday.", "Yes, on Monday. " * 40))
    (whole, near), (_, far) = (feature("rarest", "the ferry?", one) for one in (short, long))
    assert whole > near > far > 0


def test_what_stands_beside_nothing_of_the_question_is_left_out() -> None:
    candidates = said("ferry", "a", "b", "c", "d")
    first, *others = best("ferry", candidates)
    assert first == "m1"
    assert sorted(others) == ["m2", "m3"]


def test_who_is_meant_counts() -> None:
    candidates = said("I like the old harbour most.", "I like the old harbour most, too.")
    assert best("Which harbour do I like?", candidates)[0] == "m1"
    assert best("Which harbour did you recommend, the old one you like?", candidates)[0] == "m2"
    named = [replace(candidates[0], name="Ada"), replace(candidates[1], name="Bo")]
    assert best("Which harbour does Bo like?", named)[0] == "m2"


def test_who_is_meant_by_i_or_you_is_told_apart_from_who_is_named() -> None:
    user, assistant = said("I like the old harbour.", "I like the old harbour, Bo.")
    pool = [replace(user, name="Ada"), replace(assistant, name="Bo")]
    assert feature("meant", "Which harbour do I like?", pool) == [1.0, 0.0]
    assert feature("meant", "Which harbour did you tell Ada about?", pool) == [0.0, 1.0]
    assert feature("speaker", "Which harbour did you tell Ada about?", pool) == [1.0, 0.0]
    assert feature("meant", "Which harbour does Bo like?", pool) == [0.0, 0.0]
    assert feature("speaker", "Which harbour does Bo like?", pool) == [0.0, 1.0]


def test_whoever_is_meant_counts_more_where_the_talk_is_of_what_was_asked() -> None:
    elsewhere = ("Fine.",) * 6
    candidates = said(
        "I like the old harbour.", "Do you?", "Mostly.", *elsewhere, "The harbour.", "No.", "I know."
    )
    question = "Which old harbour do I like?"
    meant, about = (feature(name, question, candidates) for name in ("meant", "meant_about"))
    assert meant[0] == meant[2] == 1.0
    assert about[1] == 0.0
    assert 0.0 < about[10] < about[2] <= 1.0


def test_who_is_named_first_is_meant_more_than_others() -> None:
    lines = ("I like the old harbour most.", "I like the old harbour most, too.")
    ada, bo = (
        replace(one, name=name, branch=one.seq) for one, name in zip(said(*lines), ("Ada", "Bo"), strict=True)
    )
    assert best("What did Ada tell Bo about the harbour?", [ada, bo])[0] == "m1"
    assert best("What did Bo tell Ada about the harbour?", [ada, bo])[0] == "m2"


def test_what_tells_a_name_answers_who_where_and_which() -> None:
    lines = ("The lesson on the old guitar was fun.", "The lesson on the guitar with Ottoline was fun.")
    plain, named = (replace(one, branch=one.seq) for one in said(*lines))
    assert best("Who gives the lesson on the guitar?", [plain, named])[0] == "m2"
    assert best("Where was the lesson on the old guitar?", [plain])[0] == "m1"


def test_that_a_page_tells_names_says_less_than_that_a_line_does() -> None:
    line = "The lesson on the guitar was with Ottoline."
    short, long = (replace(one, branch=one.seq) for one in said(line, line + " And so on it went." * 100))
    (near, far) = feature("names", "Who gives the lesson on the guitar?", [short, long])
    assert near > far > near / 2


def test_how_often_a_page_says_a_word_counts_more_than_how_often_a_line_does() -> None:
    (line, page, more) = feature(
        "own", "ferry", said("The ferry.", "The ferry. " + "So be it. " * 80, "The ferry. " * 80)
    )
    assert 0 < line < page < more


@pytest.mark.parametrize(
    "question, reason",
    [
        ("Why did Ada leave the old harbour?", "I left the old harbour because the boats were gone."),
        (
            "What made you leave the old harbour?",
            "I left the old harbour, and that’s why the boats were gone.",
        ),
        ("为什么离开旧港口?", "离开旧港口是因为船都没有了。"),
    ],
)
def test_what_tells_a_reason_answers_why(question: str, reason: str) -> None:
    plain = reason.replace("because", "when").replace(", and that’s why", " when").replace("因为", "那时")
    pool = [replace(one, branch=one.seq) for one in said(reason, plain, "I can because I can.")]
    asked = read_question(question)
    place = FEATURES.index("reason")
    rows = features(asked, CandidatePool(100, (1,) * len(asked.concepts), tuple(pool)))
    assert [row is not None and row[place] > 0 for row in rows] == [True, False, False]
    other = read_question("Who left the old harbour? 谁离开旧港口?")
    rows = features(other, CandidatePool(100, (1,) * len(other.concepts), tuple(pool)))
    assert [row is not None and row[place] for row in rows] == [0, 0, False]


def test_the_name_of_who_speaks_or_of_what_is_asked_is_no_answer() -> None:
    lines = ("On the pier I met Ada and Bo.", "On the pier I met Lubos and Maeve.")
    known, told = (replace(one, branch=one.seq, name="Ada Bo") for one in said(*lines))
    assert best("Who was on the pier?", [known, told])[0] == "m2"


def test_a_session_that_covers_the_question_as_a_whole_comes_first() -> None:
    together = said("The ferry left.", "Fine.", "A storm came up at the pier.")
    apart = [
        replace(one, id=f"{one.id} apart", branch=2) for one in said("The ferry left.", "Fine.", "So be it.")
    ]
    ranked = best("ferry, storm, pier", [*together, *apart])
    assert ranked.index("m1") < ranked.index("m1 apart")


def test_an_identifier_is_found_by_the_words_that_it_is_made_of() -> None:
    candidates = said(
        "The retry was set back.",
        "Fine.",
        "Ok.",
        "Right.",
        "See retryWithBackoff(3).",
        "Ok.",
        "Fine.",
        "Back off!",
    )
    assert best("Where is the retry with backoff?", candidates)[0] == "m5"


def test_words_as_one_that_nobody_wrote_take_no_share_of_the_question() -> None:
    asked = read_question("the red ferry")
    holding = tuple(0 if concept.joined else 3 for concept in asked.concepts)
    (row,) = features(asked, CandidatePool(10, holding, tuple(said("A red ferry."))))
    assert row is not None
    assert row[FEATURES.index("covered")] == pytest.approx(1.0)


def test_the_day_that_is_asked_for_counts() -> None:
    early = replace(said("We had the boat painted.")[0], time_s=1_767_225_600.0)
    late = replace(early, id="m2", branch=2, time_s=1_780_272_000.0)
    assert best("Was the boat painted in January 2026?", [early, late])[0] == "m1"
    assert best("Was the boat painted in June 2026?", [early, late])[0] == "m2"


def test_a_text_that_repeats_a_better_one_goes_behind_the_others() -> None:
    same = "The ferry to the island leaves from pier three."
    candidates = [
        replace(one, branch=place) for place, one in enumerate(said(same, same, "A ferry, they say."))
    ]
    assert best("Where does the ferry to the island leave from?", candidates)[-1] in {"m1", "m2"}


def test_features_stand_in_the_order_of_their_names() -> None:
    asked = read_question("ferry?")
    (row, nothing) = features(
        asked, CandidatePool(10, (1,), tuple(replace(one, branch=one.seq) for one in said("ferry", "bus")))
    )
    assert row is not None
    assert len(row) == len(FEATURES)
    assert nothing is None


def passages(
    question: str, candidates: list[Candidate], budget_tokens: int, hits: int = 2
) -> list[tuple[str, str, int]]:
    """(id, text, tokens) of the passages of so many hits that a budget allows."""
    asked = read_question(question)
    ranked = rank(asked, CandidatePool(100, (1,) * len(asked.concepts), tuple(candidates)))[:hits]
    made = make_passages(asked, ranked, candidates, budget_tokens, count_text, lambda time_s: "")
    return [(one.ranked.candidate.id, one.text, one.tokens) for one in made]


def test_a_neighbour_stands_under_its_own_id() -> None:
    candidates = said("Hello there.", "The ferry leaves at noon.", "Thanks.")
    ((_, text, _),) = passages("when does the ferry leave", candidates, 500, hits=1)
    assert text == "[m2]\nm1 user: Hello there.\nassistant: The ferry leaves at noon.\nm3 user: Thanks."


def test_what_says_nothing_is_no_hit_and_comes_between_no_question_and_its_answer() -> None:
    spoken = ("Which berth has the red ferry?", "NB-204, as ever.", "Fine, on to the next one.")
    candidates = said(spoken[0], "", " \n", *spoken[1:], "")
    asked = read_question("where does the red ferry berth?")
    pool = CandidatePool(100, (1,) * len(asked.concepts), tuple(candidates))
    without = dataclasses.replace(pool, found=tuple(said(*spoken, roles="uau")))
    scores = [[one.score for one in rank(asked, one)] for one in (pool, without)]
    assert scores[0] == scores[1]
    assert {one.candidate.id for one in rank(asked, pool)} == {"m1", "m4", "m5"}
    answer = [one for one in rank(asked, pool) if one.candidate.id == "m4"]
    (shown,) = make_passages(asked, answer, candidates, 500, count_text, lambda time_s: "")
    assert shown.text.splitlines()[1:3] == ["m1 user: " + spoken[0], "assistant: " + spoken[1]]


def test_a_passage_shows_its_neighbours_and_repeats_no_other_hit() -> None:
    candidates = said(
        "Hello there.", "The ferry leaves at noon.", "Thanks.", "And the ferry back?", "At six."
    )
    (first, second) = passages("when does the ferry leave", candidates, 500)
    assert {first[0], second[0]} <= {"m2", "m3", "m4", "m5"}
    assert first[1].startswith(f"[{first[0]}]\n")
    lines = [line for line in (first[1] + "\n" + second[1]).splitlines() if not line.startswith("[")]
    assert lines.count("assistant: The ferry leaves at noon.") == 1


def test_a_long_hit_is_cut_around_what_was_asked() -> None:
    long = "word " * 2_000 + "the ferry leaves at noon " + "word " * 2_000
    ((_, text, tokens),) = passages("ferry noon", said(long), 200)
    assert "ferry leaves at noon" in text
    assert tokens <= 200


def test_a_budget_that_is_too_small_for_a_passage_holds_none() -> None:
    assert passages("ferry", said("The ferry. " * 50), LEAST_TOKENS - 1) == []


@given(st.lists(st.text(max_size=80), min_size=1, max_size=8), st.text(max_size=60), st.integers(1, 400))
def test_any_texts_are_ranked_once_each_and_passages_keep_to_their_budget(
    texts: list[str], question: str, budget_tokens: int
) -> None:
    candidates = said(*texts)
    ids = best("ferry " + question, candidates)
    assert len(set(ids)) == len(ids) <= len(candidates)
    assert (
        sum(tokens for _, _, tokens in passages("ferry " + question, candidates, budget_tokens))
        <= budget_tokens
    )


def test_of_many_that_are_alike_the_first_hits_hold_no_more_than_a_few() -> None:
    piers = "north south east west outer inner upper lower old new".split()
    alike = [f"Ada walks along the {pier} pier and thinks of the lantern and the bread" for pier in piers]
    asked = "what was given for the lantern on the pier?"
    found = best(asked, [*said(*alike, "My ring went for the lantern of the ferryman", roles="u" * 11)])
    assert found.index("m11") <= 3
    assert len(found) == 11
