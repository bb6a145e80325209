"""What a command printed that prints a secret alone, where both stand in one text: a terminal that was pasted, the
trace of `bash -x`, a sentence that tells what came.

Rules kept here:

- A command stands behind the prompt of a shell, up to the end of its line. What it printed are the lines below, up to
  the next prompt, a blank line or the end of a fence.
- A command in backticks has printed what stands in the next ones, or alone behind an arrow to the end of the line,
  where what is between says that it came: a verb of giving or getting behind the last comma, a colon or an arrow. Where
  a command only runs somewhere, or before something, nothing is said of its output.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from palimpsest.patterns import later
from palimpsest.summarize.secrets.written.outputs import Printing, may_be_value, printing, secrets_printed

OUTPUT_CHARS = 2_000

Span = tuple[int, int]

_MAY_ASK = later(
    r"(?i)pass|_pwd?\b|secret|token|cred|key|vault|\b(?:op|r?bw|age|gpg2?|oathtool|sops)\b|rand|pwgen|security|auth"
)
"""Some word of this kind stands in every command that prints a secret."""
_SHELL = (
    r"\$|[❯➜λ](?:[ \t]{1,3}[~/][\w./-]{0,60}(?= ))?|[\w.-]{1,40}@[\w.-]{1,60}(?:[ :][^\s$#%>❯]{0,80})?[ \t]?[$#%>❯]|"
    r"\[[^\]\n]{1,80}\][$#]|(?:ba|z|da|k|a)?sh-\d[\d.]{0,7}[$#]|PS [^\n>]{0,80}>|[A-Z]:\\[^\n>]{0,80}>|\+{1,4}"
)
_SIGNS = ("$ ", "# ", "% ", "> ", "+ ", "❯", "➜", "λ")
"""One of them stands in every prompt."""
_BEGUN = rf"[ \t]{{0,8}}(?:> )?(?:\([\w.-]{{1,30}}\) )?(?:{_SHELL})[ \t]{{1,3}}"
_PROMPT = later(rf"{_BEGUN}(?=\S)")
_COMMAND = later(rf"^{_BEGUN}(\S[^\n]{{3,400}})\n", re.MULTILINE)
_ENDS = later(r"[ \t]{0,8}(?:```|~~~|[\[(<]|\Z)|\s{0,8}\Z")
"""A line at which an output ends."""
_TOLD = later(
    r"`([^`\n]{4,300})`(?=([^`\n]{1,80}?)`([^`\s]{4,400})`([^\n]{0,16})|"
    r"[ \t]{0,2}(?:->|→|=>|⇒)[ \t]{0,2}([^\s`]{4,400})[ \t]{0,8}$)",
    re.MULTILINE,
)
_ARROW = later(r"\s{0,2}(?:->|→|=>|⇒|={1,2}|:|：)\s{0,2}")
_CAME = later(
    r"(?i)\b(?:g[io]ves?|gave|g[eo]t|gets|prints?|printed|returns?|returned|shows?|showed|says?|said|yields?|yielded|"
    r"outputs?|liefert\w{0,2}|erg[ia]bt?|gibt|gab|zeigt\w{0,2}|bekam\w{0,2}|bekomme|erhielt|erhalte|"
    r"donne|renvoie|retourne|affiche|obtiens|obtenu|devuelve|devolvió|muestra|imprime|obtengo|obtuve|"
    r"restituisce|stampa|mostra|ottengo|ottenuto|retorna|devolve|devolveu|geeft|gaf|toont|kreeg|zwraca|zwrócił\w?|wypisuje|"
    r"вернул\w{0,2}|возвращает|выда[её]т|выдал\w{0,2}|выводит|вывел\w{0,2}|показал\w{0,2}|получил\w{0,2})\b|"
    r"返回|输出|得到|显示|出力|返し|返り|表示|반환|출력|나왔|나옵"
)
"""What a command did to give something, or somebody to get it."""
_COMES = later(r"\s?(?:が|を|と|가|이|을|를)\s?(?:返|出力|表示|得ら|반환|출력|나왔|나옵)")
"""... behind what was given, in languages whose verb is the last."""
_PAUSE = later(r"[,;，、；。.!?]")


def terminals_in(text: str, start: int, end: int) -> Iterator[Span]:
    """Where between `start` and `end` secrets stand that a command printed which stands there, too."""
    prompted = any(text.find(sign, start, end) >= 0 for sign in _SIGNS)
    for found in _COMMAND.finditer(text, start, end) if prompted else ():
        if made := _made(found[1]):
            yield from secrets_printed(text, (found.end(), _output_end(text, found.end())), made)
    if text.find("`", start, end) >= 0:
        yield from (span for found in _TOLD.finditer(text, start, end) for span in _told(found))


def _made(command: str) -> Printing | None:
    return printing(f'"{command.strip()}"') if _MAY_ASK.search(command) else None


def _output_end(text: str, start: int) -> int:
    """Where the output ends that begins there."""
    most = min(len(text), start + OUTPUT_CHARS)
    at = start
    while at < most:
        after = text.find("\n", at, most) + 1 or most
        line = text[at:after]
        if not line.strip() or _PROMPT.match(line) or _ENDS.match(line):
            break
        at = after
    return at


def _told(found: re.Match[str]) -> Iterator[Span]:
    between, value, behind, alone = found[2], found[3], found[4], found[5]
    if alone:
        said, group = True, 5
    else:
        last = _PAUSE.split(between)[-1]
        said = _ARROW.fullmatch(between) or _CAME.search(last) or _COMES.match(behind)
        group = 3
    if said and may_be_value(alone or value) and _made(found[1]):
        yield found.span(group)
