"""What others than the user are said to have agreed to: that they approved, reviewed, confirmed, accepted or signed.

That needs somebody who tells it, whoever it is: a sentence, or a result, that names who it was with a word of that
kind. One that only says that it is to be waited for does not tell that it came.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from palimpsest.patterns import later
from palimpsest.summarize.audit.told import LOOK_CHARS
from palimpsest.summarize.sentences import sentences
from palimpsest.summarize.source import Source
from palimpsest.summarize.spoken.cues import FORBIDS

NEAR_CHARS = 200
"""How far from who agreed a result says that somebody did."""
_DONE = r"(?:reviewed|approved|agreed|confirmed|accepted|consented|signed(?: off)?)"
_GETAN = (
    r"(?:zugestimmt|angenommen|genehmigt|bestätigt|freigegeben|eingewilligt|akzeptiert|unterschrieben|geprüft|"
    r"abgenommen)"
)
_SAID = later(
    r"(?<![\w'-])(?P<who>[A-Z][a-zà-ÿ]{2,30}(?: [A-Z][a-zà-ÿ-]{1,30})?)(?: has| have| had)?"
    rf"(?: already| now| also)? {_DONE}\b|"
    rf"(?<![\w'-])(?P<of>[A-Z][a-zà-ÿ]{{2,30}})['’]s (?:review|approval|consent|sign-?off|confirmation|ok|okay) "
    r"(?:is|was|has been) (?:now )?(?:done|finished|complete\w*|given|in|there|received)\b|"
    r"(?<![\w-])(?:(?:Herr|Frau|Die|Der|Das|Kollege|Kollegin) ){0,3}(?P<wer>[A-ZÄÖÜ][a-zäöüß]{2,30}) (?:hat|haben) "
    rf"(?:[^.;:\n]{{1,80}} )?{_GETAN}\b|"
    r"(?<![\u4e00-\u9fff])(?P<shei>[\u4e00-\u9fff]{2,3}?)(?:已经?)?(?:评审通过|审核通过|批准|同意|确认|验收|签字)了?"
)
_NOBODY = frozenset(
    "user users assistant agent the this that they it he she we you who both all some many several others people "
    "everyone everybody nobody nothing none team ci changes plan tests "
    "nutzer nutzerin benutzer assistent niemand alle alles 用户 我们 助手 大家 已经 尚未 没有 还没 需要 等待".split()
)
"""Who is no other: the user is asked about elsewhere."""
_LINK = later(r"[但而且并由经因故也又后就才]")
"""What may stand right before a name in a script without spaces."""
_TELLS = later(
    rf"\b{_DONE}\b|\b(?:approv\w*|lgtm|agrees?|accepts?|confirms?|signs?|consents?|yes|ok|okay|fine|happy|passed)\b|"
    rf"\b{_GETAN}\b|\b(?:ja|einverstanden|passt|ok)\b|通过|批准|同意|确认|可以|验收|签字",
    re.IGNORECASE,
)
_WAITS = later(
    r"\b(?:must|should|shall|needs? to|ha(?:s|ve) to|will|would|before|until|unless|once|when|if|wait\w*|pending|"
    r"ask\w*|muss|müssen|soll\w*|wird|werden|bevor|bis|wenn|sobald|warte\w*|noch)\b|需要|必须|之前|等|请|要",
    re.IGNORECASE,
)


def unconfirmed(lines: Sequence[str], source: Source) -> Iterator[str]:
    """The lines that have somebody else agree to something, which nobody tells."""
    for line in lines:
        found = _SAID.search(line)
        who = _called(next((one for one in found.groups() if one), "")) if found else []
        if not who or FORBIDS.search(line) or _WAITS.search(line):
            continue
        if not any(_is_told(one, source) for one in who):
            yield line.strip()


def _called(name: str) -> list[str]:
    """What somebody may be called of whom this is said, a word before the name apart; nothing where it is nobody else:
    "Then Mara", "但用户".
    """
    parts = name.split() if name.isascii() or " " in name else [name, _LINK.sub("", name, count=1)]
    nobody = parts[-1].lower() in _NOBODY or any(name.endswith(one) for one in _NOBODY if not one.isascii())
    return [] if nobody else list(dict.fromkeys(parts))


def _is_told(who: str, source: Source) -> bool:
    """Whether a message, a result or a summary tells that somebody agreed to anything."""
    named = re.compile(rf"(?<![A-Za-z]){re.escape(who)}" if who.isascii() else re.escape(who), re.IGNORECASE)
    for message in source.messages:
        if (message.name or "").lower().startswith(who.lower()):
            return True
        for result in message.results:
            text = result.text[:LOOK_CHARS]
            near = (
                text[max(0, at.start() - NEAR_CHARS) : at.end() + NEAR_CHARS] for at in named.finditer(text)
            )
            if any(map(_TELLS.search, near)):
                return True
    return any(
        named.search(one) and _TELLS.search(one) and not (_WAITS.search(one) or FORBIDS.search(one))
        for text in (*source.summaries, *(message.text for message in source.messages))
        if named.search(text)
        for one in sentences(text[:LOOK_CHARS])
    )
