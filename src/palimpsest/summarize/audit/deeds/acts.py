"""What is said to have been done in the world outside, held against what ran and what was told.

That something was deployed, pushed, sent or paid needs a call that does so, or somebody who says that it was done. A
plan, a question and a refusal are not enough. Nor is all of the work done where nobody said so. That so many rows went
is known as well where the source has how many there were before and how many were left.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from palimpsest.patterns import later
from palimpsest.summarize.audit.told import DONE, LOOK_CHARS
from palimpsest.summarize.outcomes import outcome
from palimpsest.summarize.sentences import PIECE, sentences
from palimpsest.summarize.source import Source
from palimpsest.summarize.spoken.cues import FORBIDS
from palimpsest.summarize.spoken.telling import ALL_DONE, ALL_WELL, NOTHING_OPEN
from palimpsest.summarize.toolcalls import decode

_FUTURE = later(
    r"\b(?:will|'ll|shall|going to|plan\w*|next|want\w*|may i|can i|should|could|would|let me|let's|to do|before|"
    r"wait\w*|until|once|when|if|pending|todo|later|soon|werde|soll|möchte|bis)\b|将|要|准备|待",
    re.I,
)
_NOTHING = later(
    r"^\W{0,4}(?:nothing|none|neither|nobody|no one|nichts|niemand|rien|personne|nada|nadie|niente|ничего|никто)\b",
    re.I,
)
"""Who begins so tells that nothing was done."""
_ACTS: Mapping[str, str] = {
    "deploy": r"deployed|rolled out|shipped",
    "release": r"released",
    "commit": r"committed",
    "push": r"pushed",
    "merge": r"merged",
    "publish": r"published",
    "revert": r"reverted|rolled back",
    "restart": r"restarted|rebooted",
    "operate": r"(?:run|executed|applied|carried out) (?:on|in|against) (?:production|prod|live)",
    "refund": r"refunded",
    "send": r"sent|notified",
    "mail": r"emailed|mailed",
    "tell": r"informed|alerted|pinged|messaged|contacted|consulted",
    "book": r"booked|reserved",
    "pay": r"paid(?: for)?",
    "file": r"submitted to|filed with|lodged with",
    "delete": r"deleted|wiped|purged|dropped|erased",
}
_IN_OTHERS: Mapping[str, str] = {
    "deploy": r"aus(?:gerollt|geliefert)|deployt|上线|部署|déployé|mise?s? en production|despl(?:egad|egó)|"
    r"デプロイ|リリース|implantad|(?:aplicad|liberad)\w* em produção|배포|릴리스|разв[её]рнут|выкачен|задеплоен",
    "publish": r"veröffentlicht|发布|publié|public(?:ad|ó)|опубликован",
    "merge": r"gemerg[et]d?|zusammengeführt|合并|병합|머지",
    "refund": r"erstattet|zurückgezahlt|退款|remboursé|reembols(?:ad|ó)|"
    r"devolvió el dinero|estornad|返金|환불|возвращен",
    "send": r"ver(?:schickt|sendet)|abgeschickt|gesendet|zugesandt|发送|寄出|envoyé|expédié|envi(?:ad|ó)|mandad|"
    r"送信|送付|発送|발송|전송|отправлен",
    "book": r"gebucht|reserviert|预订|订好|réservé|reserv(?:ad|ó)|予約|예약|забронирован",
    "pay": r"bezahlt|überwiesen|付款|支付|付清|payé|pag(?:ad|ó|[oa]s?\b)|abonad|支払|결제|지불|оплачен",
    "file": "eingereicht",
    "restart": r"(?:neu ?|durch)gestartet|重启|重新启动|redémarré|relancé|reinici(?:ad|ó)|再起動|"
    r"재시작|재부팅|переза(?:пущ|груж)ен",
    "commit": "commit?tet|eingecheckt|コミット|커밋",
    "push": "gepush[te]d?|推送|プッシュ|푸시",
    "delete": r"gelöscht|删除|清空|supprimé|effacé|borr(?:ad|ó)|elimin(?:ad|ó)|"
    r"削除|apagad|excluíd|삭제|удал[её]н",
}
"""How acts are named in other languages, where they are done."""
_ACTS_IN: Mapping[str, str] = {
    "deploy": r"deploy|releas|roll\w* ?out|ship|publish|up -d|apply|ausroll|ausliefer|发布",
    "release": r"deploy|releas|roll\w* ?out|ship|publish|up -d|apply",
    "commit": r"\bgit\b[^\n]{0,80}\bcommit|commit_|_commit|committed|"
    r"\bcommit(?:ting)? (?:it|this|these|my|the changes)\b|\[[\w/.-]{1,80} (?:\(root-commit\) )?[0-9a-f]{7,40}\]",
    "push": r"push|推送",
    "merge": r"merg(?!e[ _-]requests?\b)|pull(?![ _-]?requests?\b)|zusammenführ|zusammengeführt|合并",
    "publish": r"publish|upload|releas|push|veröffentlich|发布",
    "revert": r"revert|roll\w*[ _-]?back|reset|checkout|restore|undo",
    "restart": r"restart(?!s\b)|reboot|reload|(?<![a-z])start|up -d",
    "operate": r"prod|live",
    "refund": r"refund|erstatt|zurück(?:ge)?zahl|退款",
    "send": r"sen[dt]|mail|notif|\bpost(?:s|ed|ing)?\b|messag|transfer|publish|schick|versand|发送|寄",
    "book": r"\bbook(?:s|ed|ing|_|\b)|reserv|gebucht|buchen|buchung|预订|订",
    "pay": r"(?<![a-z])pa(?:id|y|ys|ying|yments?)(?![a-z])|charge|purchas|checkout|transfer|zahl|überw|付|支付",
    "file": r"submi|\bfil(?:e|ed|ing) (?:with|it|the)|lodg|upload|einreich|eingereicht",
    "mail": r"sen[dt]|mail|notif|\bpost(?:s|ed|ing)?\b|messag",
    "delete": r"delet|remov|\brm\b|drop|truncat|purg|wip(?:e|ing)|clear|eras|destroy|lösch|entfern",
    "tell": r"inform(?!ation|at)|alert|\bping|messag|sen[dt]|mail|notif|\bpost(?:s|ed|ing)?\b|contact|consult|told|"
    r"heads[ -]up|let \w{1,20} know|spoke|talk|\bcall(?:ed|ing)\b|slack",
}
_CODE = later(
    r"^(?!.*\b(?:committed to|transactions?|offsets?|memory|crimes?|locks?|leases?|dicts?|events?|messages?|"
    r"connections?|lists?|rows?|tables?)\b).*(?:#\d|\b(?:branch(?:es)?|commits?|tags?|pull|PR|MR|main|master|develop|trunk|upstream|"
    r"origin|remote|repo\w*|git|patch|versions?|v?\d{1,4}\.\d{1,4}[\d.]*|releases?|builds?|packages?|images?|crates?|"
    r"(?:hot)?fix(?:es)?|features?|changes?|edits?|code|work|everything|all|it|docs|documentation|refactor\w*|config\w*|"
    r"settings?|migrations?|merge|deploy\w*|merge[ -]requests?|registry|staging|prod\w*|as [0-9a-f]{7,40}|apps?|"
    r"updates?|files?|scripts?|tests?|npm|pypi|articles?|posts?|blog|site|website|library|newsletter|implementation|"
    r"to (?:users|customers|the public)|rename)\b)",
    re.I,
)
_ACTS_ON: Mapping[str, re.Pattern[str]] = {
    **dict.fromkeys(("release", "commit", "push", "merge", "publish", "revert"), _CODE),
    "restart": later(
        r"^(?!.*\b(?:timer|game|animation|component|loop|counter|level|round|numbering|video|from (?:scratch|zero))\b)",
        re.I,
    ),
    "send": later(
        r"\b(?:e-?mails?|mails?|messages?|letters?|invoices?|repl(?:y|ies)|notifications?|notice|newsletter|reports?|"
        r"reminders?|quotes?|offers?|invitations?|receipts?|documents?|parcels?|payments?|money|customers?|team)\b|"
        r"(?-i:\b(?:to|[Nn]otified) [A-Z][a-z])",
        re.I,
    ),
    "delete": later(
        r"\b(?:rows?|records?|entries|databases?|tables?|data|accounts?|buckets?|backups?|volumes?|users?|customers?|"
        r"orders?|messages?|e-?mails?|photos?|history|logs?|daten\w*|zeilen|tabellen?|konto|konten|einträge|"
        r"données|lignes|base|comptes?|datos|filas|registros|cuentas?)\b|行|数据|记录|账户|表|データ|レコード|アカウント",
        re.I,
    ),
    "tell": later(
        r"\b(?:teams?|customers?|managers?|leads?|support|owners?|stakeholders?|colleagues?|maintainers?|vendor|"
        r"department|legal|ops|oncall|on-call)\b|(?-i:\b[A-Z][a-z]{1,30} (?:from\b[^.;]{1,60} )?(?:was|has been) |"
        r"(?:ed) [A-Z][a-z])",
        re.I,
    ),
}
"""What is deployed or sent in the world outside: a lock is released too, tables are merged, an event is sent."""
_TELLS_HOW = frozenset(("release", "publish", "revert", "restart", "send", "delete"))
"""What code does of itself whenever it runs: "the lock is released", "a mail is sent"."""
_DID = later(
    r"^(?:\W{0,4}|[^.;:]{0,60}\b(?P<how>was|were|has been|have been|is|are|got|successfully|then|and|i|we|user|"
    r"assistant|agent) )"
    rf"(?:{'|'.join(f'(?P<{act}>{words})' for act, words in _ACTS.items())})\b",
    re.I,
)


_ELSEWHERE = later(rf"(?:{'|'.join(f'(?P<{act}>{words})' for act, words in _IN_OTHERS.items())})", re.I)
_IN_CODE = later(
    r"(?<![\w.])[\w/.-]{1,120}\.(?!com\b|org\b|net\b)[a-z]{1,5}\b|"
    r"\b(?:from|of|in|aus|du|de la|del|dal) (?:the |its |dem |der )?(?:[\w'’-]{1,20} ){0,2}"
    r"(?:output|results?|reports?|pages?|views?|responses?|lists?|prompts?|code|docs?|readme|résultat|sortie|ergebnis|"
    r"ausgabe|resultado|salida)\b",
    re.I,
)
"""What is deleted from a file, or from what a program shows, is an edit, and no deed outside."""
_AS_IT_IS = later(r"\W{0,4}\w{3,20}ed (?:[\w-]{1,30} ){1,3}(?:stay|remain|keep|kept)\w*\b", re.I)
"""What is only named by a deed: "merged migrations stay as they are"."""
LEAST_RECKONED, MAX_FIGURES = 1_000, 2_000
"""Numbers below are the difference of some two others by chance; of so many figures of a source one may be reckoned."""
_FIGURE = later(r"(?<![\w.,])\d{1,3}(?:[,.']\d{3}){1,4}(?![\w]|[.,]\d)|(?<![\w.,])\d{4,12}(?![\w]|[.,]\d)")


def all_well(lines: Sequence[str], source: Source) -> Iterator[str]:
    """The sentences of lines that tell falsely that all is done, that nothing is open, or that nothing failed."""
    yield from (one for line in lines for one in sentences(line) if _is_all_well(one, source))


def undone(lines: Sequence[str], source: Source) -> Iterator[str]:
    """The sentences of lines that have something done outside which nobody did, nor said to be done."""
    for one in lines:
        for line in filter(None, map(str.strip, PIECE.split(one))):
            found = _DID.match(line)
            elsewhere = _ELSEWHERE.search(line) if not found and DONE.search(line) else None
            act = found.lastgroup if found else elsewhere.lastgroup if elsewhere else None
            if (
                act
                and (
                    (elsewhere and act != "delete")
                    or _is_deed(line, act, (found["how"] or "").lower() if found else "")
                )
                and not FORBIDS.search(line)
                and not _NOTHING.search(line)
                and not _FUTURE.search(line)
                and not _is_told(act, source)
                and not (act == "delete" and _is_reckoned(line, source))
            ):
                yield line


def _is_all_well(line: str, source: Source) -> bool:
    """Whether a sentence tells that all is done or that nothing is open, where nobody says so, or that nothing failed,
    where a call did.
    """
    if ALL_WELL.search(line):
        commands = {call.id: decode(call).command for one in source.messages for call in one.calls}
        results = (it for one in source.messages for it in one.results)
        return any(outcome(it, commands.get(it.call_id, "")).failed for it in results)
    if not (ALL_DONE.search(line) or NOTHING_OPEN.search(line)):
        return False
    spoken = (one.text[:LOOK_CHARS] for one in source.messages if one.role in ("user", "assistant"))
    told = (one for text in (*source.summaries, *spoken) for one in sentences(text))
    return not any(ALL_DONE.search(one) or NOTHING_OPEN.search(one) for one in told)


def _is_deed(line: str, act: str, how: str) -> bool:
    """Whether a line tells of a deed in the world outside, and not of what code does."""
    if (
        _AS_IT_IS.match(line)
        or (how in ("is", "are") and act in _TELLS_HOW)
        or (act == "delete" and _IN_CODE.search(line))
    ):
        return False
    return act not in _ACTS_ON or bool(_ACTS_ON[act].search(line))


def _is_reckoned(line: str, source: Source) -> bool:
    """Whether as many as a line tells are between two figures of what results and people say."""
    told = [number for number in _figures(line) if number >= LEAST_RECKONED]
    if not told:
        return False
    texts = (
        one for message in source.messages for one in (message.text, *(it.text for it in message.results))
    )
    known = {number for one in texts for number in _figures(one[:LOOK_CHARS])}
    return len(known) <= MAX_FIGURES and any(number + other in known for number in told for other in known)


def _figures(text: str) -> set[int]:
    return {int(re.sub(r"\D", "", found[0])) for found in _FIGURE.finditer(text)}


def _is_told(act: str, source: Source) -> bool:
    """Whether a call, its result, a summary, or somebody who tells no plan speaks of an act; a user who orders it does
    not tell that it was done.
    """
    others = f"|{_IN_OTHERS[act]}" if act in _IN_OTHERS else ""
    pattern = re.compile(_ACTS_IN[act] + others, re.I)
    done = re.compile(
        rf"{_ACTS[act]}{others}|\b(?:{_ACTS_IN[act]})\w*(?:ed|en)\b|\bge\w{{0,12}}(?:{_ACTS_IN[act]})", re.I
    )
    for message in source.messages:
        if any(pattern.search(f"{call.name} {call.arguments}") for call in message.calls):
            return True
        if any(pattern.search(result.text) for result in message.results):
            return True
        told = done if message.role == "user" else pattern
        for one in sentences(message.text[:LOOK_CHARS]):
            if told.search(one) and not (
                FORBIDS.search(one) or _FUTURE.search(one) or one.endswith(("?", "？"))
            ):
                return True
    return any(map(pattern.search, source.summaries))
