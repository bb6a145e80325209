"""What a user is said to have agreed to, held against what users said yes to.

That somebody agreed needs a word of that user's that agrees, spoken to it: after somebody spoke of the same, or in the
same message; or that the user says it without being asked. What tools report of a user's answer counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from palimpsest.patterns import later
from palimpsest.record.message import Text
from palimpsest.summarize.alike import with_forms
from palimpsest.summarize.audit.people.demands import FRAME
from palimpsest.summarize.audit.people.speakers import said_by
from palimpsest.summarize.audit.told import LOOK_CHARS, said_in
from palimpsest.summarize.sentences import sentences, terms
from palimpsest.summarize.source import MessageEntry, Source
from palimpsest.summarize.spoken.cues import FORBIDS

_CLAUSE_END = later(r"[,;:.]\s|[，；：。]")
NEAR_CHARS = 60
"""Between who agrees and that he does."""
_AGREED = later(
    r"\b(?:approv(?:ed|es|al)|agreed|agrees|consent(?:ed)?|authori[sz](?:ed|es)|permitted|allowed|"
    r"confirmed|signed off|reviewed|likes|liked|(?:is|was) (?:happy|satisfied|pleased)|"
    r"gave (?:the |their |his |her )?(?:ok|okay|permission|go-ahead|approval|green light)|"
    r"erlaubte|genehmigte|bestätigte|zugestimmt)\b|批准|允许|同意|授权|确认了",
    re.I,
)
_ALLOWS = later(
    r"approv|consent|authori|permi|allow|confirm|sign|\bok|go-ahead|green light|erlaub|genehmig|bestätig|zugestimmt|"
    r"批准|允许|同意|授权|确认",
    re.I,
)
"""Of these, what lets something be done."""
_USER = r"(?:user|customer|client|human|owner|nutzer(?:in)?|benutzer(?:in)?|kunde|kundin|用户|客户)"
_AGREES = later(
    r"\b(?:have my permission|permission granted)\b|"
    r"\b(?:y|yes|yep|yeah|yup|ok|okay|k|sure|approved?|agreed?|go ahead|go for it|proceed|continue|confirm(?:ed)?|fine|"
    r"do (?:it|so|that)|sounds|looks|lgtm|perfect|great|correct|right|exactly|works|let'?s|accept(?:ed)?|allow\w*|may|"
    r"can|could|should|good|thanks?|nice|ship|please|ja|gern\w*|passt|genau|mach|oui|vale|claro|sí|si|sim|va bene|да|"
    r"хорошо|можно|tak|evet|tamam)\b|是|好|可以|行|同意|对|嗯|はい|いい|お願い|네|좋|그래",
    re.I,
)
_LOOKS = later(
    r"\bI(?:'ve| have| just)?\b[^.\n]{0,30}\b(?:review|look|read|check|saw|see|tried|try|test|went)|\breviewed|"
    r"\blooks?\b(?! (?:at|in|up|for)\b)|lgtm|\bmy (?:review|comment|feedback|note)|"
    r"\b(?:still|why|works?|there (?:is|are))\b|gelesen|angeschaut|angesehen|geprüft|看了|审",
    re.I,
)
"""How a user tells of having looked at something."""
_ANSWERED = later(
    r"\buser (?:has |have )?(?:approved|answered|accepted|confirmed|agreed)|approved your plan", re.I
)


_GATES = later(
    r"\b(?:before|until|unless|without|only (?:after|when|if|once|with)|bevor|bis|ohne|erst (?:nach|wenn)|avant|sans|"
    r"antes|sin)\b|除非|之前|[后後]才|才能",
    re.I,
)
"""Behind it stands what somebody has to wait for: no wish, and nothing that was agreed to."""
_OPEN_YET = later(
    r"\b(?:unless|until|if|once|when|whether|before|wenn|falls|bis|bevor)(?: the)? $|除非$|直到$|如果$", re.I
)
"""Before who may yet agree."""


def unsaid(text: str, source: Source) -> Iterator[str]:
    """The sentences that have a user agree to what no user agreed to."""
    names = "|".join(map(re.escape, said_by(source)))
    who = re.compile(
        _alone(f"(?P<user>{_USER})") + ("|" + _alone(f"(?P<name>{names})") if names else ""), re.I
    )
    for one in said_in(text):
        agreed = _AGREED.search(one)
        subject = who.search(one) if agreed else None
        if (
            not agreed
            or not subject
            or FORBIDS.search(one)
            or _OPEN_YET.search(one[: subject.start()])
            or abs(subject.start() - agreed.start()) > NEAR_CHARS
        ):
            continue
        about = {term for term in terms(_AGREED.sub(" ", who.sub(" ", one))) if term not in FRAME}
        speaker = subject.groupdict().get("name") or ""
        looked = agreed[0].lower() != "reviewed" or any(map(_LOOKS.search, wishes(source)))
        banned = _banned(about, source) if _ALLOWS.search(agreed[0]) else set[str]()
        if about and not (looked and _agrees(about, banned, source, speaker)):
            yield one


def _alone(words: str) -> str:
    """The pattern of words that stand by themselves, in scripts that part words."""
    return rf"(?<![A-Za-z0-9_äöüß])(?:{words})(?![A-Za-z0-9_äöüß])"


def _agrees(about: set[str], banned: set[str], source: Source, speaker: str) -> bool:
    """Whether a user's word agrees to something of this, or anybody else tells that one did; where some of it was
    `banned`, to just that.
    """
    before: set[str] = set()
    about = banned or about
    for entry in source.entries:
        if not isinstance(entry, MessageEntry):
            if _about(about, entry.summary.text, agreeing=_AGREED):
                return True
            continue
        message = entry.message
        if message.role == "user" and message.text.strip():
            said = message.text[:LOOK_CHARS]
            named = not speaker or (message.name or "").lower() == speaker.lower()
            agrees = bool(_AGREES.search(said)) and not _refuses(about, said)
            answered = with_forms(about, before) if agrees else set[str]()
            least = 1 if agrees else max(1, (len(about) + 1) // 2)
            if banned and named and (answered == about or _says(about, said, len(about))):
                return True
            if not banned and named and (answered or _says(about, said, least)):
                return True
            open_to = [one for one in sentences(said) if not (FORBIDS.search(one) or _GATES.search(one))]
            before = {term for one in open_to for term in terms(one)}
            continue
        for part in message.parts:
            if isinstance(part, Text):
                if _about(about, part.text[:LOOK_CHARS], agreeing=_AGREED):
                    return True
                told = (one for one in sentences(part.text[:LOOK_CHARS]) if not FORBIDS.search(one))
                before |= {term for one in told for term in terms(one)}
        before |= {term for call in message.calls for term in terms(call.arguments[:LOOK_CHARS])}
        if any(_ANSWERED.search(result.text[:LOOK_CHARS]) for result in message.results):
            return True
    return False


def _banned(about: set[str], source: Source) -> set[str]:
    """What of this a user forbade, or has wait for something: half of it and more; nothing where it is less."""
    found: set[str] = set()
    for one in wishes(source):
        gate = _GATES.search(one)
        if gate or FORBIDS.search(one):
            own = with_forms(about, set(terms(one[gate.start() :] if gate else FORBIDS.sub(" ", one))))
            found = own if len(own) > len(found) else found
    return found if 2 * len(found) >= len(about) else set()


def _refuses(about: set[str], said: str) -> bool:
    """Whether a user forbids all of this in one clause: "agreed, no Redis"."""
    return any(
        len(with_forms(about, set(terms(_CLAUSE_END.split(one[found.end() :], maxsplit=1)[0])))) == len(about)
        for one in sentences(said)
        for found in FORBIDS.finditer(one)
    )


def _says(about: set[str], said: str, least: int) -> bool:
    """Whether a user says so many words of this, and neither forbids it, nor asks it, nor has it wait."""
    return any(
        len(with_forms(about, set(terms(one)))) >= least
        for one in sentences(said)
        if not FORBIDS.search(one) and not _GATES.search(one) and not one.endswith(("?", "？"))
    )


def _about(about: set[str], text: str, *, agreeing: re.Pattern[str]) -> bool:
    return any(
        agreeing.search(one) and not FORBIDS.search(one) and with_forms(about, set(terms(one)))
        for one in sentences(text)
    )


def wishes(source: Source) -> list[str]:
    """The sentences that users said, in order."""
    return [one for text in source.requests for one in sentences(text[:LOOK_CHARS])]
