"""The frames in which a key and its value stand: in files of settings, code, commands, addresses, tables and logs.

Rules kept here:

- A frame says what stands before a key's name and what behind it, up to the value. The first that fits counts, so the
  surer ones come first.
- A value in quotes is a literal. Without quotes it is one where a line, a part of an address, an option or an element
  holds nothing else, and no code goes on behind it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from palimpsest.patterns import later
from palimpsest.summarize.secrets.looks.queries import BEHIND_VALUE

_QUOTED = (
    r"(?:(?:\[\]byte|bytes|bytearray|Buffer\.from|[\w.]{0,20}b64decode|base64Decode|atob|unhexlify|(?:bytes\.)?fromhex|"
    r"Secret(?:Str|String|Bytes)?(?:Str|::new|::from)|(?:new )?String(?:::from)?|str\.encode|Data|"
    r"(?:new )?TextEncoder\(\)\.encode)\(\s{0,8})?"
    r"[bBrRuUL@&(]{0,2}(?P<quote>\\{0,7}[\"'`])(?:\\{1,7}[\"']|(?!(?P=quote))[\"'])?"
    r"(?P<value>[^\s\\\"'`]{1,400}+(?:''(?<=\w'')(?=\w)[^\s\\\"'`]{1,400}+){0,4})"
    r"(?:\\{1,7}[\"']|(?!(?P=quote))[\"'])?(?P=quote)"
)
_BARE = r"(?P<value>[^\s\"'`<>(){}\[\]|&;,\\，。；、]{4,120}+)"
_CLOSED = r"(?:%5[Dd]|[\"'`\])*]){0,4}"
_LAST = r"[ \t]{0,8}(?:#[^\n]{0,200})?(?=\r?\n(?!\s{0,40}[)}\]])|\Z)"
"""The end of a line that no bracket is closed behind: the value is no variable of a call or a literal."""


GOES_ON = later(
    rf"{_CLOSED}(?:[?!,;|\t]|\r?\n\r?\n|\s{{0,24}}[=:：>({{|│?]|[ \t]{{2}}|</key>|\r?\n\"|"
    rf"\s(?:is|for)\b|\s{{1,40}}(?:[\w:-]{{1,30}}=[\"']|[\"']?[vVcC]))"
)
"""What stands behind a key in every frame but that of an option."""


@dataclass(frozen=True, slots=True)
class Frame:
    """What stands before a key's name, what behind it, and whether a plain word is a value there, or only one that
    people choose, and whether a name in code with its number is (`field("password", "label2")`).
    """

    head: re.Pattern[str]
    tail: re.Pattern[str]
    plain: bool = True
    chosen: bool = False
    names: bool = True


FRAMES = (
    # literals
    Frame(
        later(r"(?!.*\b(?:if|elif|assert|type|name|id|for)[=:]?[\"' ]{0,2}\Z)"),
        later(
            rf"{_CLOSED}[?!]?(?:\s{{0,2}}:\s{{0,2}}[&A-Za-z][\w.&<>\[\]|]{{0,40}}(?=\s?=))?"
            rf"\s{{0,24}}(?:=>|:=|={{1,3}}|:|[|?]{{2}}=?|\?=)\s{{0,12}}{_QUOTED}"
        ),
    ),
    Frame(
        later(
            r"(?i:\bdefine|getenv|environ\.get|\benv|getproperty|getenvironmentvariable|setdefault)"
            r"\(\s{0,4}[\"'][\w.:-]{0,60}\Z"
        ),
        later(rf"[\"'],\s{{0,4}}{_QUOTED}\s{{0,4}}\)"),
    ),
    Frame(
        later(r"\(\s{0,4}[\"'][\w.:-]{0,60}\Z"),
        later(rf"[\"'],\s{{0,4}}{_QUOTED}\s{{0,4}}\)"),
        plain=False,
        names=False,
    ),
    Frame(
        later(""),
        later(
            rf"[\"']\s{{0,4}}:\s{{0,4}}\{{\s{{0,40}}"
            rf"[\"'](?i:value|default|data)[\"']\s{{0,4}}:\s{{0,4}}{_QUOTED}"
        ),
        names=False,
    ),
    Frame(later(r"(?i:set|with)_?[\w-]{0,40}\Z"), later(rf"\(\s{{0,4}}{_QUOTED}\s{{0,4}}\)")),
    Frame(later(r""), later(rf"\s?\{{\s?get;[^{{}}\n]{{0,40}}\}}\s?=\s?{_QUOTED}")),
    Frame(
        later(r"(?i:\b(?:name|key|id))[\"']?\s?[:=]\s?[\"']?[\w./-]{0,60}\Z"),
        later(
            r"[\"']?,?\s{1,40}(?:[\w:-]{1,30}=[\"'][^\"'<>\n]{0,60}[\"']\s{1,8}|"
            r"[\"'][\w:-]{1,30}[\"']\s{0,3}:\s{0,3}(?:[\"'][^\"'<>\n]{0,60}[\"']|\w{1,12})\s{0,3},\s{0,40}){0,4}"
            r"[\"']?(?i:value|content)[\"']?\s?[:=]\s{0,4}(?P<quote>[\"']?)"
            r"(?P<value>[^\s\"'{}<>$,][^\s\"'{}<>,]{3,400}+)(?P=quote)(?![^\s,}/>])"
        ),
    ),
    # elements, lines, parts of addresses, options
    Frame(
        later(r"<key>[\w:.-]{0,60}\Z"),
        later(r"</key>\s{0,40}<string>(?P<value>[^\s<>]{4,400}+)\s{0,8}</string>"),
    ),
    Frame(
        later(r"<\w[^<>\n]{0,60} name=[\"'][\w:.-]{0,60}\Z"),
        later(r"[\"'][^<>\n]{0,60}>\s{0,8}(?:<\w{1,20}>)?(?P<value>[^\s<>]{4,400}+)\s{0,8}</"),
    ),
    Frame(
        later(r"<[\w:.-]{0,60}\Z"), later(r"(?:\s[^<>\n]{0,200})?>\s{0,8}(?P<value>[^\s<>]{4,400}+)\s{0,8}</")
    ),
    Frame(
        later(
            r"(?:\A|\n)[ \t>+-]{0,24}(?:(?:export|setx?|ENV|ARG|env)[ \t]{1,4})?[\"'*$]{0,2}"
            r"(?:[\w.-]{0,60}|(?:[a-z]{1,12} ){1,2})\Z"
        ),
        later(
            r"[\"'*\]]{0,3}(?:=|[ \t]{0,24}[:：]\*{0,2}[ \t]{0,24}|[ \t](?:=>|:{1,3}=|\?=|\+=)[ \t])"
            rf"{_BARE}{_LAST}"
        ),
    ),
    Frame(
        later(r"(?:\A|\n)[ \t]{0,8}[\w.-]{0,60}\Z"),
        later(rf"[ \t]{{1,24}}=[ \t]{{1,24}}{_BARE}{_LAST}"),
        plain=False,
    ),
    Frame(
        later(""),
        later(
            r"[\"']?:[ \t]{0,3}[|>][+-]?[ \t]{0,4}\n[ \t]{1,24}(?P<value>[^\s#$<{]\S{3,400}+)[ \t]{0,8}(?=\r?\n|\Z)"
        ),
    ),
    Frame(
        later(r"(?:-H|--header)[ =]{0,2}\\{0,7}[\"'][\w-]{0,60}\Z"),
        later(rf": {{0,3}}{_BARE}(?=\\{{0,7}}[\"'])"),
    ),
    Frame(
        later(r"form-data; name=\\?[\"'][\w.:-]{0,60}\Z"),
        later(rf"\\?[\"']\r?\n\r?\n{_BARE}[ \t]{{0,4}}(?=\r?\n--)"),
    ),
    Frame(
        later(r"(?:\bname=\\?[\"']|(?:\A|\n)[\"']?)[\w.:-]{0,60}\Z"),
        later(rf"[\"']?(?:(?<=[\"'])\s?\r?\n\r?\n|[,;\t][\"']?){_BARE}[\"']?{_LAST}"),
        plain=False,
        names=False,
    ),
    Frame(
        later(r"\n[\w.-]{1,60}_\Z"),
        later(rf"\|(?![a-z]{{1,20}}[A-Z]\w{{0,20}}\s)(?=[^\s|]{{8}}){_BARE}{_LAST}"),
        plain=False,
    ),
    Frame(
        later(r"(?:\A|\n)[ \t]{1,4}[\w.-]{0,60}\Z"),
        later(rf"[ \t]{{1,40}}\|[ \t](?![a-z]{{3,14}}\d{{1,3}}[a-z]{{0,8}}\s){_BARE}{_LAST}"),
        plain=False,
    ),
    Frame(
        later(r"-{3}[ \t]{1,60}-{3,40}[ \t]{0,4}\r?\n(?:[^\n]{1,160}\n){0,6}[\w.-]{0,60}\Z"),
        later(rf"[ \t]{{2,40}}{_BARE}{_LAST}"),
    ),
    Frame(
        later(r"(?:\A|\n)[ \t]{0,8}[\w.-]{1,60}_\Z"),
        later(
            r":[ \t]{1,4}(?P<value>(?=[^\n]{0,60}\d)[^\W_]{2,14}(?: [^\W_]{1,14}){2,7})"
            r"[ \t]{0,4}(?=\r?\n(?:[\w.-]{1,60}:|[ \t]{1,16}[\w.-]{1,60}:))"
        ),
    ),
    Frame(later(""), later(rf"\tSecureString\t{_BARE}(?=\s|\Z)")),
    Frame(
        later(r"(?i:\bh?get)\s{1,3}[\w:./-]{0,80}\Z"),
        later(r"\r?\n\"(?P<value>[^\s\"]{4,400}+)\"(?=\r?\n|\Z)"),
    ),
    Frame(later(r"[?&][\w.%\[-]{0,60}\Z"), later(rf"(?:\]|%5[Dd])?={_BARE}(?=[&\s\"'<)]|\Z)")),
    Frame(later(r"(?:\A|[\"'\s])[\w.-]{0,60}\Z"), later(rf"={_BARE}(?={BEHIND_VALUE})")),
    Frame(
        later(r"(?:\A|[\"'\s;])(?:[A-Za-z][\w ]{1,30}=[^;=\s(){}\"']{1,80};){1,12} ?[\w ]{0,30}\Z"),
        later(rf"={_BARE}(?=[;\"'\s]|\Z)"),
    ),
    Frame(
        later(r"(?<![\w-])--?[\w.-]{0,60}\Z"),
        later(rf"[ \t]{{1,3}}[\"']?{_BARE}[\"']?(?=\s{{1,3}}--?\w|[ \t]{{0,3}}(?:\\?\r?\n|\Z|[|;&]))"),
    ),
    Frame(
        later(
            r"(?<![\w-])(?:--set(?:-string)?|-[eDPFd]|--env|--form|--data|--build-arg|-var|--?)[ =]{0,2}[\"']?"
            r"[\w.-]{0,60}\Z"
        ),
        later(rf"=[\"']?{_BARE}(?=[\"']?(?:\s|\Z|,\w))"),
    ),
    Frame(later(r"(?:\A|[\w.]{1,40}[=:][^\s(){}=]{1,80} )[\w.-]{0,40}\Z"), later(rf"={_BARE}(?=[\s\"']|\Z)")),
    Frame(
        later(r"[\[{][^\n()]{0,80}\w=[^\s(){}=,]{1,60}, [\w.-]{0,40}\Z|[\[{][\w.-]{0,40}\Z"),
        later(rf"={_BARE}(?=, \w{{1,40}}=|[\]}}])"),
    ),
    Frame(
        later(r"\{[^\n{}]{0,80}[\w.]{1,40}:[^\s{}]{0,60} [\w.-]{0,40}\Z|\{[\w.-]{0,40}\Z"),
        later(rf":{_BARE}(?= [A-Z]\w{{0,40}}:|\}})"),
        names=False,
    ),
    # cells, and what is told
    Frame(
        later(r"(?:\A|\n)[ \t]{0,8}[|│┃║]{1,2}[ \t*`]{0,24}[\w .-]{0,60}\Z"),
        later(
            r"[ \t*`]{0,24}[|│┃║][ \t`*]{0,6}(?P<value>[^\s|│┃║`*()]{4,200}+)"
            r"[ \t`*]{0,60}[|│┃║]{1,2}[ \t]{0,4}(?=\r?\n|\Z)"
            r"(?!\r?\n[ \t]{0,8}[|+][|+ :-]{2,400}(?:\r?\n[ \t]{0,8}\|))"
        ),
    ),
    Frame(
        later(r"\b(?i:my|our)[\w -]{0,40}\Z"), later(r" is:? (?P<value>[a-z]{6,24})(?=[,;] )"), chosen=True
    ),
    Frame(
        later(r"\b(?i:the|my|our|your|this|new)[\w -]{0,40}\Z"),
        later(rf"(?: for(?: [\w-]{{1,20}}){{1,3}})? is:? [\"'`]?{_BARE}(?=[\"'`]?[,;]?(?:\s|\Z))"),
        plain=False,
    ),
)
