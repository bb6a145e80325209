"""Whether a reply answers the user, goes on with the conversation or with the work, instead of summarizing.

Rules kept here:

- An answer speaks to the user; a summary speaks of the user. What begins as an answer does, asks back, or says "you"
  and never names the user, counts only where nothing of a summary's form is there. A text that tells of the user and
  only begins or ends with a sentence to the user is a summary: that sentence goes.
- An answer says what is new. A short reply of plain sentences of which hardly a word was said before the newest request
  tells nothing of what was said there.
- Turns of speakers, and a line of a play, go on with the conversation; code, calls and pages go on with the work.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice

from palimpsest.patterns import later
from palimpsest.summarize.alike import with_forms
from palimpsest.summarize.audit.languages import LITTLE
from palimpsest.summarize.audit.reply.addressed import (
    ASKED,
    LABELLED,
    QUESTION,
    QUOTED,
    TO_SOMEBODY,
    addressing,
)
from palimpsest.summarize.audit.told import OF_USER
from palimpsest.summarize.sentences import sentences, terms, without_fences
from palimpsest.summarize.spoken.cues import is_code

CODE_SHARE = 0.6
CODE_CHARS = 160
"""A reply of which this share of the lines is code, in lines up to here, is code."""
FEW_TERMS, SHORT_TERMS = 5, 14
TOLD_SHARE = 0.34
"""A reply of so many words, of which fewer than this share were said before the newest request, says what is new."""
HANDING_SENTENCES = 2
"""Of so many first sentences one hands over a draft."""
ASKING_SENTENCES = 3
"""A reply of so few sentences, of which the last is a question, asks."""
TURNS, TURNS_SHARE = 2, 0.5
"""A reply of which so many lines, and this share, begin with a speaker's name goes on with the conversation."""

_SUGGESTING = (
    r"i(?:'d| would)? (?:suggest|recommend|propose|advise)\b|i would\b|my (?:suggestion|proposal|"
    r"recommendation|advice)\b|"
    r"how about\b|what about\b|ich (?:schlage|empfehle|würde|rate)\b|mein(?:e)? (?:vorschlag|empfehlung)\b|"
    r"wie wäre\b|(?:je|nous) (?:te|vous) (?:propos|conseill|recommand|suggèr)|(?:te|le|os|les) (?:propon|"
    r"propong|recom|sugier)|"
    r"mi (?:propuesta|recomendación|sugerencia)\b|(?:ti|vi) (?:propon|consigli|suggeri)|(?:eu )?(?:sugiro|"
    r"recomendo|proponho)\b|"
    r"我(?:建议|推荐|提议)|建议您|建议你|私のおすすめ|おすすめ(?:は|です)|(?:を)?提案します"
)
_GREETING = (
    r"(?:dear|hello|hi|hey|greetings|hallo|liebe[rs]?|guten (?:tag|morgen|abend)|moin|hola|buen[oa]s|"
    r"querid[oa]|estimad[oa]|"
    r"bonjour|bonsoir|salut|chère?|ciao|salve|buongiorno|olá|car[oa]|привет|здравствуйте)(?![\w-])"
    r"(?=[^\n:]{0,40}[,!])|"
    r"(?:you'?re|you are) welcome\b|my pleasure\b|gern geschehen|bitte sehr|de nada\b|de rien\b|"
    r"je vous en prie|prego[,!.]|"
    r"不客气|不用谢|您好|你好|こんにちは|どういたしまして|안녕|천만에요|пожалуйста[,!.]"
)
_APOLOGY = (
    r"(?:i'?m|i am|we'?re|we are) (?:\w+ )?sorry\b|sorry\b(?! state)|my apologies|"
    r"(?:es )?tut mir (?:\w+ )?leid|entschuldig\w*|"
    r"(?:je suis |nous sommes )?désolée?s?\b|pardon\b(?! the)|"
    r"lo (?:siento|lamento)\b|perdón\b|disculpa|mi dispiace|scusa|"
    r"desculp|sinto muito|(?:很|非常)?抱歉|对不起|對不起|不好意思|申し訳|すみません|ごめん|죄송|извините|простите"
)
_ANNOUNCING = (
    r"(?:now|next|first),? i(?:'ll| will|'m| am)?\b|i(?:'m| am) (?:now )?(?:going|about) to\b|"
    r"i \w{2,20} (?:the|it|this)\b[^\n.:]{0,60} now\b|procedo\b|eseguo\b|ik ga\b|(?:сейчас|теперь) я\b|"
    r"(?:ich|je|ik) \w{2,20} (?:(?:es|le|la|die|das|den) )?(?:[^\W\d_]{1,24} )?(?:jetzt|nun|gleich|"
    r"maintenant|nu|eerst|"
    r"zuerst|d'abord)\b|(?:ahora|primero|ora|adesso|agora) (?:vou\b|voy\b|\w{2,20}o\b)"
)
"""How somebody begins who tells what he does next."""
_ANSWERING = later(
    r"\W{0,4}(?:sure\b|of course\b|certainly[,!. ]|absolutely[,!. ]|great question|happy to\b|i'?d be happy|"
    r"i'?d love|glad to|i(?:'ll| will| can| can't| cannot|'m sorry| apologi[sz]e|'ve (?:just )?(?:fixed|updated|"
    r"added|created|done))\b|i (?:have |just |now )?(?:fixed|updated|added|created|changed|"
    r"removed|finished|did)\b[^\n]{0,120}\byou|done[.!,]|(?:ok|okay|yes|alright|all right|understood|got it)[,.! ]|"
    r"let me\b|here(?:'s| is| are)\b|as an ai\b|you (?:can|should|could|need to)\b|"
    r"thanks? (?:you )?for|no problem|gerne\b|natürlich\b|klar[,! ]|hier ist\b|ich (?:werde|kann|habe)\b|"
    r"(?:eingetragen|erledigt|fertig|verstanden|alles klar|listo|hecho|entendido|compris|fatto|capito|feito)[,.!]|"
    r"bien sûr|voici\b|d'accord|je (?:vais|peux)\b|claro\b|por supuesto|aquí (?:está|tienes)|voy a\b|puedo\b|"
    r"certo[,! ]|ecco\b|com certeza|aqui está|"
    r"(?:certainement|avec plaisir|volontiers|entendu|oczywiście|jasne|pewnie|dobrze|zeker|natuurlijk|"
    r"goed|prima|klaro?|"
    r"perfecto|desde luego|perfeito|volentieri|d['’]accordo|va bene|понял[аи]?|понятно|конечно|ясно|будет сделано|"
    r"принято)[,.!]|claro que sí|"
    r"(?:好|行|收到|明白了?|了解)(?:[，,！!。]|$)|(?:畏|かしこ)まり|了解(?:です|しま|いたし|。|、)|"
    r"はい[。、！]|예[,.] |좋습니다[.!]|"
    r"好的(?=[，,。！!~ ]|$|我)|当然|當然|没问题|我来|我會|我会|以下是|"
    r"您可以|你可以|もちろん|はい、|承知|わかりました|了解しました|물론|네,|알겠습니다|"
    rf"конечно|хорошо[,!]|вот\b|{_ANNOUNCING}|{_SUGGESTING}|{_GREETING}|{_APOLOGY})",
    re.IGNORECASE,
)
_DRAFT = later(
    r"\b(?:here(?:['’]s| is| are)|below is|i(?:['’]ve| have) (?:written|drafted|prepared|put together)|"
    r"hier(?: ist| sind|"
    r" kommt)|anbei|voici|voilà|aquí (?:está|tienes?|va)|ecco|di seguito|aqui (?:está|vai)|segue|hier is|"
    r"oto|poniżej|вот)"
    r"\b[^\n.!?]{0,60}\b(?:drafts?|entwurf|entwürfe|vorschlag|brouillon|ébauche|projet|proposition|"
    r"borrador|propuesta|"
    r"bozza|proposta|rascunho|esboço|concept|ontwerp|voorstel|szkic\w*|projekt\w*|черновик\w*|набросок\w*|"
    r"проект\w*)\b|"
    r"(?:以下|下面|这)(?:是|为)[^。\n]{0,30}(?:草稿|初稿|草案)|(?:下書き|ドラフト|草案|たたき台|文案)"
    r"(?:です|を(?:お作り|用意|作成)[^。\n]{0,8}ました|は(?:以下|次))|초안(?:입니다|을 (?:작성|준비))",
    re.IGNORECASE,
)
"""How a text is handed over that was written for the user."""
DECLINING = later(
    r"\W{0,4}summari[sz]e (?:the|this) (?:conversation|messages?|following)\b|"
    r"\W{0,4}(?:(?:i'?m|i am|we are) (?:\w+ )?sorry|sorry|i apologi[sz]e|unfortunately|"
    r"i (?:can'?t|cannot|can not|won'?t|"
    r"will not|am (?:not able|unable) to|'m (?:not able|unable) to)|i'm (?:not able|unable) to|es tut mir leid|"
    r"leider kann|désolé|je ne peux pas|"
    r"lo siento|no puedo|抱歉|很抱歉|对不起|对不起|无法|我不能|申し訳|죄송|извините)"
    r"[^\n]{0,200}(?:help|assist|summar|provide|comply|continue|discuss|process|zusammenfass|helfen|"
    r"aider|résum|ayudar|resum|总结|摘要|帮助|"
    r"協力|要約|도와|요약|помочь)",
    re.IGNORECASE,
)
ABOUT = later(
    r"summar|briefing|conversation so far|recap|zusammenfassung|résumé|resumen|摘要|总结|總結|要約|まとめ|요약|"
    r"сводк|резюме",
    re.IGNORECASE,
)
_ASKING_BACK = later(
    r"(?:would you like|do you want me|shall i|let me know|should i (?:go|proceed|continue|do)|anything else|"
    r"what(?:'s| is) next|"
    r"feel free to|möchten sie|soll ich|sag(?:en sie)? (?:mir )?bescheid|souhaitez-vous|voulez-vous|"
    r"quieres que|需要我|要我|"
    r"您希望|でしょうか|ましょうか)"
    r"[^\n]{0,160}[?？.!。！]?\s*$",
    re.IGNORECASE,
)
_WORKING = later(
    r"\s{0,4}(?:\[(?:call|tool)\b|<\|?/?(?:antml:|tool_|function_)?(?:call|calls|invoke|use|function|parameter)\b|"
    r"\{\s{0,8}\"(?:name|tool|tool_calls|function|function_call|arguments|parameters|command|input)\"\s{0,4}:|"
    r"(?:thought|action|observation|tool call)\s?:\s?\S|<!doctype\b|<html\b)",
    re.IGNORECASE,
)
_TURN = later(
    r"\s{0,4}[*_\[#]{0,3}(?P<who>user|human|assistant|ai|agent|model|system|tool|nutzer|benutzer|"
    r"assistent|usuari[oa]|asistente|"
    r"utilisateur|utilisatrice|utente|assistente|用户|助手|ユーザー|アシスタント|사용자)[*_\]]{0,3}\s?[:：]",
    re.IGNORECASE,
)
_LISTED = later(r"^\s{0,8}(?:[-*•]\s|\d{1,3}[.)]\s|#)", re.MULTILINE)
_PLAYED = later(r"\s{0,4}(?:\*[^*\n]{4,400}\*|[\"“«„「][^\"”»“」\n]{2,400}[\"”»“」][^\n]{0,60})\s*")
"""One line of a play: what is done between stars, or what somebody says."""
_TELEGRAPHIC = later(
    r"\W{0,4}(?:\w{2,20}ed|built|wrote|made|ran|done|found|set) (?!me\b|you\b|it\b)\w", re.IGNORECASE
)
"""How work is told in short: "Removed the buoys; fixtures repaired."."""
_STATEMENT = later(r"\w\W{0,8}[;{}]$|^[\w.-]{1,60}\s?(?:=|:=|:)\s?\S{1,60}$")
"""A single line that is code for sure: as statements end, or one name with its value."""


def answering(text: str, plain: str, behind: frozenset[str]) -> str:
    """Why a reply without a summary's form is an answer or more of the work, "" if it may be a summary. `plain` is the
    reply without code and links; `behind` are the source's terms that stand elsewhere than in the newest request.
    """
    first = text.lstrip()[:200]
    if DECLINING.match(first):
        return "it speaks of summarizing instead of doing it"
    if _ANSWERING.match(first) and not ABOUT.search(first.split("\n", 1)[0]) and not opening(text):
        return "it answers the conversation instead of summarizing it"
    if _hands_over(text) or _speaks_at_both_ends(text, behind):
        return "it answers the conversation instead of summarizing it"
    if _takes_turns(text) or (_PLAYED.fullmatch(text) and not OF_USER.search(text)):
        return "it goes on with the conversation instead of summarizing it"
    if (
        (_ASKING_BACK.search(text[-300:]) and not _only_closes(text))
        or _speaks_to_user(plain)
        or _asks(plain)
    ):
        return "it speaks to the user instead of summarizing"
    if _WORKING.match(text) or _is_work(text):
        return "it goes on with the work instead of summarizing it"
    if _says_new(plain, behind):
        return "it says other things than the conversation does"
    return ""


def _only_closes(text: str) -> bool:
    """Whether a text that tells of the user, and of nobody as "I" or "you", speaks to the user in its last sentence
    alone, which then goes by itself.
    """
    said = list(sentences(text))
    return bool(said) and any(addressing(said[-1:], "")) and _tells(text[: text.rfind(said[-1])])


def _hands_over(text: str) -> bool:
    """Whether one of the first sentences hands over a draft of something, and not of the summary."""
    first = list(islice(sentences(text), HANDING_SENTENCES))
    return any(_DRAFT.search(QUOTED.sub(" ", one)) and not ABOUT.search(one) for one in first)


def _speaks_at_both_ends(text: str, behind: frozenset[str]) -> bool:
    """Whether the first sentence of several speaks to the user, and so does the last."""
    said = list(sentences(text))
    return len(said) > 1 and all(any(addressing([one], "", behind)) for one in (said[0], said[-1]))


def opening(text: str) -> str:
    """The sentence with which an answer begins, where all that follows tells of the user: it goes by itself; else
    "".
    """
    first = next(sentences(text), "")
    answers = _ANSWERING.match(first) and not OF_USER.search(first)
    return first if answers and _tells(text[text.find(first) + len(first) :]) else ""


def before_headings(lines: Sequence[str]) -> tuple[str, ...]:
    """The sentences before the first heading of a summary, where they answer somebody or speak to somebody."""
    text = "\n".join(lines)
    said = tuple(sentences(text))
    return said if said and (_ANSWERING.match(said[0]) or _speaks_to_user(text)) else ()


def _tells(text: str) -> bool:
    """Whether a text tells of the user, and of nobody as "I" or "you"."""
    plain = QUOTED.sub(" ", text)
    return len(set(terms(plain))) >= SHORT_TERMS and bool(OF_USER.search(plain)) and not ASKED.search(plain)


def _speaks_to_user(text: str) -> bool:
    """Whether it says "you", quotations apart, and never names the user."""
    return bool(TO_SOMEBODY.search(QUOTED.sub(" ", text))) and not (
        OF_USER.search(text) or ABOUT.search(text)
    )


def _asks(text: str) -> bool:
    """Whether a short reply ends with a question that is not said to be anybody's."""
    said = list(sentences(text))
    if not 0 < len(said) <= ASKING_SENTENCES or not said[-1].endswith(QUESTION):
        return False
    return not (OF_USER.search(text) or LABELLED.search(said[-1]))


def _takes_turns(text: str) -> bool:
    """Whether its lines are turns of speakers."""
    lines = [line for line in text.splitlines() if line.strip()]
    turns = [found["who"].lower() for line in lines if (found := _TURN.match(line))]
    return len(set(turns)) >= TURNS and len(turns) >= TURNS_SHARE * len(lines)


def _is_work(text: str) -> bool:
    """Whether most of the lines are code, or stand in a fence of code."""
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("```")]
    plain = [line.strip() for line in without_fences(text).splitlines() if line.strip()]
    said = sum(len(line) > CODE_CHARS or not is_code(line) for line in plain)
    bare = len(lines) > 1 or not plain or bool(_STATEMENT.search(lines[0]))
    return bare and said <= (1 - CODE_SHARE) * len(lines)


def _says_new(text: str, behind: frozenset[str]) -> bool:
    """Whether hardly a word of a short reply was said before what it answers. What names the user, or is a list, speaks
    of the conversation.
    """
    if OF_USER.search(text) or _LISTED.search(text) or _TELEGRAPHIC.match(text):
        return False
    own = {term for term in terms(text) if term not in LITTLE}
    return FEW_TERMS <= len(own) < SHORT_TERMS and len(with_forms(own, behind)) < TOLD_SHARE * len(own)
