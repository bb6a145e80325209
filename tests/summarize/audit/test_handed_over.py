"""Who says yes to an order, hands over a draft, or speaks to the user first and last, answers."""

from __future__ import annotations

import pytest

from palimpsest.summarize.audit.reply.answers import answering

BEHIND = frozenset(("pump", "seal", "bearing", "valve", "水泵", "用户"))
ANSWERS = [
    "かしこまりました。記録2946件を data/work/a.tsv に変換しますね。ほかにご要望があればお知らせください。",
    "承知いたしました。ポンプの図を直します。弁も交換します。",
    "了解です。弁を三つ交換しておきます。",
    "好，我这就改水泵的图。阀门也一起换。",
    "收到。水泵的图会改好，阀门有三个。",
    "네, 알겠습니다. 펌프 그림을 고치겠습니다.",
    "Gern, die Pumpe wird heute geprüft. Die Dichtung auch.",
    "Gerne! Hier ist ein Entwurf für docs/pumpe.md:\n\n## Abschalten\nBei 80 Grad Halt.\n\nSoll ich ihn einfügen?",
    "Bien sûr, la pompe sera vérifiée. Le joint aussi.",
    "Voici un brouillon pour docs/pompe.md :\n\n## Arrêt\nLa pompe s'arrête, l'utilisateur voit un message.",
    "¡Claro! La bomba se revisará hoy y la junta también.",
    "Certo, la pompa sarà controllata oggi.",
    "Ecco una bozza della lettera:\n\nGentile cliente, la pompa è pronta.",
    "Jasne, pompa będzie dziś sprawdzona. Uszczelka też.",
    "Хорошо, насос будет проверен сегодня.",
    "Zeker, de pomp wordt vandaag nagekeken.",
    "Com certeza! A bomba será revista hoje.",
    "I've drafted the page as asked. Here's the draft:\n\n# Stop\nThe user presses the red button.",
    "Happy to do that if you like. The pump stops at 80 degrees. The user presses the red button twice. Let me know.",
    "Understood. Pump three runs at 60 Hz, the seal is new.",
    "下書きです。\n\n# 停止\n利用者は赤いボタンを押す。",
]
TOLD = [
    "The user wants the pump fixed; a draft of docs/pump.md was written and the user read it.",
    "Here is a summary: the user wants the pump fixed, the seal is new and the valve was changed in March.",
    "The user asked for a draft of the letter. The draft stands in out/letter.md and waits for Dana.",
    "Goodwill of 300 euro was booked. The user wants the letter by Friday.",
    "Der Nutzer wollte einen Entwurf für docs/pumpe.md; er liegt in docs/ und ist noch nicht geprüft.",
    "L'utilisateur veut un brouillon de la page; il se trouve dans docs/pompe.md.",
    "El usuario pidió un borrador; está en docs/bomba.md.",
    "L'utente ha chiesto una bozza della lettera; si trova in out/lettera.md.",
    "Пользователь просил черновик; он лежит в docs/pump.md.",
    "用户要一份草稿，已写到 docs/pump.md，等待确认。",
    "ユーザーは下書きを求め、docs/pump.md に置いた。確認はまだ。",
    "了解を得た事項：ポンプは80度で止める。ユーザーは弁を三つ交換したい。",
    "好的水泵有三台，用户要求保留其中两台。",
    "Prima versione della lettera scritta in out/lettera.md; l'utente la vuole entro venerdì.",
    "Goed gekeurd: de pomp stopt bij 80 graden. De gebruiker wil een brief.",
    "사용자는 초안을 원했고 docs/pump.md에 저장했다.",
    "Klara Holm reviews the page; the user wants the pump fixed.",
    "Anbei der Vertrag, schrieb die Bank; der Nutzer will bis Freitag antworten.",
    'The bank wrote "Here is a draft contract"; the user wants to answer it by Friday.',
]


@pytest.mark.parametrize("reply", ANSWERS)
def test_an_answer_is_no_summary(reply: str) -> None:
    assert answering(reply, reply, BEHIND)


@pytest.mark.parametrize("reply", TOLD)
def test_what_tells_of_drafts_and_consent_may_be_one(reply: str) -> None:
    assert not answering(reply, reply, BEHIND)
