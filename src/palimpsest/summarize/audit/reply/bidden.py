"""Whether a sentence has what an order bids done, decided, planned or true, in whatever form its deed is told.

Rules kept here:

- What only tells that a deed is done, due or so is put aside: auxiliaries, signs of aspect, the endings of verbs. What
  is left are a deed, its thing, and who did it.
- An order's deed of which nobody else speaks, with its thing, is the order's where they are most of a sentence. So is
  that somebody agreed, signed or confirmed, where only an order says so.
- That something is not so yet, waits, or stays as it was before tells against the order.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from palimpsest.patterns import later
from palimpsest.summarize.alike import with_forms
from palimpsest.summarize.audit.clauses import clauses
from palimpsest.summarize.audit.languages import LITTLE
from palimpsest.summarize.audit.told import OF_USER
from palimpsest.summarize.injections import REPORTED
from palimpsest.summarize.sentences import sentences
from palimpsest.summarize.spoken.cues import FORBIDS
from palimpsest.summarize.spoken.texts import STOP

BIDDEN_SHARE, SURE_SHARED = 0.6, 3
MAX_WORDS = 4_000
"""Words of one order, or of one slice of a text, that are looked at."""
_ASPECT = later(
    r"已经?|曾经?|被|完成|完毕|处于|正在|现在|目前|[需须]要?|应该?|必须|将(?:要|会)?|计划|决定|打算|状态|成功|得到|(?<=[\u3400-\u9fff])[了过掉]|"
    r"済み?|完了|予定|決定|必要|状態|実施|"
    r"(?<=[가-힣])(?:하|되|됐|했|됨|함|한|된|될|할|돼|해|하였|되었)[가-힣]{0,7}(?![가-힣])|"
    r"(?<=[가-힣])(?:에서|으로|에게|께서|님이|님은|님의|님|은|는|이|가|을|를|의|에|로|와|과|도|만|께)(?![가-힣])|"
    r"(?<![가-힣])(?:완료|예정|상태|결정|있|받)[가-힣]{0,3}(?![가-힣])"
)
"""What in scripts without spaces only tells that a deed is done, due or so."""
_AUXILIARY = frozenset(
    """
    has have had hat haben hatte ha hanno ont han há tem heeft hebben be been being get gets got must made make
    makes done do does did shall should will would
    need needs needed now already still ready set planned plan decided decision there favour favor
    wird werden wurde wurden worden muss müssen soll sollen sollte zu erfolgt erledigt gemacht bereits schon jetzt nun
    geplant bereit zugunsten liegt vor
    est sont été être doit doivent faut fait faite faites faire déjà maintenant prévu prévue prêt prête profit
    es son fue fueron sido ser está están queda quedan debe deben hay hecho hecha hacer ya ahora previsto prevista favor
    è sono stato stata stati state essere va vanno viene vengono deve devono da fatto fatta fare già ora adesso previsto
    prevista pronto pronta favore si
    foi foram sido ser está estão fica ficam deve devem feito feita fazer já agora pronto
    wordt worden werd werden moet moeten zal gedaan maken al nu klaar
    jest są został została zostało zostały zostać musi muszą należy zrobiono zrobić już teraz gotowe
    был была было были быть будет будут должен должна должно должны нужно надо сделан сделана сделано сделать уже теперь
    пользу есть
    """.split()
)
_PARTICLES = frozenset("的了是我你他她它们吗呢啊吧呀嗯很在也都就这那么着")
"""Signs that no Chinese word but a little one has."""
_WORD = later(r"[^\W_\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{2,40}")
_NOUN = later(r"(?<=\w{4})l?ations?$")
"""What makes a noun of a verb, where it makes the word much longer."""
_HAN, _KANA = later(r"[\u3400-\u9fff]+|[\u30a0-\u30ff]{2,}|[\uac00-\ud7af]+"), later(r"[\u3040-\u30ff]")
LETS = later(
    r"\b(?:approv|agree|consent|authori[sz]|permit|sign(?:ed|ature|s\b|é)|confirm|conferm|genehmig|zugestimmt|einverst|freigegeb|"
    r"unterschr|unterzeichn|bestätig|accord|firm(?:at|ó|ad|ar|a\b|e\b)|sottoscr|aprob|aprov|autoriz|acept|aceit|concord|zgod|approvat|"
    r"accett|assin(?:ou|ad|atura)|getekend|ondertek|bevestig|goedgekeurd|akkoord|podpisa|potwierdz|zatwierdz|zgodz|"
    r"подпис|подтверд|одобр|соглас|разреш)|签[字署名]|确认|同意|批准|授权|許可|承認|確認|署名|了承|同意|서명|확인|승인|동의|허가|결재",
    re.IGNORECASE,
)
"""How it is told that somebody lets something be done, or has put his name to it."""
LETTING = later(rf"(?:{LETS.pattern})[^\W\d_\u3040-\uffff]*", re.IGNORECASE)
"""The whole of the word by which it is told."""
_NOT_SO = later(
    r"\b(?:not yet|(?:has|have|had|is|are|was|were)(?: not|n['’]t)|yet to|noch (?:nicht|kein\w*)|"
    r"(?:hat|haben|ist|sind|wurden?)\b[^.;]{0,40}? nicht|(?:ne |n['’])\w+ pas|pas encore|non (?:ha|hanno|è|sono)|"
    r"non [^.;]{0,24}ancora|no (?:ha|han|fue|está|se ha)|(?:todavía|aún) no|não (?:foi|está|\w+ou)|ainda não|"
    r"nog niet|niet ge\w+|(?:jeszcze )?nie (?:został\w*|jest|\w+ł[ao]?)|(?:ещё )?не \w+)\b|"
    r"[还尚]没|尚未|未(?!来)|没有?|まだ|ない|ません|なかった|아직|않|못|없",
    re.IGNORECASE,
)
"""How it is told that something is not so."""
_LAST = later(r"[\u3040-\u30ff않못없]")
"""A no that stands behind its verb."""
_STAYS = later(
    r"\b(?:stays?|remains?|kept|keeps?|waits?|waiting|awaits?|bleib\w+|warte[nt]?|rest(?:e|ent|a|ano)|attend\w*|"
    r"riman\w+|aspett\w+|se mantiene\w*|sigue[n]?|espera\w*|continua\w*|mantém|aguarda\w*|blij\w+|wacht\w*|"
    r"pozosta\w+|czeka\w*|оста[её]\w+|жд[её]т|ждут)\b|等待|保留|保持|待[ちっ]|のまま|残|기다|그대로|유지",
    re.IGNORECASE,
)
"""How it is told that something is as it was, or waits."""
_GATES = later(
    r"\b(?:(?:needs?|needed|required|requires?|wait(?:s|ing)?|awaits?) (?:for )?|braucht|brauchen|nötig|warte[nt]?|"
    r"faut|attend\w*|serve|servono|occorre|aspett\w+|falta|necesita\w*|requier\w+|espera\w*|precisa\w*|aguarda\w*|"
    r"nodig|wacht\w*|potrzeb\w+|czeka\w*|нужн\w*|hace|any|every|each|jede[nrsm]?|tout|ogni|cualquier|qualquer|elke|każd\w+|любо\w+|жд[её]т|ждут|требует\w*)\b|等待|需要|必要|待[ちっ]|필요|기다",
    re.IGNORECASE,
)
"""How a ban that holds until something is there is told without a no."""


@dataclass(frozen=True, slots=True)
class Bidden:
    """What orders bid: the words of each, those of them that nobody else has in any form, and the words of all else;
    whether any tells that somebody let something be done, and whether any bids that something not be.
    """

    said: tuple[frozenset[str], ...] = ()
    fresh: frozenset[str] = frozenset()
    others: frozenset[str] = frozenset()
    lets: bool = False
    bans: bool = False


NOTHING_BIDDEN = Bidden()


def bidden_in(orders: Iterable[str], others: frozenset[str]) -> Bidden:
    """What is bidden by orders; `others` are the words (`told_words`) of everything else."""
    texts = list(orders)
    said = tuple(told_words(one) for one in texts)
    words = frozenset[str]().union(*said)
    fresh = words - others
    return Bidden(
        said,
        fresh - with_forms(fresh, others),
        others,
        any(map(LETS.search, texts)),
        any(map(FORBIDS.search, texts)),
    )


def told_words(text: str) -> frozenset[str]:
    """The words of a text that tell a deed, its thing, and who did it."""
    plain = _ASPECT.sub(" ", text.lower())
    japanese = _KANA.search(plain) is not None
    found = {
        _NOUN.sub("", one)
        for one in _WORD.findall(plain)[:MAX_WORDS]
        if one not in STOP and one not in LITTLE
    }
    for run in _HAN.findall(plain)[:MAX_WORDS]:
        pairs = (run[at : at + 2] for at in range(max(1, len(run) - 1)))
        found.update(pair for pair in pairs if japanese or not _PARTICLES.intersection(pair))
    return frozenset(found - _AUXILIARY)


def tells_against(sentence: str, bidden: Bidden) -> bool:
    """Whether a sentence says that what orders bid is not so, or that all is as it was."""
    if (found := _NOT_SO.search(sentence)) and not bidden.bans:
        before, behind = sentence[: found.start()], sentence[found.end() :]
        other = behind if _LAST.match(found[0]) else before
        return not with_forms(told_words(other), bidden.fresh)
    if not _STAYS.search(sentence):
        return False
    own = told_words(_STAYS.sub(" ", sentence))
    return len(with_forms(own, bidden.others)) == len(own)


def says_not_so(sentence: str) -> bool:
    """Whether a sentence says that something is not so, or not yet."""
    return _NOT_SO.search(sentence) is not None


def keeps_a_gate(sentence: str) -> bool:
    """Whether a sentence has something wait for what has to be there first."""
    return _GATES.search(sentence) is not None


def without_gate(sentence: str) -> str:
    """A sentence without the words that have something wait."""
    return _GATES.sub(" ", sentence)


def is_bidden(sentence: str, bidden: Bidden) -> bool:
    """Whether a sentence tells an order's deed of its thing; whether somebody let it be done is for `is_let` to say."""
    own = told_words(OF_USER.sub(" ", sentence))
    fresh = with_forms(own - bidden.others, bidden.fresh)
    if not fresh or len(own) < 2 or LETS.search(sentence):
        return False
    enough = BIDDEN_SHARE * len(own)
    return any(
        len(shared) >= max(2, enough) for one in bidden.said if fresh & (shared := with_forms(own, one))
    )


def is_all_bidden(sentence: str, bidden: Bidden) -> bool:
    """Whether a sentence has no words but those of one order."""
    own = told_words(OF_USER.sub(" ", sentence))
    return len(own) >= SURE_SHARED and any(len(with_forms(own, one)) == len(own) for one in bidden.said)


def consents_in(text: str) -> Iterator[str]:
    """The sentences and clauses of a text that have somebody let something be done."""
    for one in (part for said in sentences(text) for part in dict.fromkeys((said, *clauses(said)))):
        against = FORBIDS.search(one) or keeps_a_gate(one) or _NOT_SO.search(one) or REPORTED.search(one)
        if LETS.search(one) and not against:
            yield one


def is_let(sentence: str, bidden: Bidden, heard: Iterable[str]) -> bool:
    """Whether a sentence has somebody let something be done, as an order has, and nothing that was `heard` (sentences
    of `consents_in`). What the user did is known by what the user said.
    """
    if not bidden.lets or not LETS.search(sentence) or OF_USER.search(sentence):
        return False
    if FORBIDS.search(sentence) or keeps_a_gate(sentence):
        return False
    own = told_words(LETS.sub(" ", sentence))
    if not any(with_forms(own, one) for one in bidden.said):
        return False
    return not any(with_forms(own, told_words(LETS.sub(" ", one))) for one in heard)
