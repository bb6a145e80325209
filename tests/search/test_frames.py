"""A polite beginning changes nothing: "can you tell me" and its like are no words to look for, and mean no speaker."""

from __future__ import annotations

import pytest

from palimpsest.search.question import Question, read_question

ASKED = {
    "en": "how long does the tide table stay valid?",
    "de": "wie lange ist der Gezeitenplan gültig?",
    "es": "¿cuánto tiempo vale la tabla de mareas?",
    "fr": "combien de temps la table des marées est valable ?",
    "it": "per quanto tempo vale la tavola delle maree?",
    "pt": "por quanto tempo vale a tabela das marés?",
    "nl": "hoe lang is de getijtafel geldig?",
}
FRAMES = {
    "en": [
        "Can you tell me", "I have a question:", "Quick question from me:", "I forgot", "Sorry, I need to know",
        "Tell me", "Please tell me:", "Help me remember", "I don't remember", "I can't recall", "My question is",
        "Let me know", "I no longer know", "Hello, do you know", "I wonder", "There's one question:",
    ],
    "de": [
        "Kannst du mir bitte noch einmal sagen,", "Könnten Sie mir erklären,", "Ich wüsste gern,", "Sag mir,",
        "Ich möchte wissen,", "Ich habe eine Frage:", "Weißt du noch,", "Ich habe vergessen,", "Erinnere mich bitte,",
        "Hallo, ich frage mich,", "Ich weiß nicht mehr,",
    ],
    "es": ["¿Me puedes decir", "Dime", "Me gustaría saber", "Tengo una pregunta:", "No recuerdo", "Hola, ¿sabes"],
    "fr": ["Peux-tu me dire", "Pourriez-vous me rappeler", "J'aimerais savoir", "J'ai oublié", "Bonjour, dis-moi"],
    "it": ["Mi puoi dire", "Potresti ricordarmi", "Vorrei sapere", "Ho una domanda:", "Non mi ricordo", "Ciao, sai"],
    "pt": ["Você pode me dizer", "Gostaria de saber", "Tenho uma pergunta:", "Não me lembro", "Olá, me diga"],
    "nl": ["Kun je me vertellen", "Ik zou graag willen weten", "Ik heb een vraag:", "Hallo, weet je nog"],
}  # fmt: skip


def seen(text: str) -> tuple[object, ...]:
    """What a question asks for, but for what neighbouring words make together."""
    found: Question = read_question(text)
    words = [(one.forms, one.weight) for one in found.concepts if not one.joined]
    return words, found.speaker, found.asks_number, found.asks_name


@pytest.mark.parametrize(
    "text", [(language, frame) for language, all_of in FRAMES.items() for frame in all_of]
)
def test_a_polite_beginning_changes_nothing(text: tuple[str, str]) -> None:
    language, frame = text
    assert seen(f"{frame} {ASKED[language]}") == seen(ASKED[language])


@pytest.mark.parametrize(
    "text",
    [
        "{en} I need it for my report.",
        "I need this for my report: {en}",
        "My memory is bad. {en}",
        "My wife asks me {en}",
        "I keep forgetting {en}",
        "Would you mind telling me {en}",
        "I'm confused, {en}",
        "Mein Chef fragt: {de}",
        "Magst du mir verraten, {de}",
        "{de} Ich brauche das für meinen Bericht.",
        "Mi jefa pregunta: {es}",
        "我忘了,房租是多少?",
        "房租是多少?我写报告要用。",
        "我想知道房租是多少",
    ],
)
def test_that_somebody_asks_and_why_means_nobody(text: str) -> None:
    assert read_question(text.format(**ASKED)).speaker == ""


@pytest.mark.parametrize(
    "text",
    [
        "I forgot: what is my blood type?",
        "My wife asks me which doctor I went to",
        "Did I say where the key is?",
        "When I was ill, who called?",
        "For my trip, which hotel is booked?",
        "Is my car insured?",
        "the name of my dentist",
        "Kannst du mir sagen, wo mein Schlüssel liegt?",
        "我忘了,我的钥匙在哪里?",
        "我住在哪里",
    ],
)
def test_who_asks_for_something_of_their_own_is_meant(text: str) -> None:
    assert read_question(text).speaker == "user"


def test_what_chinese_says_of_time_in_general_is_no_word_to_look_for() -> None:
    words = [
        [one.forms for one in read_question(text).concepts] for text in ("租金以后是多少?", "租金是多少?")
    ]
    assert words[0] == words[1]


@pytest.mark.parametrize("thanks", ["Vielen Dank!", "Danke.", "Bitte kurz antworten."])
def test_thanks_behind_a_question_are_no_words_of_it(thanks: str) -> None:
    assert seen(f"{ASKED['de']} {thanks}")[1:] == seen(ASKED["de"])[1:]


@pytest.mark.parametrize(
    "text, words, speaker",
    [
        ("What did I forget to pack?", ["forget", "pack"], "user"),
        ("Which thing had I forgotten to buy?", ["thing", "forgotten", "buy"], "user"),
        ("What did the doctor tell me?", ["doctor"], "user"),
        ("What was the security question, and the answer?", ["security", "question", "answer"], ""),
        ("Was soll ich meiner Mutter sagen?", ["soll", "mutter", "sagen"], "user"),
        ("Hallo", ["hallo"], ""),
        ("Tell me", ["tell", "me"], ""),
    ],
)
def test_the_same_words_count_where_they_are_what_is_asked_for(
    text: str, words: list[str], speaker: str
) -> None:
    found = read_question(text)
    assert [one.word for one in found.concepts if not one.joined] == words
    assert found.speaker == speaker
