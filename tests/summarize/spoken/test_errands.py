"""What is asked for once is no rule: help, what is to be found out, and a deed that is done to so many."""

from __future__ import annotations

from palimpsest.summarize.spoken.cues import RULE_WEIGHT
from palimpsest.summarize.spoken.remarks import as_rule

ERRANDS = """
Frag bitte drei Firmen an.
Frag drei Firmen an.
Frag bitte 3 Anbieter an.
Ruf bitte zwei Handwerker an.
Schreib bitte vier Vereine an.
Bitte schau nach, wo das Paket steckt.
Schau bitte nach, ob die Rechnung da ist.
Bitte sieh nach, wann der Zug fährt.
Prüf bitte, ob der Termin noch frei ist.
Bitte finde heraus, warum der Bus ausfällt.
Sieh bitte mal nach, wer das bestellt hat.
手伝ってください。
助けてください。
見てください。
調べてください。
手伝ってくれますか。
探してほしいです。
도와주세요.
찾아 주세요.
Please help.
Please help me out.
Please check where the parcel is.
Please see whether the invoice is there.
Please find out when the train leaves.
Please look up who ordered this.
Please tell me how many seats are left.
Regarde s'il te plaît où est le colis.
Vérifie s'il te plaît si la facture est là.
Cherche s'il te plaît quand part le train.
Mira por favor dónde está el paquete.
Por favor, mira si ha llegado la factura.
Averigua por favor cuándo sale el tren.
Guarda per favore dov'è il pacco.
Controlla per favore se la fattura è arrivata.
Veja por favor onde está o pacote.
Посмотри, пожалуйста, где посылка.
Проверь, пожалуйста, пришёл ли счёт.
Kijk alsjeblieft waar het pakket is.
请看看包裹在哪里。
请查一下发票到了没有。
Bitte hilf mir.
Bitte hilf mir dabei.
Aide-moi s'il te plaît.
Ayúdame, por favor.
Aiutami per favore.
Помоги мне, пожалуйста.
请帮帮我。
Bestell bitte zwei Säcke Erde nach.
Trag bitte fünf Namen ein.
Druck bitte drei Plakate aus.
"""
RULES = """
Bitte duze mich.
Bitte antworte kurz.
Bitte sieze mich.
Please answer in French.
Please keep it short.
日本語で答えてください。
敬語を使ってください。
簡潔に書いてください。
短く答えてください。
変更しないでください。
한국어로 답해 주세요.
짧게 써 주세요.
Please always check whether the tests pass.
Bitte schau immer nach, ob die Tests laufen.
Frag mich bitte, bevor du etwas löschst.
Frag bitte immer drei Firmen an.
Please use tabs.
Bitte nutze Tabs.
Schreib bitte alle Zahlen in Worten.
Réponds s'il te plaît en français.
Vérifie toujours si la facture est là.
Responde por favor en español.
Rispondi per favore in italiano.
Отвечай, пожалуйста, по-русски.
请用中文回答。
请保持简短。
Please ask before you book.
Please don't call before nine.
Please tell me whenever a test fails.
Bitte sag mir immer, wenn etwas schiefgeht.
Check before each commit whether the build passes.
Bitte gib Preise in Franken an.
Bitte lass die Überschriften stehen.
Lass bitte zwei Leerzeilen zwischen den Absätzen.
Nimm bitte nur zwei Farben.
Please look at the style guide before writing.
丁寧に話してください。
ゆっくり話してください。
전문 용어를 쓰지 마세요.
Bitte schau, dass keine Namen drinstehen.
Please make sure that names are spelled out.
"""


def test_an_errand_is_no_rule() -> None:
    assert [one for one in ERRANDS.strip().splitlines() if as_rule(one) >= RULE_WEIGHT] == []


def test_a_rule_with_the_words_of_an_errand_stays_one() -> None:
    assert [one for one in RULES.strip().splitlines() if as_rule(one) < RULE_WEIGHT] == []
