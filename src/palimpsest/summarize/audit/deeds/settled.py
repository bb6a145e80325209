"""What was settled in the end: decisions that lasted, values that a later call set anew, causes that were ruled out,
what was never allowed.

Rules kept here:

- Of two calls of one tool that sets something, which share a name with a figure in it (a ticket, a booking) and differ
  in one value, the later one counts; calls that add, send or create add up. A line that names the shared one with
  the earlier value alone tells what no longer is.
- A question and a proposal decide nothing, nor does what was taken back soon after it, or in words that name it.
- A decision that names only what was given up for something else is not the newest one.
- A cause that somebody ruled out is not the cause, unless somebody names it as one later.
- That the user allowed something needs more than a nod where the user forbade it: a word that allows just that.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from palimpsest.patterns import later
from palimpsest.summarize.alike import with_forms
from palimpsest.summarize.extractive.calls import Calls, written
from palimpsest.summarize.remembered import remembered
from palimpsest.summarize.sentences import terms
from palimpsest.summarize.source import Source
from palimpsest.summarize.spoken.cues import FORBIDS
from palimpsest.summarize.spoken.orders import PERMITS
from palimpsest.summarize.toolcalls import decode

MAX_CALLS = 400
"""Calls that are compared, the newest."""
SAME_SHARE = 0.6
"""Of a cause, or of what was allowed, so many words stand in a sentence that speaks of it."""
MIN_TERMS, ENOUGH_TERMS = 2, 3

SOON = 6
"""So many sentences behind a decision, one that takes something back is taken to mean it."""
MAX_UNDONE = 40

_ASKS = later(r"[?？]\W{0,2}$")
_OPEN = later(
    r"\b(?:would|could|should|might|if|whether|maybe|perhaps|propos\w*|suggest\w*|consider\w*|what about|how about|"
    r"an option|würd\w*|könn\w*|sollt\w*|wenn|falls|vielleicht|peut-être|quizás?|podría\w*|"
    r"(?<!non )si(?![^.?!\n]{0,80}\b(?:gli|non|della|dei|nel|nella|alla|è)\b))\b|"
    r"如果|也许|可以考虑|建议",
    re.I,
)
_UNDONE = later(
    r"\b(?:undo\w*|undid|revert\w*|roll\w*[ -]back|never ?mind|scratch that|forget (?:it|that)|on second thou\w+|"
    r"chang\w* my mind|leave (?:it|that|this|things|everything)(?! out\b)|as (?:it|they) (?:was|were)|"
    r"(?:not worth|too much|too costly)|rückgängig|zurück\w*|doch nicht|lass (?:es|das))\b|"
    r"^\W{0,3}(?:no|nope|nah|rather not|better not|nein|non)\b(?! (?:problem|worries))|算了|撤销|恢复|还原",
    re.I,
)
_FIGURE = later(r"\d")
_SETS = later(
    r"(?:^|__|[./:])(?i:set|update|change|move|assign|modify|edit|adjust|replace|switch|"
    r"re(?:name|assign|schedule|place|set|route|price|label|point|book|size|order|locate|configure))(?![a-z])"
)
"""How a tool's name begins whose later call takes the place of the one before ..."""
_ADDS = later(r"(?:^|_)(?:add\w*|append\w*|comments?|notes?|message|log|watchers?|labels?|tags?)$", re.I)
"""... but for what it adds."""
_ANSWERS = later(r"\W{0,3}(?:yes|yep|yeah|ok|okay|sure|fine|ja|oui|s[ií]|sim|да|tak|evet|是|好|はい)\b", re.I)
_RULED_OUT = later(
    r"\b(?:ruled out|rule out|excluded|(?:is|was|are|were) not the (?:cause|reason|problem|issue)|"
    r"(?:isn't|wasn't) the (?:cause|reason|problem|issue)|not (?:caused by|due to|because of)|"
    r"ausgeschlossen|(?:ist|war) nicht (?:die ursache|der grund))\b|不是原因|排除",
    re.I,
)
_BLAMED = later(
    r"\b(?:caused by|root cause(?: is| was|:)?|due to|because of|the (?:cause|reason) (?:is|was)|"
    r"turn(?:s|ed) out|after all|"
    r"ursache (?:ist|war)|wegen)\b|原因是",
    re.I,
)
_CAUSE = later(
    r"\b(?:caused by|root cause(?: is| was|:)|due to|because of|the (?:cause|reason) (?:is|was))\s"
    r"(?P<cause>[^.;,)\n]{4,200}?)(?= (?:of|in|on|at|for|when|that|which|during|while) |[.;,)\n]|$)",
    re.I,
)
_ALLOWED = later(
    r"\buser (?:has |explicitly |now )?"
    r"(?:allow(?:ed|s)|permit(?:ted|s)|authori[sz]e[ds]|approve[ds](?: of)?|agree[ds] to|gave permission (?:for|to)|"
    r"okay(?:ed|s)) (?P<what>[^.;\n]{2,160})|"
    r"\b(?:approval|permission|consent|clearance) (?:for|to) (?P<given>[^.;\n]{2,120}?) "
    r"(?:was|is|has been|were) (?:now )?(?:given|granted|received|there)\b|"
    r"\b(?:rule|ban|prohibition|restriction|requirement) (?:about|on|against|for|not to|that) "
    r"(?P<lifted>[^.;\n]{2,120}?) (?:no longer (?:applies|holds|stands)|does not apply|"
    r"(?:was|is|has been) (?:lifted|dropped|removed|void|cancell?ed))|"
    r"\bit(?:'s| is) (?:now )?(?:fine|ok|okay|allowed|permitted|safe|all right) (?:now )?to (?P<fine>[^.;\n]{2,120})|"
    r"(?P<open>(?:[^.;:\n]|\.(?=\w)){2,120}?) (?:may|can) (?:now |safely )?be \w{2,20}ed\b|"
    r"(?P<is>[^.;:\n]{2,120}?)(?::| is| was| has been) (?:now )?"
    r"(?:approved|allowed|permitted|authori[sz]ed|cleared)\b|"
    r"(?P<are>(?!\W{0,6}it\b)[^.;:\n]{2,120}?) (?:is|are) (?:now |also )?(?:fine|ok|okay|acceptable|"
    r"welcome|possible)\b|"
    r"(?P<ist>[^.;:\n]{2,120}?) (?:ist|sind) (?:jetzt |nun |wieder )?"
    r"(?:erlaubt|gestattet|genehmigt|zulässig|möglich|freigegeben|in ordnung|okay)\b|"
    r"(?P<est>[^.;:\n]{2,120}?) (?:est|sont) (?:désormais |maintenant )?(?:autorisé|permis|accepté)e?s?\b|"
    r"(?P<es>[^.;:\n]{2,120}?) (?:está|están|es|son|queda|quedan) (?:ahora )?(?:permitid|autorizad|aceptad)[oa]s?\b|"
    r"(?P<darf>[^.;:\n]{2,160}\bd(?:arf|ürfen)\b[^.;\n]{2,120})|"
    r"(?:der nutzer|die nutzerin|der user|der kunde) hat (?P<hat>[^.;\n]{2,120}?) "
    r"(?:erlaubt|genehmigt|freigegeben|zugestimmt)\b|"
    r"用户(?:已经?)?(?:同意|允许|批准|授权)了?(?P<zh>[^。；\n]{2,80})",
    re.I,
)
MAY_ALLOW = later(
    r"allow|permi|authori[sz]|approv|agree|ok|consent|clear|rule|ban|prohib|restrict|require|fine|safe|all right|"
    r"accept|welcome|possible|\b(?:may|can) |erlaubt|gestattet|genehmigt|zulässig|möglich|freigegeben|in ordnung|"
    r"zugestimmt|autori[sz]|aceptad|darf|dürfen|用户",
    re.I,
)
"""What every one of these has a part of: where none stands, nothing is sought."""
_KEPT = later(
    r"\bleave (?:[^\s;]{1,60} ){1,5}(?:alone|(?:exactly )?as (?:it is|they are|is)|untouched|unchanged)\b|"
    r"\b(?:stays?|remains?|kept|keep (?:[^\s;]{1,60} ){1,5}|be) (?:exactly )?"
    r"(?:as (?:it is|they are|is)|unchanged|untouched|intact|read-only)\b|\b(?:unchanged|untouched|off[- ]limits)\b|"
    r"\blass(?:e|t|en sie)? [^;]{1,60} in ruhe\b|\bbleib(?:t|en) [^;]{0,40}(?:wie (?:sie|er|es) (?:ist|sind)|"
    r"unverändert|unangetastet)\b|(?:保持|维持)(?:不变|原样)",
    re.I,
)
"""What is to stay as it is may not be changed, though nothing says no."""
_STAYING = later(
    r"\b(?:leave|alone|keep|kept|stays?|remains?|unchanged|untouched|intact|read-only|off[- ]limits|please|"
    r"lass\w{0,2}|in ruhe|bleib\w{1,2}|unverändert|as (?:it is|they are|is))\b|保持|维持|不变|原样",
    re.I,
)
_CHANGES = later(
    r"\b(?:chang|edit|modif|rewrit|touch|delet|remov|replac|renam|updat|refactor|mov|drop)\w{0,4}\b|"
    r"\b(?:ge|ver|be)?(?:ändert|ändern|löscht|löschen|schoben|arbeitet|setzt)\b|修改|更改|改动|删除",
    re.I,
)
_PART = later(r"[,;:，；：]\s?|\s(?:and|und|et|y)\s")
_FILE = later(r"(?<![\w./-])[\w./-]*\w[./]\w[\w./-]*\b")
_UNASKED = later(
    r"\bwithout (?:\w{1,12} ){0,2}?(?:ask\w*|permission|approval|confirm\w*|consent)\b|"
    r"\bohne (?:\w{1,12} ){0,2}?(?:(?:rück|nach)frage|zustimmung|genehmigung|freigabe)\b",
    re.I,
)
"""What is allowed without a question is allowed, though the words forbid."""
CONDITION = later(
    r"\b(?:unless|until|only|needs?|requires?|required|must|ha(?:s|ve) to|before(?! \d)|pending|if|"
    r"once(?! *[.;,]?$)|after|when|"
    r"not|nobody|no one|ask\w*|waits?|except)\b|除非|需要|必须|之前|只有",
    re.I,
)
"""What is allowed under a condition is not simply allowed."""
_LETTING = frozenset("may can be been is are was were allowed darf dürfen werden wird ist sind".split())
_CODE = later(r"\b[A-Za-z]{1,6}-?\d{1,6}\b")
_AWAY = later(
    r"\b(?:switch|move|migrate|chang)\w{0,4} (?:\w+ ){0,2}?from (?P<a>[\w.-]{2,40}) (?:over )?to (?P<b>[\w.-]{2,40})|"
    r"\breplac\w{1,4} (?P<c>[\w.-]{2,40}) (?:with|by) (?P<d>[\w.-]{2,40})|"
    r"\b(?P<f>[\w.-]{2,40}) (?:for [^.,;]{1,40} )?(?:instead of|rather than|statt|anstelle von|au lieu de|en lugar de) "
    r"(?P<e>[\w.-]{2,40})|von (?P<g>[\w.-]{2,40}) (?:auf|zu) (?P<h>[\w.-]{2,40}) (?:um|wechsel)|"
    r"从\s?(?P<i>[\w.-]{2,40}?)\s?(?:改为|换成|改成|换到)\s?(?P<j>[\w.-]{2,40})"
)
"""What was given up, and for what."""


def lasting(said: Sequence[str]) -> Iterator[tuple[int, str]]:
    """(place, sentence) of the sentences that may tell a decision; `said` in order."""
    undone = [(at, frozenset(terms(one))) for at, one in enumerate(said) if _UNDONE.search(one)][-MAX_UNDONE:]
    for place, one in enumerate(said):
        after = [(at, words) for at, words in undone if at > place]
        own = set(terms(one)) if after else set[str]()
        if is_firm(one) and not any(at <= place + SOON or own & words for at, words in after):
            yield place, one


@remembered()
def is_firm(sentence: str) -> bool:
    """Whether a sentence is neither a question nor a proposal."""
    return not is_asked(sentence) and not _OPEN.search(sentence)


@remembered()
def is_asked(sentence: str) -> bool:
    """Whether a sentence is a question."""
    return bool(_ASKS.search(sentence))


def overtaken(lines: Sequence[str], source: Source) -> Iterator[tuple[str, str]]:
    """(line, the newest call) of lines with a value that a later call of the same tool has set anew."""
    changed = list(_changes(source))
    for line in lines:
        words = set(terms(line))
        for shared, old, new, newest in changed:
            tells_old = bool(old) and old <= words and not (old <= new)
            if shared in line and tells_old and not (new - old) & words:
                yield line.strip(), f"- `{newest}`"
                break


def _changes(source: Source) -> Iterator[tuple[str, frozenset[str], frozenset[str], str]]:
    """(what two calls share, terms of the earlier value, those of the later one, the later call as it is written)."""
    calls = [
        (call.name, decode(call).values, written(call))
        for message in source.messages
        for call in message.calls
    ]
    done = Calls()
    for message in source.messages:
        done.note(message)
    newest: dict[tuple[str, str], tuple[Mapping[str, str], str]] = {}
    for name, values, text in reversed(calls[-MAX_CALLS:]):
        if not text or not _SETS.search(name) or done.done.get(text, "error").startswith("error"):
            continue
        own = dict(values)
        for shared in {value for value in own.values() if _FIGURE.search(value)}:
            last, said = newest.setdefault((name, shared), (own, text))
            differing = [key for key in own if own[key] != last.get(key)]
            if own.keys() == last.keys() and len(differing) == 1 and not _ADDS.search(differing[0]):
                old, new = own[differing[0]], last[differing[0]]
                yield shared, frozenset(terms(old)), frozenset(terms(new)), said


def ruled_out(lines: Sequence[str], said: Sequence[str]) -> Iterator[tuple[str, str]]:
    """(line, the sentence that says so) of lines that name a cause which was ruled out; `said` in order."""
    out = [(place, one) for place, one in enumerate(said) if _RULED_OUT.search(one)]
    for line in lines if out else ():
        found = _CAUSE.search(line)
        own = set(terms(found["cause"])) if found and not FORBIDS.search(line) else set[str]()
        for place, one in out:
            if len(with_forms(own, set(terms(one)))) < max(1, SAME_SHARE * len(own)):
                continue
            blamed = any(
                _BLAMED.search(other) and not FORBIDS.search(other) and with_forms(own, set(terms(other)))
                for other in said[place + 1 :]
            )
            if own and not blamed:
                yield line.strip(), f"- {one}"
                break


def never_allowed(lines: Sequence[str], said: Sequence[str]) -> Iterator[tuple[str, str]]:
    """(line, the user's word) of lines that have allowed what the user forbade; `said` by the user, in order."""
    for line in lines:
        plain = " ".join(_UNASKED.sub(" ", line).split())
        found = _ALLOWED.search(plain) if MAY_ALLOW.search(plain) else None
        if not found or (not found["lifted"] and (FORBIDS.search(plain) or CONDITION.search(plain))):
            continue
        own = _things(next(one for one in found.groups() if one))
        told = found["what"] or found["given"] or found["lifted"]
        for place, one in enumerate(said):
            if not (_bans(one, own, whole=not told) or _keeps(one, plain)):
                continue
            lifted = any(
                PERMITS.search(other) and (_ANSWERS.match(other) or with_forms(own, _things(other)))
                for other in said[place + 1 :]
            )
            if not lifted:
                yield line.strip(), f"- {one}"
                break


def _bans(said: str, allowed: set[str], *, whole: bool) -> bool:
    """Whether the user's sentence forbids what a line allows."""
    if not FORBIDS.search(said):
        return False
    parts = [_UNASKED.sub(" ", part) for part in _PART.split(said)]
    alone = [_things(FORBIDS.sub(" ", part)) for part in parts if FORBIDS.search(part)]
    return _speaks_of(allowed, _things(FORBIDS.sub(" ", said)), whole=whole) or any(
        len(with_forms(allowed, one)) == len(allowed) >= len(one) > 0 for one in alone
    )


def _keeps(said: str, line: str) -> bool:
    """Whether the user's sentence leaves as it is what a line has changed: it is of the same thing, files by name."""
    if not _KEPT.search(said) or not _CHANGES.search(line):
        return False
    kept = _STAYING.sub(" ", said)
    if any(name.lower() not in line.lower() for name in _FILE.findall(kept)):
        return False
    own = _things(_CHANGES.sub(" ", line)) & _things(kept)
    return len(own) >= SAME_SHARE * len(_things(kept)) > 0


def _things(text: str) -> set[str]:
    """The words of a text but those that only allow, and its short codes: V-9."""
    return {*terms(text), *map(str.lower, _CODE.findall(text))} - _LETTING


def _speaks_of(own: set[str], forbidden: set[str], *, whole: bool) -> bool:
    """Whether words speak of what is forbidden: most of them, or one by its code. Where nobody is said to allow it, it
    takes most of what is forbidden, too: tests may be run that must not be run everywhere.
    """
    shared = with_forms(own, forbidden)
    if any(map(_CODE.fullmatch, shared)):
        return True
    least = min(ENOUGH_TERMS, SAME_SHARE * max(len(own), len(forbidden) if whole else 0))
    return len(shared) >= max(MIN_TERMS, least)


def outdated(lines: Sequence[str], said: Sequence[str]) -> Iterator[tuple[str, str]]:
    """(line, newest sentence) of decisions for what was given up later; `said` are a source's sentences in order."""
    turns = [
        (old.lower(), new.lower(), place)
        for place, one in lasting(said)
        for found in _AWAY.finditer(one)
        for old, new in [_pair(found)]
        if old and new
    ]
    for line in lines:
        own = set(terms(line))
        for old, new, place in turns:
            about = (own & set(terms(said[place]))) - {old, new}
            back = any(old in one.lower() and new not in one.lower() for one in said[place + 1 :])
            if old in own and new not in line.lower() and about and not back and not FORBIDS.search(line):
                yield line.strip(), f"- {said[place]}"
                break


def _pair(found: re.Match[str]) -> tuple[str, str]:
    """The old and the new of a change."""
    old = next((found[name] for name in "acegi" if found[name]), "")
    new = next((found[name] for name in "bdfhj" if found[name]), "")
    return old, new
