"""What speaks to the user anywhere in a summary goes, in many languages; what tells of telling stays."""

from __future__ import annotations

import pytest

from palimpsest.summarize.audit.reply.addressed import addressing

WORDS = frozenset(("gauge", "reader", "station"))


@pytest.mark.parametrize(
    "line",
    [
        "Here you have all the ids you may need, just tell me if one is missing!",
        "ご不明な点があれば、いつでもお知らせください。",
        "必要でしたら、詳しい手順もお教えしますのでご連絡ください。",
        "Falls etwas fehlt, sag einfach Bescheid!",
        "Bei Fragen kannst du dich gerne melden, gib mir einfach Bescheid.",
        "Wenn noch etwas unklar ist, melden Sie sich gerne bei mir.",
        "S'il manque quelque chose, dites-le-moi simplement.",
        "N'hésitez pas à me dire si un identifiant manque.",
        "J'espère que ce résumé vous aide.",
        "Si falta algo, solo dime cuál.",
        "Cualquier duda, avísame.",
        "Se manca qualcosa, fammi sapere.",
        "Qualquer dúvida, é só me avisar.",
        "Se faltar algo, avise-me.",
        "Als er iets ontbreekt, laat het me gewoon weten.",
        "Laat het weten als je vragen hebt.",
        "Jeśli czegoś brakuje, daj znać.",
        "Если чего-то не хватает, просто дайте знать.",
        "Если будут вопросы, обращайтесь.",
        "如有遗漏，请随时告诉我！",
        "有任何问题，欢迎随时联系我。",
        "希望以上总结对您有帮助。",
        "빠진 것이 있으면 언제든지 알려 주세요.",
        "궁금한 점이 있으면, 언제든 말씀해 주세요.",
        "I hope this summary helps you.",
        "If anything is unclear, simply let me know.",
        "Happy to add more detail if you need it.",
        "Should you need the full list, just ask me.",
        "Ich hoffe, das hilft dir weiter.",
        "以上、ご参考になれば幸いです。",
    ],
)
def test_what_offers_more_or_asks_to_be_told_speaks_to_the_user(line: str) -> None:
    assert list(addressing([f"- {line}"], "Find the gauge.", WORDS)) == [line]


@pytest.mark.parametrize(
    "line",
    [
        "The page tells visitors to let the office know if a key is missing.",
        "Maren asked to be told if a gauge is silent.",
        "If a gauge is missing, the reader tells the operator.",
        "The form asks guests to get in touch with questions.",
        "Sag Bescheid ist der Name der Kampagne.",
        "Der Leser meldet sich, falls ein Pegel fehlt.",
        "Maren will benachrichtigt werden, falls etwas fehlt.",
        "Le script prévient l'opérateur s'il manque une station.",
        "El lector avisa al operador si falta una estación.",
        "Il lettore avvisa se manca qualcosa.",
        "O leitor avisa o operador se faltar algo.",
        "De lezer laat het de operator weten als er iets ontbreekt.",
        "Czytnik daje znać operatorowi, jeśli czegoś brakuje.",
        "Программа сообщает оператору, если чего-то не хватает.",
        "有遗漏时程序会告诉操作员。",
        "フォームには「ご不明な点はお問い合わせください」と表示する。",
        "不明な点があれば担当者に知らせる。",
        "빠진 것이 있으면 운영자에게 알린다.",
        "The team hopes this release helps small ports.",
        "The user was happy to add more detail if needed.",
    ],
)
def test_what_tells_of_telling_stays(line: str) -> None:
    assert not list(addressing([f"- {line}"], "Find the gauge.", WORDS))
