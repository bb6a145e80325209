"""Secrets that stand alone, because the message before asked for them: an answer to "what is the password?", and what a
command prints that prints nothing else.

Rules kept here:

- What was asked is remembered over the ends of sources, as messages arrive: an answer may be the first that is read.
- An answer is one word that no language has, or any that is no reply where the secret itself was asked for: not
  whether there is one, or what to do with it. What a command prints must not be a path, an address or a plain word.
- What is typed where a terminal has just asked is the secret, whatever it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from palimpsest.patterns import as_key, later
from palimpsest.record.message import Message, Text, ToolCall, ToolResult
from palimpsest.summarize.envelopes import unwrapped
from palimpsest.summarize.secrets.looks.ordinary import is_ordinary
from palimpsest.summarize.secrets.told.sentences import is_phrase
from palimpsest.summarize.secrets.written.outputs import NONE, Printing, printing, secrets_printed
from palimpsest.summarize.textcalls import action_in

MAX_CALLS = 200
TAIL_CHARS, HEAD_CHARS = 400, 4_000

Span = tuple[int, int]

_SUBJECT = (
    r"(?:pass ?word|pass ?phrase|pass ?code|"
    r"\bpin\b(?! of the (?:sensor|chip|board|display|led|motor|header|connector|button)\b)|"
    r"(?:verification|one[- ]?time|security|2fa|otp|login|sms|\w{1,6}[- ]digit) code|"
    r"(?:api|access|secret|license|recovery) key|\b(?:access |auth |api )?token\b|\bsecret\b|\botp\b|passwort|kennwort|"
    r"code\b[^\n.?!]{0,24} (?:phone|sms|text|e-?mail|app|inbox)|(?:sent|texted|e-?mailed)[^\n.?!]{0,16} code|"
    r"密码|密碼|口令|验证码|mot de passe|contraseña|\bclave\b|парол|hasło|\bsenha|wachtwoord|heslo)"
    r"(?!\w{0,2}'?s?[ _-]?(?:limit|count|budget|size|length|polic|name|type|format|field|rotation|expir|usage|hash|"
    r"manager|rule|strength|reset|requirement|storage|window|prompt|is for|for\?))"
)
_SUBJECT_WORDS = (
    "pass pin code key token secret otp kennwort contrase clave парол hasło senha wachtwoord heslo "
    "密码 密碼 口令 验证码"
).split()
"""One of these stands in every subject."""
_CODES = later(
    r"(?i)pin\b|code|wor[dt]|phrase|otp|密[码碼]|口令|验证码|passe|contraseña|clave|парол|hasł|senha|heslo"
)
"""What is asked for may be of digits alone."""
_ASKS = later(
    r"(?i)(?:\bwhat(?:'?s| is| are|s| user ?name)\b|\bwhich\b|\bplease\b|\b(?:enter|type|send|paste|provide|give|share|"
    r"need|tell|confirm|quale?|jakie|do you have|"
    r"(?:asks?|asking|prompts?|prompting|waits?|waiting) (?:me |us )?for|wants|requires)\b|"
    r"\bwie lautet|\bwas ist|\bgib\b|\bbitte|\bquel|\bcuál|输入|请|"
    r"是什么|多少|告诉|какой|введите)"
    rf"[^\n.!?]{{0,100}}{_SUBJECT}(?:[^\n.!]|\.\w){{0,100}}[?:.：？。]?\s{{0,4}}\Z|"
    rf"{_SUBJECT}[^\n]{{0,80}}[.?!] (?:what|which)(?: one)?(?:'s| is) it\?\s{{0,4}}\Z|"
    rf"(?:\A|[.!?]\s)(?:[^\n.!?]|\.\w){{0,40}}{_SUBJECT}[^\n]{{0,12}}[?:：？]\s{{0,4}}\Z|{_SUBJECT}(?:是什么|是多少)"
)
_PLAINLY = later(
    r"(?i)(?:\bwhat(?:'?s| is| are|s)|\bwhich(?= pass| pin)|\b(?:what|which) user ?names? and(?: which)?|\b(?:enter|"
    r"type|send|paste|provide|give|share|need|tell|gib|quale?|jakie)|\bwie lautet|\bwas ist|quel|cuál)\b"
    rf"(?: (?!if\b|whether\b|where\b|who\b|how\b|to\b|that\b)[\w'’]{{1,16}}){{0,6}}? {_SUBJECT}|"
    rf"{_SUBJECT}(?:是什么|是多少)|(?:[:：]|[.?!] [\w ']{{6,12}} it\?)\s{{0,4}}\Z"
)
"""What asks for the secret itself: any word answers it that is no reply to whoever asks."""
_WHETHER = later(
    r"(?i)\W{0,4}(?:(?:and|so|or|but|then),? )?(?:(?:should|shall|may|must|(?:can|could|will|would) (?!you\b))|"
    r"(?:do(?! tell| give)|does|did|have|has|had|is|are|was|were)\b[^\n.!?]{0,200}[?.]?\s{0,4}\Z)|"
    rf".*(?:\bor (?:the |a |my |your )?(?:\w{{1,20}}\W{{0,4}}\Z|{_SUBJECT})|\w (?:oder|ou|или) )"
)
"""What asks whether, or for one of two."""
_PROMPT = later(rf"(?i:{_SUBJECT})(?:\s[^\n:]{{1,80}})?:[ \t]{{0,2}}(\r?\n|[\s\"'}}\\]{{0,8}}\Z)")
_TYPED = later(
    r"\"(?:input|keys|keystrokes|text|stdin|data|chars|send)\"\s{0,2}:\s{0,2}\"(?:[^\"\n]{0,200}\\n)?"
    r"((?:[^\"\\]|\\[\"\\]){4,200})(?:\\[rn]|<Enter>){0,4}\""
)
"""What a call types into a terminal: the last of its lines."""
_BEGUN = later(rf"{_SUBJECT}[^\n.?!:]{{0,60}}(?: is| ist| lautet| est| es|[:：=])\s{{0,4}}\Z", re.IGNORECASE)
"""What the next part of a message ends."""
_LED = later(
    r"(?i)\s{0,20}(?:(?:yes|sure|ok|okay|ja|oui|sí|sì)[,:]? )?(?:(?:user )?\S{1,40},? (?:and )?(?:the )?password"
    r"(?: is)?:? |(?:it(?:'?s| is)|that'?s|c'est|es ist|das ist|the|to):? )?"
)
_ALONE = later(r"[\"'`]?(\d{3}[ -]\d{3}|[^\s\"'`]{4,400}?)[\"'`]?[.]?(?P<more>, [^\n]{1,60})?\s{0,20}\Z")
_PHRASE = later(r"\s{0,20}[\"'`]?([^\W\d_]{2,14}(?: [^\W\d_]{2,14}){2,9})[\"'`]?\.?\s{0,20}")
_TALK = later(
    r"\b(?:i|you|it|we|they|he|she|no|not|yes|ok|okay|sure|none|nothing|don|dont|idea|ask|me|my|us|leave|skip|later|"
    r"know|think|same|one|before|after|first|please|thanks|to|of|for|with|without|about|if|what|which|that|this)\b",
    re.IGNORECASE,
)
"""What a reply has that is no phrase."""
_DIGITS = later(r"\d+|\d{3}[ -]\d{3}")
_BOTH = later(r"\s{0,20}\S{2,60}(?: and | und | et | y |,? |\s?/\s?)[\"'`]?(?=\S{4,60}\s{0,4}\Z)")
"""A user's name before the password that was asked for with it."""
_ACCOUNT = later(r"user|login|account|credential|benutzer|utilisateur|usuari|utente", re.IGNORECASE)
_WORD = later(r"[^\W\d_]{5,24}(?:-[^\W\d_]{2,24}){0,6}(?<!ly)", re.ASCII)
_REPLIES = frozenset(
    "continue proceed ignore cancel abort thanks thank nothing dunno sorry maybe perhaps hello exactly somewhere "
    "deploy deployment moment weiter danke gracias merci leave start keine nichts whatever".split()
)
_UNLIKE_WORDS = later(r"(?=.*\d)(?=.*[^\W\d_])|.*[A-Za-z][!@#%^&?+=~*$][A-Za-z]|.*[a-z][A-Z]|.*[!#%^*$]\Z")
_INPUT = later(r"\s{0,20}<bash-input>([^<]{1,4000})</bash-input>\s{0,20}\Z")
"""A command that the user ran."""


@dataclass(slots=True)
class Asked:
    """What the messages read last asked for: calls that print or ask for a secret, and whether the agent did."""

    _calls: dict[str, str] = field(default_factory=dict[str, str], repr=False)
    _printing: dict[str, Printing] = field(default_factory=dict[str, Printing], repr=False)
    _ran: Printing | None = None
    _question: str = ""
    _typed: str = field(default="", repr=False)
    _prompted: bool = False

    def answers(self, message: Message) -> Iterator[tuple[str, Span]]:
        """The texts of a message in which a secret stands that was asked for, and where."""
        question, self._question = self._question, ""
        ran, self._ran = self._ran, None
        for part in message.parts:
            match part:
                case Text(text) if message.role == "user":
                    asked, mark, told = text[:TAIL_CHARS].partition("?")
                    if mark and (led := _LED.match(told)) and led[0].strip():
                        spans = _answer(told, _question(asked + mark))
                        yield from ((text, (len(asked) + 1 + at, len(asked) + 1 + end)) for at, end in spans)
                    yield from ((text, span) for span in _answer(text, question) if question)
                    tail = text[-TAIL_CHARS:]
                    begun = _BEGUN.search(tail) if _may_ask(tail) else None
                    question = f"{begun[0]}:" if begun else question
                    yield from ((text, span) for span in (_shown(text, ran, typed=True) if ran else ()))
                    typed = _INPUT.search(text)
                    self._ran = _run(typed[1]) if typed else None
                case Text(text) if message.role == "assistant":
                    self._question = _question(text)
                    action = action_in(text)
                    self._ran = _run(action.code) if action else None
                case ToolCall(id=call, arguments=arguments):
                    yield from self._call(call, arguments)
                case ToolResult(call_id=call, content=content):
                    asked_for, made = self._calls.pop(call, ""), self._printing.pop(call, None)
                    for inner in content:
                        if isinstance(inner, Text):
                            yield from (
                                (inner.text, span) for span in (_shown(inner.text, made) if made else ())
                            )
                            yield from self._result(inner.text, asked_for)
                case _:
                    pass

    def _call(self, call: str, arguments: str) -> Iterator[tuple[str, Span]]:
        """Remember what a call asks for or prints; what it types where a terminal has just asked is the secret."""
        typed, begin = _TYPED.search(arguments), arguments[:HEAD_CHARS]
        if self._prompted and typed:
            yield arguments, typed.span(1)
        self._prompted, self._typed = False, arguments if typed else ""
        question = _question(begin.rstrip("\"'}] \n"))
        made = printing(begin)
        if question:
            self._calls[call] = question
        if made:
            self._printing[call] = made
        for calls in (self._calls, self._printing):
            if len(calls) > MAX_CALLS:
                del calls[next(iter(calls))]

    def _result(self, text: str, question: str) -> Iterator[tuple[str, Span]]:
        if question:
            yield from ((text, span) for span in _answer(text, question))
        tail = text[-TAIL_CHARS:]
        prompt = _PROMPT.search(tail) if _may_ask(tail) else None
        typed = _TYPED.search(self._typed) if prompt and prompt[1].strip("\r") == "\n" else None
        if typed and " " not in typed[1]:
            yield self._typed, typed.span(1)
        self._prompted = bool(prompt and not typed)


def _run(command: str) -> Printing | None:
    """What a command prints that stands in the text of a message."""
    return printing(f'"{command.strip()[:HEAD_CHARS]}"')


def _shown(text: str, made: Printing, *, typed: bool = False) -> Iterator[Span]:
    """The secrets in what a command printed, which a result holds, or, where it was `typed`, a message of a user's."""
    output = unwrapped(text)
    sure = not output.code and (output.framed or not typed)
    yield from secrets_printed(text, (output.start, output.end), made, sure=sure)


def _may_ask(text: str) -> bool:
    """Whether a word of a subject stands in a text, in any case: without one none is asked for, as in most texts."""
    low = text.lower() if text.isascii() else as_key(text)
    return any(word in low for word in _SUBJECT_WORDS)


def _question(text: str) -> str:
    """What a text asks for at its end; "" where that is no secret."""
    tail = text[-TAIL_CHARS:]
    found = _ASKS.search(tail) if _may_ask(tail) else None
    return (
        tail[max(tail.rfind(sign, 0, found.start() + 1) for sign in ".!?\n") + 1 : found.end()]
        if found
        else ""
    )


def _answer(text: str, question: str) -> Iterator[Span]:
    led = (_BOTH.match(text) if _ACCOUNT.search(question) else None) or _LED.match(text)
    found = _ALONE.match(text, led.end() if led else 0)
    if found and not NONE.match(found[1]) and not (found["more"] and led and not led[0].strip()):
        digits = _DIGITS.fullmatch(found[1]) and len(found[1]) >= 4 and _CODES.search(question)
        word = _WORD.fullmatch(found[1]) and not is_ordinary(found[1]) and found[1].lower() not in _REPLIES
        if (
            digits
            or _UNLIKE_WORDS.match(found[1])
            or (word and _PLAINLY.search(question) and not _WHETHER.match(question))
        ):
            yield found.span(1)
    words = _PHRASE.fullmatch(text) if "phrase" in question.lower() else None
    if words and _PLAINLY.search(question) and not _TALK.search(words[1]) and is_phrase(words[1], said=True):
        yield words.span(1)
