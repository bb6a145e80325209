"""What a question asks for: its words, their forms, who is meant, and when."""

from __future__ import annotations

import pytest

from palimpsest.errors import UsageError
from palimpsest.search.question import MAX_CONCEPTS, MAX_JOINED, PART_WEIGHT, PERSONAL, read_question
from palimpsest.search.stemming import stem
from palimpsest.search.word_folding import plain


def test_half_width_and_marks_that_stand_apart_are_folded_in_questions_and_texts_alike() -> None:
    assert plain("ｶﾞｲﾄﾞ か\u3099") == "ガイド が"
    assert read_question("ｶﾞｲﾄﾞ").concepts == read_question("ガイド").concepts


def test_an_emoji_is_asked_for_by_itself_and_a_little_beside_words() -> None:
    (alone,) = read_question("🚢🏽 ... 🚢?").concepts
    assert (alone.word, alone.forms, alone.weight) == ("🚢", ("🚢",), 1.0)
    weights = {one.word: one.weight for one in read_question("who sent the🚢?").concepts if one.word}
    assert weights == {"sent": 1.0, "🚢": PART_WEIGHT}


def test_words_without_content_are_left_out() -> None:
    found = read_question("What did we decide about the retries, and why?")
    assert [concept.word for concept in found.concepts if not concept.joined] == ["decide", "retries"]


def test_neighbouring_words_are_looked_for_as_one_where_some_have_content() -> None:
    (joined,) = [
        one for one in read_question("the retry with back-off of Ann's is on?").concepts if one.joined
    ]
    assert {"retrywithbackoff", "backoff", "theretry"} <= set(joined.forms)
    assert not {"ison", "anns", "sison"}.intersection(joined.forms)
    assert len(joined.forms) <= MAX_JOINED
    assert not any(one.joined for one in read_question("缓存失效 retry").concepts)


def test_an_identifier_is_asked_for_as_a_whole_and_a_little_by_its_parts() -> None:
    found = {
        one.word: one.weight
        for one in read_question("who calls retryWithBackoff?").concepts
        if not one.joined
    }
    assert found == {"calls": 1.0, "retrywithbackoff": 1.0, "retry": PART_WEIGHT, "backoff": PART_WEIGHT}
    assert "phone" not in {one.word for one in read_question("my iPhone").concepts}


def test_a_question_of_nothing_else_is_asked_by_those_words() -> None:
    assert [concept.word for concept in read_question("who are you?").concepts] == ["who", "are", "you"]


def test_a_word_is_looked_for_in_its_irregular_forms_and_in_what_stands_for_it() -> None:
    (went,) = read_question("went").concepts
    assert {"went", "go", "gone"} <= set(went.forms)
    (photo,) = read_question("photo?").concepts
    assert "picture" in photo.forms
    assert dict(photo.stems)[stem("photo")] > dict(photo.stems)[stem("picture")] > 0


@pytest.mark.parametrize(
    "word, others",
    [("flying", {"flew", "flown", "flight"}), ("described", {"description"}), ("companies", {"business"})],
)
def test_whatever_form_a_word_is_asked_in_its_other_forms_are_looked_for(word: str, others: set[str]) -> None:
    (found,) = read_question(word).concepts
    assert others <= set(found.forms)


def test_that_something_is_so_now_is_no_word_to_look_for() -> None:
    words = {one.word for one in read_question("Where does Ada live now, and where did she lately?").concepts}
    assert words == {"ada", "live", ""}


@pytest.mark.parametrize(
    "text, words, number, name",
    [
        ("Wie viel habe ich für das Klavier bezahlt?", ["klavier", "bezahlt"], True, False),
        ("¿Dónde está mi nuevo trabajo?", ["nuevo", "trabajo"], False, True),
        ("Quand est-ce que j'ai acheté mon vélo ?", ["achete", "velo"], True, False),
        ("Dov'è la mia bicicletta?", ["bicicletta"], False, True),
        ("Quantos anos tem a minha filha?", ["anos", "filha"], True, False),
        ("Hoe oud is mijn broer?", ["oud", "broer"], True, False),
    ],
)
def test_a_question_in_another_language_is_read_by_that(
    text: str, words: list[str], number: bool, name: bool
) -> None:
    found = read_question(text)
    assert [one.word for one in found.concepts if not one.joined] == words
    assert (found.speaker, found.asks_number, found.asks_name) == ("user", number, name)
    assert any(f" {said} " in found.personal for said in plain(text).replace("'", " ").split())


@pytest.mark.parametrize("text", ["Which die is in the box?", "Pan de Azúcar", "Who is on the La Paz list?"])
def test_a_foreign_word_or_name_leaves_a_question_english(text: str) -> None:
    assert read_question(text).personal == PERSONAL


def test_texts_without_spaces_are_asked_for_in_pairs_of_characters() -> None:
    concepts = read_question("缓存失效 now42").concepts
    assert [one.word for one in concepts] == ["now42", "缓存", "存失", "失效", "缓", "存", "失", "效"]
    pairs = [one.weight for one in concepts if len(one.word) > 1]
    singles = [one.weight for one in concepts if len(one.word) == 1]
    assert min(pairs) > max(singles) > 0


@pytest.mark.parametrize(
    "question, words",
    [
        ("पासवर्ड क्या है?", ["पासवर्ड", "क्या", "है"]),
        ("கடவுச்சொல் என்ன?", ["கடவுச்சொல்", "என்ன"]),
        ("أين العَرَبِيَّة؟", ["اين", "العربية"]),
        ("รหัสผ่านคืออะไร", ["รหัส", "หัสผ่", "สผ่า", "ผ่าน", "านคื", "นคือ"]),
        ("ปลา vs เรือ", ["vs", "ปลา", "เรือ"]),
        ("ဘာလဲ", ["ဘာလဲ"]),
    ],
)
def test_marks_belong_to_words_and_scripts_of_marks_without_spaces_are_asked_for_in_threes(
    question: str, words: list[str]
) -> None:
    assert [one.word for one in read_question(question).concepts] == words


def test_characters_that_only_ask_are_left_out() -> None:
    found = read_question("我曾经给你推荐过哪些科幻电影？")
    assert [one.word for one in found.concepts if len(one.word) > 1] == ["推荐", "科幻", "幻电", "电影"]
    assert [one.word for one in read_question("你是谁？").concepts][:2] == ["你是", "是谁"]


@pytest.mark.parametrize(
    "text, speaker",
    [
        ("你给我推荐过哪些画家？", "assistant"),
        ("你曾经和我推荐了哪些书？", "assistant"),
        ("我和你分享了哪些书？", "user"),
        ("我喜欢什么音乐？", "user"),
        ("渡轮几点开？", ""),
    ],
)
def test_chinese_says_who_spoke(text: str, speaker: str) -> None:
    assert read_question(text).speaker == speaker


def test_words_of_two_scripts_are_both_asked_for() -> None:
    assert {"docker", "配置"} <= {one.word for one in read_question("Docker的配置在哪里？").concepts}


@pytest.mark.parametrize("text", ["", "  ", "?!", '"', "\ud800"])
def test_a_question_without_a_word_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        read_question(text)


def test_a_long_question_is_read_at_its_beginning_and_its_end() -> None:
    found = read_question("ferry " + " ".join(f"word{place}" for place in range(20_000)) + " harbour")
    words = [one.word for one in found.concepts]
    assert len(words) == MAX_CONCEPTS
    assert (words[0], words[-2], words[-1]) == ("ferry", "harbour", "")
    assert len(read_question("渡轮" * 100_000).concepts) <= MAX_CONCEPTS
    assert read_question("x" * 100_000).concepts[0].word.startswith("x")


@pytest.mark.parametrize("text", ["42 1999", "src/app/main.py", "a", "?? b ??", "e4f5a6", "日"])
def test_numbers_paths_and_single_characters_are_questions(text: str) -> None:
    assert read_question(text).concepts


@pytest.mark.parametrize(
    "text, words",
    [
        (
            "I'm looking back at our previous conversation about ferries. Can you remind me of the berth?",
            "ferries berth",
        ),
        ("In our last chat, what was the name of the pier?", "name pier"),
        ("I wanted to follow up on our discussion of tides: how high?", "tides high"),
        ("I was wondering if the buoys float", "buoys float"),
        ("Any suggestions for a harbour walk?", "harbour walk"),
        ("Where do our session cookies expire?", "session cookies expire"),
        ("What did I like about the pier?", "like pier"),
        ("Can you remind me?", "remind"),
    ],
)
def test_what_only_says_that_something_was_talked_of_is_not_looked_for(text: str, words: str) -> None:
    assert [one.word for one in read_question(text).concepts if not one.joined] == words.split()


@pytest.mark.parametrize(
    "text, speaker",
    [
        ("Where did I park?", "user"),
        ("Which film did you recommend to me?", "assistant"),
        ("What was the third inn on your list?", "assistant"),
        ("Can you remind me where I parked?", "user"),
        ("Could you suggest a hotel for the trip?", "user"),
        ("Do you have any tips for a quiet evening?", "user"),
        ("Can you tell me which port the proxy has?", ""),
        ("Can you give me the port of the proxy?", ""),
        ("Where is the car?", ""),
    ],
)
def test_i_and_you_say_who_spoke(text: str, speaker: str) -> None:
    assert read_question(text).speaker == speaker


@pytest.mark.parametrize(
    "word, expected",
    [
        ("caresses", "caress"),
        ("ponies", "poni"),
        ("agreed", "agre"),
        ("hopping", "hop"),
        ("hoping", "hope"),
        ("relational", "relat"),
        ("happiness", "happi"),
        ("adoption", "adopt"),
        ("sky", "sky"),
        ("children", "child"),
        ("written", "write"),
        ("größe", "größe"),
        ("a1b2", "a1b2"),
    ],
)
def test_words_are_brought_to_one_form(word: str, expected: str) -> None:
    assert stem(word) == expected


@pytest.mark.parametrize("word", "decision permission solution flight artist rose shot lab repo".split())
def test_a_plural_is_brought_to_the_form_of_its_singular(word: str) -> None:
    """Also of a word that is folded to another, as a decision is to `decide` and a rose to `rise`."""
    assert stem(f"{word}s") == stem(word)


@pytest.mark.parametrize(
    "text, name",
    [
        ("Who painted the boat?", True),
        ("What is the name of the boat?", True),
        ("What's my boat called?", True),
        ("What city did we sail to?", True),
        ("What kind of games do they play?", True),
        ("What are the children's names?", True),
        ("What did the captain say?", False),
        ("What happened to the boat when we sailed to the city?", False),
        ("Why was the boat sold?", False),
    ],
)
def test_who_which_and_what_of_some_things_ask_for_a_name(text: str, name: bool) -> None:
    assert read_question(text).asks_name is name
