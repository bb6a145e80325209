"""Hopes, thanks, advice and promises to the user are no part of a summary; those of others are."""

from __future__ import annotations

import pytest

from palimpsest.summarize.audit.audit import audit
from palimpsest.summarize.audit.repair import repair
from palimpsest.summarize.audit.reply.addressed import addressing
from tests.summarize.audit.stories import grounds
from tests.summarize.dialogues import assistant, call, leaf, quarter, result, user

WORDS = frozenset(("pump", "seal"))
COURTEOUS = [
    "Please wait a moment while I set this up.",
    "One moment please.",
    "I'd recommend you do this on Friday.",
    "We suggest you keep the old table for a week.",
    "You may want to check the retry queue as well.",
    "I hope everything is clear now!",
    "Thanks for your patience!",
    "Good luck with the launch!",
    "Einen Moment bitte, ich baue das gleich ein.",
    "Ich hoffe, diese Zusammenfassung ist nützlich für Sie.",
    "Ich empfehle Ihnen, das am Wochenende zu tun.",
    "Vielen Dank für Ihre Geduld!",
    "Un instant, s'il vous plaît, je m'en occupe.",
    "J'espère que tout est clair.",
    "Je te conseille de garder l'ancienne table.",
    "Merci de votre patience !",
    "Espero que este resumen le sirva.",
    "Le recomiendo hacerlo el fin de semana.",
    "Gracias por tu paciencia.",
    "Aguarde um momento, por favor.",
    "Obrigado pela paciência!",
    "Spero di essere stato d'aiuto.",
    "Ti consiglio di tenere la vecchia tabella.",
    "Een moment geduld alstublieft.",
    "Ik raad je aan dit in het weekend te doen.",
    "Proszę chwilę poczekać.",
    "Polecam Ci zrobić to w weekend.",
    "Dziękuję za cierpliwość!",
    "Надеюсь, всё понятно.",
    "Рекомендую вам сохранить старую таблицу.",
    "请稍等，我马上处理。",
    "我建议您周末再做。",
    "希望这份总结对您有用。",
    "感谢您的耐心等待。",
    "少々お待ちください。",
    "ご依頼の機能はこれから実装します。",
    "この要約がお役に立てば幸いです。",
    "よろしくお願いいたします。",
    "바로 구현해 드리겠습니다.",
    "이 요약이 도움이 되었으면 좋겠습니다.",
]
TOLD = [
    "The job waits a moment before each retry.",
    "The user thanked the vendor for the details.",
    "Recommend to the team that they keep the old table.",
    '"I\'d recommend you keep it", Lena wrote.',
    'The page now says "Please wait a moment" while it loads.',
    "The user hopes to go live on Friday.",
    "I fixed the retry queue and committed 3fa91c2.",
    "You should never restart db-02.",
    'Add the sentence "Thank you for your order" to the mail.',
    "Frau Petersen hofft, dass es bis Freitag geht.",
    "Der Nutzer soll die Summen noch prüfen.",
    "Hoffnung auf eine Antwort der Bank bis Montag.",
    "La banque recommande de changer la clé.",
    "Attendre l'accord de Léa avant le déploiement.",
    "Se espera la respuesta del banco el lunes.",
    "Esperar la aprobación de Lena.",
    "Il server aspetta un attimo prima di riprovare.",
    "De bank raadt aan de sleutel te vervangen.",
    "Bank zaleca zmianę klucza.",
    "Банк советует сменить ключ.",
    "用户希望周五前上线。",
    "银行建议更换密钥。",
    "等待小野确认后再部署。",
    "画面に「少々お待ちください」と表示する。",
    "小野寺さんの返事を待つ。",
    "これからの作業は3件ある。",
    "これから移行を実施する。",
    "대기 시간은 3초로 한다.",
    "다음 단계로 인덱스를 추가합니다.",
    "Ask users to wait a moment on the login page.",
    "The mail tells customers: please wait a moment.",
]


@pytest.mark.parametrize("line", COURTEOUS)
def test_a_courtesy_to_the_user_is_found(line: str) -> None:
    assert list(addressing([f"- {line}"], "", WORDS))


@pytest.mark.parametrize("line", TOLD)
def test_what_others_wish_or_advise_is_told(line: str) -> None:
    assert not list(addressing([f"- {line}"], "", WORDS))


def test_what_the_user_hoped_is_told_in_the_user_s_words() -> None:
    said = "We hope to have the pump cool by noon."
    assert not list(addressing(["- We hope to have the pump cool by noon."], said, WORDS))
    assert not list(addressing(["- We hope to be done early."], "", WORDS, wanted=True))


@pytest.mark.parametrize(
    "line, left",
    [
        ("Grease the bearing again (I'd recommend you do this on Sunday)", "Grease the bearing again"),
        ("Grease the bearing again, I would suggest Sunday.", "Grease the bearing again."),
    ],
)
def test_a_task_stays_without_the_advice_beside_it(line: str, left: str) -> None:
    against = grounds(
        leaf(
            [
                user("The pump in the west runs hot. Find the cause, and change nothing without Runa."),
                assistant("", call("a", "Bash", command="pumpctl west")),
                result("a", "temp 81\nbearing dry\n"),
                assistant("The bearing is dry. Runa has to grease the bearing again."),
                user("Good. Watch it until it is cool."),
            ]
        )
    )
    text = f"## Goal\n- Find why the pump in the west runs hot.\n## Open tasks\n- {line}"
    found = audit(text, against)
    text, _ = repair(text, found, against, target_tokens=400, limit_tokens=800, count=quarter)
    assert f"- {left}" in text.splitlines()


@pytest.mark.parametrize(
    "line, hanging",
    [
        (
            "Grease the bearing, I'd recommend that you do it then, it only takes a minute!",
            "it only takes a minute",
        ),
        ("I'd recommend that you do this again. It only takes a minute!", "It only takes a minute!"),
        (
            "Ich empfehle Ihnen, das noch einmal zu tun. Das dauert nur eine Minute.",
            "Das dauert nur eine Minute.",
        ),
        ("Je vous recommande de le refaire. Ça ne prend qu'un instant.", "Ça ne prend qu'un instant."),
        ("Le recomiendo repetirlo. Solo lleva un minuto.", "Solo lleva un minuto."),
        ("Le consiglio di rifarlo. Ci vuole solo un attimo.", "Ci vuole solo un attimo."),
        ("Polecam ci to powtórzyć. To zajmie chwilę.", "To zajmie chwilę."),
        ("Я советую вам повторить. Это займёт минуту.", "Это займёт минуту."),
        ("我建议您再做一次。只需要一分钟。", "只需要一分钟。"),
        ("もう一度行うことをお勧めします。すぐ終わります。", "すぐ終わります。"),
    ],
)
def test_what_only_hangs_on_a_courtesy_goes_with_it(line: str, hanging: str) -> None:
    assert hanging in list(addressing([f"- {line}"], "", WORDS))


@pytest.mark.parametrize(
    "line, told",
    [
        ("I hope this helps. It failed with exit code 3.", "It failed with exit code 3."),
        ("I hope this helps. That bearing of the pump is hot.", "That bearing of the pump is hot."),
        ("I'd recommend you ask Runa. It was measured at Tartu.", "It was measured at Tartu."),
        ("The bearing was greased. It only takes a minute.", "It only takes a minute."),
    ],
)
def test_what_is_of_the_matter_stays_behind_a_courtesy(line: str, told: str) -> None:
    words = WORDS | {"bearing", "pump", "hot"}
    assert told not in list(addressing([f"- {line}"], "", words))
