"""Secrets that stand alone, because the message before asked for them: an answer to "what is the password?", and what a
command prints that prints nothing else.

Rules kept here:

- What was asked is remembered over the ends of sources, as messages arrive: an answer may be the first that is read.
- An answer is one word that no language has. What a command prints must not be a path, an address or a plain word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from palimpsest.patterns import later
from palimpsest.record.message import Message, Text, ToolCall, ToolResult

MAX_CALLS = 200
TAIL_CHARS, HEAD_CHARS = 400, 4_000

Span = tuple[int, int]

_SUBJECT = (
    r"(?:pass ?word|pass ?phrase|pass ?code|\bpin\b|(?:verification|one[- ]?time|security|2fa|otp|login|sms) code|"
    r"(?:api|access|secret|license|recovery) key|\b(?:access |auth |api )?token\b|\bsecret\b|\botp\b|passwort|kennwort|"
    r"密码|密碼|口令|验证码|mot de passe|contraseña|\bclave\b|пароль)"
    r"(?!'?s?[ _-]?(?:limit|count|budget|size|length|polic|name|type|format|field|rotation|expir|usage|hash|manager|"
    r"rule|strength|reset|requirement|storage|window|is for))"
)
_CODES = later(
    r"pin\b|code|word|phrase|otp|wort|密码|密碼|口令|验证码|passe|contraseña|clave|пароль", re.IGNORECASE
)
"""What is asked for may be of digits alone."""
_ASKS = later(
    r"(?:\bwhat(?:'?s| is| are|s)\b|\bwhich\b|\bplease\b|\b(?:enter|type|send|paste|provide|give|share|need|tell)\b|"
    r"\bconfirm\b|\bwie lautet|\bwas ist|\bgib\b|\bbitte|\bquel|\bcuál|输入|请|是什么|多少|告诉|какой|введите)"
    rf"[^\n.!?]{{0,100}}{_SUBJECT}[^\n.!]{{0,100}}[?:.：？。]?\s{{0,4}}\Z|"
    rf"\A[^\n]{{0,40}}{_SUBJECT}[^\n]{{0,12}}[?:：？]\s{{0,4}}\Z|{_SUBJECT}(?:是什么|是多少)",
    re.IGNORECASE,
)
_PRINTS = later(
    r"\b(?:cat|less|more|head|tail|type)\s{1,3}[^\s|;&]{0,200}(?:/run/secrets/|/var/run/secrets/|\.(?:pgpass|vault-token|"
    r"npm-token)\b|/[^\s/|;&\"]{0,40}(?:password|passwd\b|secret|token|api[_-]?key)[^\s/|;&\"]{0,20}(?=[\s\"'|;&]|\Z))|"
    r"\becho\s{1,3}\\?[\"']?\$\{?\w{0,40}(?:PASS|SECRET|TOKEN|API_?KEY|ACCESS_?KEY|_PW\b|_PWD\b)|"
    r"\bprintenv\s{1,3}\w{0,40}(?:PASS|SECRET|TOKEN|KEY|_PW\b)|"
    r"\bvault\s{1,3}(?:kv\s{1,3}get|read)\b[^\n|;&]{0,200}?-field|\bgh\s{1,3}auth\s{1,3}token|"
    r"\bgcloud\b[^\n|;&]{0,60}print-(?:access|identity)-token|\baz\b[^\n|;&]{0,120}get-access-token|"
    r"\bkubectl\b[^\n;&]{0,200}\bsecrets?\b[^\n;&]{0,200}base64\s{1,3}(?:-d|--decode|-D)|"
    r"\bopenssl\s{1,3}rand\b|\bpwgen\b|\bapg\b|\bmakepasswd\b|\bop\s{1,3}(?:read|item\s{1,3}get)\b|"
    r"\baws\s{1,3}(?:secretsmanager\s{1,3}get-secret-value|ecr\s{1,3}get-login-password|ssm\s{1,3}get-parameter)|"
    r"\bpass\s{1,3}(?:show|generate)\b|\bsecurity\s{1,3}find-(?:generic|internet)-password|\bbw\s{1,3}(?:get|unlock)\b|"
    r"\bsecret-tool\s{1,3}lookup|\bsecrets\.token_\w|\bterraform\s{1,3}output\s[^\n|;&]{0,40}-raw|"
    r"\bsupabase\b[^\n|;&]{0,60}keys|\bheroku\s{1,3}(?:auth:token|config:get)"
)
_WORDS = later(r"[^\s\"'`,;]{4,4000}")
_ALONE = later(r"\s{0,20}[\"'`]?([^\s\"'`]{4,400}?)[\"'`]?[.]?\s{0,20}\Z")
_OUTPUT = later(r"\{\s{0,4}\"(?:output|stdout|result)\"\s{0,4}:\s{0,4}\"([^\"\\\s]{6,4000})(?:\\n|\s)?\"")
_UNLIKE_WORDS = later(r"(?=.*\d)(?=.*[^\W\d_])|.*[A-Za-z][!@#%^&?+=~*$][A-Za-z]|.*[a-z][A-Z]|.*[!#%^*$]\Z")
_RANDOM = later(r"(?=.*\d)(?=.*[^\W\d_])(?=.{8})|.*\w[!@#%^&?+=~*$]\w|(?=.*[a-z][A-Z].*[a-z][A-Z])")
_NONE = later(
    r"[/~.<\[{(]|\w{2,12}://|sha\d+:|(?:[\w-]+\.)+[a-z]{2,6}\Z|[\w./-]+\.\w{1,5}\Z|\[secret:|v?\d+(?:\.\d+)+"
)


@dataclass(slots=True)
class Asked:
    """What the messages read last asked for: calls that print or ask for a secret, and whether the agent did."""

    _calls: dict[str, str] = field(default_factory=dict[str, str], repr=False)
    _question: str = ""

    def answers(self, message: Message) -> Iterator[tuple[str, Span]]:
        """The texts of a message in which a secret stands that was asked for, and where."""
        question, self._question = self._question, ""
        for part in message.parts:
            match part:
                case Text(text) if message.role == "user" and question:
                    yield from ((text, span) for span in _answer(text, question))
                case Text(text) if message.role == "assistant":
                    self._question = _question(text)
                case ToolCall(id=call, arguments=arguments):
                    self._call(call, arguments[:HEAD_CHARS])
                case ToolResult(call_id=call, content=content) if call in self._calls:
                    question = self._calls.pop(call)
                    for inner in content:
                        if isinstance(inner, Text):
                            spans = _answer(inner.text, question) if question else _printed(inner.text)
                            yield from ((inner.text, span) for span in spans)
                case _:
                    pass

    def _call(self, call: str, arguments: str) -> None:
        question = _question(arguments.rstrip("\"'}] \n"))
        if question or _PRINTS.search(arguments):
            self._calls[call] = question
            if len(self._calls) > MAX_CALLS:
                del self._calls[next(iter(self._calls))]


def _question(text: str) -> str:
    """What a text asks for at its end; "" where that is no secret."""
    found = _ASKS.search(text[-TAIL_CHARS:])
    return found[0] if found else ""


def _answer(text: str, question: str) -> Iterator[Span]:
    found = _ALONE.match(text)
    if found and not _NONE.match(found[1]):
        digits = found[1].isdecimal() and len(found[1]) >= 4 and _CODES.search(question)
        if digits or _UNLIKE_WORDS.match(found[1]):
            yield found.span(1)


def _printed(text: str) -> Iterator[Span]:
    """Every word of what a command printed, where nothing else stands there."""
    inner = _OUTPUT.match(text)
    if inner:
        yield inner.span(1)
        return
    words = list(_WORDS.finditer(text[:HEAD_CHARS]))
    if words and all(_RANDOM.match(word[0]) and not _NONE.match(word[0]) for word in words):
        yield from (word.span() for word in words)
