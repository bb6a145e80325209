"""Who wanted, said and allowed what, and what was done in the world outside: held against who said it, and what ran.

Rules kept here:

- Where several people speak under names, a line that has one of them want what another alone spoke of names the wrong
  one; the right name takes its place. Who says yes has said what it answers, and so has who is said to have said it.
- That the user agreed to something needs a user's word that agrees, spoken to it: after somebody spoke of the same, or
  in the same message; or that the user says it without being asked. What tools report of a user's answer counts.
- That something was deployed, pushed, sent or paid needs a call that does so, or somebody who says that it was done. A
  plan, a question and a refusal are not enough.
- A cause of which not one word stands in the source was made up.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from palimpsest.patterns import later
from palimpsest.record.message import Text
from palimpsest.summarize.alike import with_forms
from palimpsest.summarize.audit.demands import FRAME
from palimpsest.summarize.cues import FORBIDS
from palimpsest.summarize.sentences import sentences, terms
from palimpsest.summarize.source import MessageEntry, Source

LOOK_CHARS = 20_000
MAX_SPEAKERS = 40
OWN_SHARE, OTHERS_SHARE = 0.34, 0.6
"""A line of which at most so much is the named speaker's, and so much somebody else's, names the wrong one."""
MIN_TERMS = 2

_CLAUSES = later(r"(?<=[;.])\s+|(?<=\)),\s+")
_CLAUSE_END = later(r"[,;:.]\s|[，；：。]")
NEAR_CHARS = 60
"""Between who agrees and that he does."""
_SAYS = (
    r"(?:wants?|wanted|asks?|asked|said|says|prefers?|preferred|demands?|demanded|needs?|needed|decided|insists?|insisted|"
    r"requested|requires?|likes?|will|would like|möchte|will|sagte|wünscht|veut|quiere|要求|想要|说)"
)
_AGREED = later(
    r"\b(?:approv(?:ed|es|al)|agreed|agrees|consent(?:ed)?|authori[sz](?:ed|es)|permitted|allowed|"
    r"confirmed|signed off|reviewed|likes|liked|(?:is|was) (?:happy|satisfied|pleased)|"
    r"gave (?:the |their |his |her )?(?:ok|okay|permission|go-ahead|approval|green light)|"
    r"erlaubte|genehmigte|bestätigte|zugestimmt)\b|批准|允许|同意|授权|确认了",
    re.I,
)
_USER = r"(?:user|customer|client|human|owner|nutzer(?:in)?|benutzer(?:in)?|kunde|kundin|用户|客户)"
_AGREES = later(
    r"\b(?:have my permission|permission granted)\b|"
    r"\b(?:y|yes|yep|yeah|yup|ok|okay|k|sure|approved?|agreed?|go ahead|go for it|proceed|continue|confirm(?:ed)?|fine|"
    r"do (?:it|so|that)|sounds|looks|lgtm|perfect|great|correct|right|exactly|works|let'?s|accept(?:ed)?|allow\w*|may|"
    r"can|could|should|good|thanks?|nice|ship|please|ja|gern\w*|passt|genau|mach|oui|vale|claro|sí|si|sim|va bene|да|"
    r"хорошо|можно|tak|evet|tamam)\b|是|好|可以|行|同意|对|嗯|はい|いい|お願い|네|좋|그래",
    re.I,
)
_SECONDS = later(
    r"[^\w+👍]{0,3}(?:(?:y|yes|yep|yeah|yup|ok|okay|sure|agreed|exactly|right|absolutely|definitely|same|me too|sounds|"
    r"seconded|go ahead|do (?:it|that)|let's|lgtm|works for me|fine|ja|genau|gern\w*|einverstanden|passt|oui|d'accord|"
    r"sí|si|vale|claro|sim|да|tak|evet)\b|\+1|👍|是|好|对|可以|行|同意|嗯|はい|네)",
    re.I,
)
"""How a message begins that says yes to the one before it."""
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
}
_ACTS_IN: Mapping[str, str] = {
    "deploy": r"deploy|releas|roll\w* ?out|ship|publish|up -d|apply",
    "release": r"deploy|releas|roll\w* ?out|ship|publish|up -d|apply",
    "commit": r"\bgit\b[^\n]{0,80}\bcommit|commit_|_commit|committed|"
    r"\bcommit(?:ting)? (?:it|this|these|my|the changes)\b|\[[\w/.-]{1,80} (?:\(root-commit\) )?[0-9a-f]{7,40}\]",
    "push": r"push",
    "merge": r"merg(?!e[ _-]requests?\b)|pull(?![ _-]?requests?\b)",
    "publish": r"publish|upload|releas|push",
    "revert": r"revert|roll\w*[ _-]?back|reset|checkout|restore|undo",
    "restart": r"restart(?!s\b)|reboot|reload|(?<![a-z])start|up -d",
    "operate": r"prod|live",
    "refund": r"refund",
    "send": r"sen[dt]|mail|notif|\bpost(?:s|ed|ing)?\b|messag|transfer|publish",
    "mail": r"sen[dt]|mail|notif|\bpost(?:s|ed|ing)?\b|messag",
    "tell": r"inform(?!ation|at)|alert|\bping|messag|sen[dt]|mail|notif|\bpost(?:s|ed|ing)?\b|contact|consult|told|"
    r"heads[ -]up|let \w{1,20} know|spoke|talk|\bcall(?:ed|ing)\b|slack",
}
_CODE = r"branch(?:es)?|commits?|tags?|pull|PR|MR|main|master|develop|trunk|upstream|origin|remote|repo\w*|git|patch"
_THING = (
    r"versions?|v?\d{1,4}\.\d{1,4}[\d.]*|releases?|builds?|packages?|images?|crates?|hotfix(?:es)?|fix(?:es)?|"
    r"features?"
)
_ACTS_ON: Mapping[str, re.Pattern[str]] = {
    "release": later(
        rf"\b(?:{_THING}|apps?|updates?|product|to (?:prod|staging|users|customers|the public))\b", re.I
    ),
    "commit": later(
        rf"^(?!.*\b(?:committed to|transactions?|offsets?|memory|crimes?)\b).*\b(?:{_CODE}|{_THING}|changes?|edits?|"
        r"code|files?|work|everything|all|it|docs|tests?|script|config\w*|refactor\w*|implementation|"
        r"as [0-9a-f]{7,40})\b",
        re.I,
    ),
    "push": later(rf"\b(?:{_CODE}|{_THING}|changes|code|registry|staging|production)\b", re.I),
    "merge": later(rf"\b(?:{_CODE}|merge[ -]requests?|hotfix|fix|features?)\b|#\d", re.I),
    "publish": later(
        rf"\b(?:{_THING}|npm|pypi|registry|articles?|posts?|blog|site|website|docs|documentation|library|newsletter)\b",
        re.I,
    ),
    "revert": later(
        rf"\b(?:{_CODE}|{_THING}|changes?|edits?|merge|deploy\w*|migrations?|refactor\w*|config\w*|settings?|rename)\b",
        re.I,
    ),
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
    "tell": later(
        r"\b(?:teams?|customers?|managers?|leads?|support|owners?|stakeholders?|colleagues?|maintainers?|vendor|"
        r"department|legal|ops|oncall|on-call)\b|(?-i:\b[A-Z][a-z]{1,30} (?:from\b[^.;]{1,60} )?(?:was|has been) |"
        r"(?:ed) [A-Z][a-z])",
        re.I,
    ),
}
"""What is deployed or sent in the world outside: a lock is released too, tables are merged, an event is sent."""
_TELLS_HOW = frozenset(("release", "publish", "revert", "restart", "send"))
"""What code does of itself whenever it runs: "the lock is released", "a mail is sent"."""
_DID = later(
    r"^(?:\W{0,4}|[^.;:]{0,60}\b(?P<how>was|were|has been|have been|is|are|got|successfully|then|and|i|we|user|"
    r"assistant|agent) )"
    rf"(?:{'|'.join(f'(?P<{act}>{words})' for act, words in _ACTS.items())})\b",
    re.I,
)
_CAUSE = later(
    r"\b(?:caused by|root cause(?: is| was|:)|due to|because of|the (?:cause|reason) (?:is|was))\s"
    r"(?P<cause>[^.;)\n]{6,200})",
    re.I,
)


def misattributed(lines: Sequence[str], source: Source) -> Iterator[tuple[str, str]]:
    """(line, what is right in its place) of lines that name the wrong speaker."""
    said = _said_by(source)
    if len(said) <= 1:
        return
    names = sorted(said, key=len, reverse=True)
    head = re.compile(rf"^\W{{0,4}}({'|'.join(map(re.escape, names))})(?::|'s\b| {_SAYS}\b)")
    tail = re.compile(rf"\(({'|'.join(map(re.escape, names))})\)\W{{0,2}}$")
    for one in lines:
        right = one.strip()
        for clause in _CLAUSES.split(right):
            found = head.match(clause) or tail.search(clause)
            other = _whose(clause, found[1], said) if found else ""
            if found and other:
                at = found.start(1)
                right = right.replace(clause, f"{clause[:at]}{other}{clause[at + len(found[1]) :]}")
        if right != one.strip():
            yield one.strip(), right


def _said_by(source: Source) -> dict[str, set[str]]:
    """The terms of what each person with a name said, said yes to, or is said to have said."""
    said: dict[str, set[str]] = {}
    before: dict[str, set[str]] = {}
    told = list(source.earlier)
    for entry in source.entries:
        if not isinstance(entry, MessageEntry):
            told.append(entry.summary.text)
            continue
        message = entry.message
        text = message.text[:LOOK_CHARS]
        if not text.strip() or message.role not in ("user", "assistant"):
            continue
        told.append(text)
        own = set(terms(text))
        name = (message.name or "").strip() if message.role == "user" else ""
        name = name[:1].upper() + name[1:]
        if name and (len(said) < MAX_SPEAKERS or name in said):
            if _SECONDS.match(text):
                own |= {term for one, words in before.items() if one != name for term in words}
            said.setdefault(name, set()).update(own)
        before = {**before, name: own} if message.role == "assistant" else {name: own}
    for name in said if len(said) > 1 else ():
        named = re.compile(rf"(?<![A-Za-z0-9_]){re.escape(name)}(?![A-Za-z0-9_])", re.I)
        said[name].update(term for text in told for one in _naming(named, text) for term in terms(one))
    return said


def _naming(name: re.Pattern[str], text: str) -> Iterator[str]:
    """The sentences of a text that name somebody."""
    if name.search(text):
        yield from (one for one in sentences(text[:LOOK_CHARS]) if name.search(one))


def _whose(clause: str, name: str, said: Mapping[str, set[str]]) -> str:
    """Who spoke of what a clause says, where that was one other than `name`; "" where that is not clear."""
    own = {term for term in terms(clause) if term not in FRAME} - {one.lower() for one in said}
    own -= {"here", "now", *terms(re.sub(rf"\b(?!{_SAYS}\b)\w+", " ", clause))}
    if len(own) < 1 or len(with_forms(own, said[name])) > OWN_SHARE * len(own):
        return ""
    fitting = [
        one
        for one, words in said.items()
        if one != name and len(with_forms(own, words)) >= OTHERS_SHARE * len(own)
    ]
    return fitting[0] if len(fitting) == 1 else ""


_OPEN_YET = later(
    r"\b(?:unless|until|if|once|when|whether|before|wenn|falls|bis|bevor)(?: the)? $|除非$|直到$|如果$", re.I
)
"""Before who may yet agree."""


def unsaid(text: str, source: Source) -> Iterator[str]:
    """The sentences that have a user agree to what no user agreed to."""
    body = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#"))
    names = "|".join(map(re.escape, _said_by(source)))
    who = re.compile(rf"\b(?P<user>{_USER})\b" + (rf"|\b(?P<name>{names})\b" if names else ""), re.I)
    for one in sentences(body):
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
        if about and not (looked and _agrees(about, source, speaker)):
            yield one


def _agrees(about: set[str], source: Source, speaker: str) -> bool:
    """Whether a user's word agrees to something of this, or anybody else tells that one did."""
    before: set[str] = set()
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
            if named and ((agrees and with_forms(about, before)) or _demands(about, said, agrees=agrees)):
                return True
            before = set(terms(said))
            continue
        for part in message.parts:
            if isinstance(part, Text):
                if _about(about, part.text[:LOOK_CHARS], agreeing=_AGREED):
                    return True
                before |= {
                    t
                    for one in sentences(part.text[:LOOK_CHARS])
                    if not FORBIDS.search(one)
                    for t in terms(one)
                }
        before |= {term for call in message.calls for term in terms(call.arguments[:LOOK_CHARS])}
        if any(_ANSWERED.search(result.text[:LOOK_CHARS]) for result in message.results):
            return True
    return False


def _refuses(about: set[str], said: str) -> bool:
    """Whether a user forbids all of this in one clause: "agreed, no Redis"."""
    return any(
        len(with_forms(about, set(terms(_CLAUSE_END.split(one[found.end() :], maxsplit=1)[0])))) == len(about)
        for one in sentences(said)
        for found in FORBIDS.finditer(one)
    )


def _demands(about: set[str], said: str, *, agrees: bool) -> bool:
    """Whether a user says most of this, or with a word that agrees some of it, and neither forbids nor asks it."""
    least = 1 if agrees else max(1, (len(about) + 1) // 2)
    return any(
        len(with_forms(about, set(terms(one)))) >= least
        for one in sentences(said)
        if not FORBIDS.search(one) and not one.endswith(("?", "？"))
    )


def _about(about: set[str], text: str, *, agreeing: re.Pattern[str]) -> bool:
    return any(
        agreeing.search(one) and not FORBIDS.search(one) and with_forms(about, set(terms(one)))
        for one in sentences(text)
    )


def wishes(source: Source) -> list[str]:
    """The sentences that users said, in order."""
    return [
        one
        for entry in source.entries
        if isinstance(entry, MessageEntry) and entry.message.role == "user"
        for one in sentences(entry.message.text[:LOOK_CHARS])
    ]


def undone(lines: Sequence[str], source: Source) -> Iterator[str]:
    """The lines that have something done outside which nobody did, nor said to be done."""
    for one in lines:
        line = one.strip()
        found = _DID.match(line)
        act = found.lastgroup if found else None
        if (
            act
            and _is_deed(line, act, (found["how"] or "").lower() if found else "")
            and not FORBIDS.search(line)
            and not _NOTHING.search(line)
            and not _FUTURE.search(line)
            and not _is_told(act, source)
        ):
            yield line


def _is_deed(line: str, act: str, how: str) -> bool:
    """Whether a line tells of a deed in the world outside, and not of what code does."""
    return not (how in ("is", "are") and act in _TELLS_HOW) and (
        act not in _ACTS_ON or bool(_ACTS_ON[act].search(line))
    )


def _is_told(act: str, source: Source) -> bool:
    """Whether a call, its result, a summary, or somebody who tells no plan speaks of an act; a user who orders it does
    not tell that it was done.
    """
    pattern = re.compile(_ACTS_IN[act], re.I)
    done = re.compile(
        rf"{_ACTS[act]}|\b(?:{_ACTS_IN[act]})\w*(?:ed|en)\b|\bge\w{{0,12}}(?:{_ACTS_IN[act]})", re.I
    )
    for entry in source.entries:
        if not isinstance(entry, MessageEntry):
            if pattern.search(entry.summary.text):
                return True
            continue
        message = entry.message
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
    return any(pattern.search(one) for one in source.earlier)


def uncaused(text: str, words: frozenset[str]) -> Iterator[str]:
    """The sentences that name a cause of which no word stands among the source's."""
    for one in sentences("\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#"))):
        found = _CAUSE.search(one)
        own = set(terms(found["cause"])) if found else set[str]()
        if len(own) >= MIN_TERMS and not with_forms(own, words):
            yield one
