"""Who offers more to the user, or is at the user's service, answers: no part of a summary, in many languages."""

from __future__ import annotations

import pytest

from palimpsest.summarize.audit.audit import audit
from palimpsest.summarize.audit.reply.addressed import addressing
from tests.summarize.audit.stories import GOOD, asked, grounds

WORDS = frozenset(("pump", "seal", "bearing", "valve"))
OFFERS = [
    "I can also rewrite the seal page if you like.",
    "If you'd like, I can order the seal too.",
    "Just say the word.",
    "Say so and I'll start on the pump.",
    "Happy to draft the letter whenever you're ready.",
    "I'm at your disposal for anything else.",
    "One word is enough and I'll order it.",
    "Wenn du willst, bestelle ich die Dichtung gleich mit.",
    "Ich kann auch die Pumpe prüfen, falls gewünscht.",
    "Für Rückfragen stehe ich jederzeit gern zur Verfügung.",
    "Ein Wort genügt.",
    "Si tu veux, je peux aussi vérifier la pompe.",
    "Je reste à votre disposition pour toute question.",
    "Il suffit de le dire.",
    "Si quieres, también puedo revisar la bomba.",
    "Quedo a su disposición para cualquier duda.",
    "Puedo añadir también la válvula si lo deseas.",
    "Se vuoi, aggiungo anche la valvola.",
    "Resto a disposizione per ulteriori chiarimenti.",
    "Basta un cenno e comincio.",
    "Se quiser, posso também trocar a válvula.",
    "Fico à disposição para qualquer dúvida.",
    "Als je wilt, controleer ik ook de pomp.",
    "Ik sta tot uw dienst.",
    "Jeśli chcesz, sprawdzę też pompę.",
    "Pozostaję do dyspozycji w razie pytań.",
    "Если хочешь, я проверю и насос.",
    "Всегда к вашим услугам.",
    "如果你愿意，我还可以检查水泵。",
    "随时为您效劳。",
    "说一声我就开始。",
    "よろしければ、ポンプも点検いたします。",
    "引き続き対応いたします。",
    "ご希望でしたら弁も交換します。",
    "원하시면 펌프도 점검하겠습니다.",
    "언제든지 말씀해 주세요.",
]
TOLD = [
    "The guests can cancel if they like.",
    "Run it with --force if the lock stays.",
    'The user wants to say the word "seal" in the title.',
    "The README says so.",
    "The word count is 300, and one word is enough for a title there.",
    "I can also reach db-02 from the bastion.",
    "The test bench is at the disposal of the crew until Friday.",
    'The button reads "Just say the word".',
    "Say so in the README: the pump is cooled by air.",
    "Wenn die Pumpe will, läuft sie 3 Stunden.",
    "Der Prüfstand steht bis Freitag zur Verfügung.",
    "Das Team bestellt die Dichtung, falls gewünscht.",
    "Die Pumpe kann auch mit 60 Hz laufen.",
    "Le banc d'essai est à la disposition de l'équipe.",
    "Le client peut annuler s'il le veut.",
    "Si le client veut, il annule avant midi.",
    "El cliente puede cancelar si quiere.",
    "El banco está a disposición del equipo.",
    "La bomba también puede girar a 60 Hz.",
    "Il cliente può annullare se vuole.",
    "Le copie sono a disposizione del socio.",
    "La pompa può anche girare a 60 Hz.",
    "O cliente pode cancelar se quiser.",
    "A bancada está à disposição da equipa.",
    "De klant kan annuleren als hij wil.",
    "De testbank staat ter beschikking van het team.",
    "Klient może zrezygnować, jeśli chce.",
    "Stanowisko jest do dyspozycji zespołu.",
    "Клиент может отменить, если хочет.",
    "Насос в распоряжении бригады до пятницы.",
    "客户愿意的话可以取消。",
    "服务随时可以重启。",
    "三浦さんが引き続き対応する。",
    "よろしければ押すボタンを右に置く。",
    "希望者には弁も交換する。",
    "고객이 원하면 취소할 수 있다.",
    "알림은 언제든지 끌 수 있다.",
]


@pytest.mark.parametrize("line", OFFERS)
def test_an_offer_speaks_to_the_user(line: str) -> None:
    assert list(addressing([f"- {line}"], "", WORDS)) == [line]


@pytest.mark.parametrize("line", TOLD)
def test_what_others_offer_or_want_is_told(line: str) -> None:
    assert not list(addressing([f"- {line}"], "", WORDS))


def test_an_offer_in_the_user_s_words_is_told() -> None:
    said = "You can drop the seal if you like."
    assert not list(addressing(["- You can drop the seal if you like."], said, WORDS))


def test_a_last_paragraph_that_offers_more_is_asked_about_and_goes() -> None:
    offer = "I can also rewrite the session page if you like. Just say the word and I'll get started on it."
    assert audit(f"{GOOD}\n\n{offer}", grounds()).addressed
    draft, requests = asked([f"{GOOD}\n\n{offer}"] * 2, grounds())
    assert len(requests) == 2
    assert "if you like" not in draft.text
    assert "say the word" not in draft.text
    assert "compared in UTC" in draft.text
