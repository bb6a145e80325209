"""The output and the exit code of a command, from a result in which an agent wrapped both.

- A wrapper is what a tool adds around the output: fields before it (`Exit code: 0`, `Output:`), fields or brackets
  after it, tags or a JSON object around it. It is removed only if it says how the command ended, or is at both ends: a
  program may print `Output:` itself.
- A single line with an exit code at either end, in many languages, is a wrapper too. A command that only shows text may
  show such a line of another program, so there only a tool's own words count.
- Only the outermost wrapper is removed: the rest was printed.
- Only the two ends of a text are examined.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import cast

from palimpsest.lazy_regex import later

PARSED_CHARS = 100_000
"""Longer JSON is not parsed."""
HEAD_CHARS, TAIL_CHARS = 4_000, 1_600
NEAR_END_CHARS = 400
"""How far from an end a line with an exit code can be."""
MAX_LINES = 10
"""The most lines of a wrapper after the output, with blank ones."""

_CODE_WORDS = ("exit", "return", "code", "codice", "kod")
_REPORTED_END = {"Exit Code", "Process Group PGID"}
_CODE_KEYS = ("exit_code", "exitCode", "exitcode", "returncode", "return_code", "returnCode")

EXIT = re.compile(
    r"^[^\w\n]{0,8}(?:[^\W\d]{1,20}[^\w\n]{1,3}){0,12}?"
    r"(?:exit(?:ed)?(?: with)?(?: code| status)?|exit_?code|return_?code|return code|exit-(?:code|status)|"
    r"rückgabe-?(?:wert|code)|beendigungscode|code de (?:sortie|retour)|"
    r"código de (?:salida|retorno|saída)|codice di (?:uscita|ritorno)|(?:afsluit|exit)code|"
    r"kod(?:em)? (?:wyjścia|powrotu|zakończenia)|код(?:ом)? (?:выхода|возврата|завершения)|"
    r"[^\W\d_a-z]{0,12}(?:(?:终了|結束|结束|退出|返回)\s?(?:代?[码碼]|状态码?|狀態碼?)|(?:終了|リターン|戻り)\s?(?:コード|ステータス)|"
    r"(?:종료|반환) ?(?:코드|상태))[为為は]?)"
    r"\"?[^\w\n]{0,3}(-?\d{1,3})(?![0-9A-Za-z_]|[.,]\d)(?:</\w{1,20}>|, stdout: [^\n]{0,400}|"
    r"\s?(?:で(?:終了|失敗)[^\n]{0,12}|(?:\(으\)|으)?로 종료[^\n]{0,12}))?[^\w\n]{0,80}$",
    re.IGNORECASE | re.MULTILINE,
)
"""An exit code on a line of its own, in many languages."""
ENDED = re.compile(r"\W{0,8}(?:(?:The )?[Cc]ommand|Process|Exit Code:) ")
"""The beginning of a line that a tool, not the command, adds after an output."""
OUTPUT = re.compile(r"^(?:Output:\n|<output>)", re.MULTILINE)
"""Separates what is said of a command from its output."""
CODE = r"\s{0,4}(-?\d{1,5})\s{0,4}"
FIELD_LINE = r"(?:[A-Z][A-Za-z ]{1,30}: ?[^\n]{0,160}|Process [^\n]{1,80}|Command executed[^\n]{0,400})"
FIELDS = later(rf"(?:{FIELD_LINE}\n){{1,8}}?Output:\n{{1,2}}")
"""The fields of Codex and Roo before an output."""
EXIT_WITHIN = later(r"\bExit code: (-?\d{1,3})$", re.MULTILINE)
"""At the end of a line that says something else."""
RUNS_ON = later(r"^Process running with session ID ", re.MULTILINE)
CODE_TAG = rf"\s{{0,8}}<((?:return|exit)_?code)>{CODE}</\1>"
"""The beginning of a result in mini-SWE-agent; the name and the code are groups."""
TAGS = later(rf"{CODE_TAG}\s{{0,4}}<(output|stdout)>\n?")
STREAM = later(r"\s{0,8}<((?:bash-)?stdout)>\n?")
STREAM_ENDS = later(
    rf"\n?</(?:bash-)?stdout>\s{{0,4}}(?:<((?:bash-)?stderr)>\s{{0,8}}</\1>\s{{0,4}})?"
    rf"(?:<((?:return|exit)_?code)>{CODE}</\2>\s{{0,4}})?\Z"
)
ALONE_OUTPUT = later(r"(?:Output|Stdout): ?\n?")
FOLDER = later(r"\nDirectory: [^\n]{0,400}\n(?:Output|Stdout): ?\n?")
REPORT = later(
    rf"Exit Code: (?:\(none\)|{CODE})|(?:Signal|Background PIDs|Process Group PGID): [^\n]{{1,80}}|"
    r"Error: \(none\)|Stderr: \(empty\)"
)
"""The fields of Gemini CLI and its forks after an output; one of `_REPORTED_END` has to be there."""
CITED = later(r"\s{0,4}Command output:\s{1,4}```\w{0,12}\n")
OBSERVED = later(r"EXECUTION RESULT of \[[^\]\n]{1,60}\]:\n")
PROMPT = later(
    r"(?:\A|\n)(?:\((?:Open file|Current directory|Interactive session): [^\n]{0,400}\)\r?\n){1,3}"
    r"bash-[\d.]{0,8}[$#]\s{0,8}\Z"
)
"""The prompt of SWE-agent's shell, after its output."""
DONE = later(rf"///PROCESS-DONE:{CODE}:PROCESS-DONE///\s{{0,8}}\Z")
NOTE = later(
    r"\[(?:Jupyter )?(?:current working directory|python interpreter): [^\n]{0,400}\]|"
    r"Shell cwd was reset to [^\n]{1,400}",
    re.IGNORECASE,
)
SHELL_ENDED = later(rf"<shellId: [^\n>]{{1,40}}? completed with exit code{CODE}>")
JSON = later(
    r"\s{0,8}\{\s{0,8}(?:\"(?:exit_?code|return_?code|success|stderr|error)\"\s{0,4}:\s{0,4}"
    r"(?:-?\d{1,5}|true|false|null|\"[^\"\\\n]{0,200}\")\s{0,4},\s{0,8}){0,4}"
    r"\"(output|stdout|result)\"\s{0,4}:\s{0,4}\"",
    re.IGNORECASE,
)
STRING = later(r"[^\"\\]*(?:\\.[^\"\\]*)*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Printed:
    """The output of a command: `text`, from `start` to `end` of the result (escaped there, if the result is JSON).

    `code` is the exit code in the wrapper, None for none. `wrapped`: there was a wrapper.
    """

    text: str
    start: int
    end: int
    code: int | None = None
    wrapped: bool = False


def unwrapped(text: str, command: str = "", *, shows: bool = False) -> Printed:
    """The output in a result, without the wrapper of an agent. Never raises.

    `command` is what was run, if known; `shows`: it only shows what others wrote.
    """
    around = in_json(text) or _tagged(text) or _reported(text, command) or _headed(text)
    ended = around or _followed(text, shows=True) or _begun(text) or _followed(text, shows=shows)
    return ended or Printed(text, 0, len(text))


def in_json(text: str) -> Printed | None:
    """The output in a JSON object such as `{"output": ..., "metadata": {"exit_code": 0}}`; None for other text."""
    head = JSON.match(text) if len(text) <= PARSED_CHARS and text.lstrip()[:1] == "{" else None
    if head is None:
        return None
    try:
        value: object = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return None
    fields = cast("dict[str, object]", value) if isinstance(value, dict) else {}
    output, metadata = fields.get(head[1]), fields.get("metadata")
    if not isinstance(output, str):
        return None
    said = cast("dict[str, object]", metadata) if isinstance(metadata, dict) else fields
    codes = (said[key] for key in _CODE_KEYS if key in said)
    code = next((one for one in codes if isinstance(one, int) and not isinstance(one, bool)), None)
    errors = fields.get("stderr")
    if isinstance(errors, str) and errors.strip():
        output = f"{output}\n{errors}"
    string = STRING.match(text, head.end())
    return Printed(output, head.end(), string.end() if string else len(text), code, wrapped=True)


def code_said(text: str, *, shows: bool) -> int | None:
    """The exit code in a text: before the output, on its first line, or on the last line near its end that has one.

    If the command only `shows` text, only a tool's own words count at the end.
    """
    head = text[:NEAR_END_CHARS]
    ends = f"{head}\n{text[-NEAR_END_CHARS:]}"
    if not _may_say_code(ends):
        return None
    parted = OUTPUT.search(head)
    said = list(EXIT.finditer(head[: parted.start()])) if parted else []
    first = EXIT.match(ends)
    last = [one for one in EXIT.finditer(ends, len(head) + 1) if not shows or ENDED.match(one[0])]
    found = said[-1] if said else first or (last[-1] if last else None)
    return int(found[1]) if found else None


def may_say(text: str, words: Iterable[str]) -> bool:
    """Whether a text contains one of the words, without which a pattern cannot match."""
    return any(word in text for word in words)


def _may_say_code(text: str) -> bool:
    return may_say(text.lower(), _CODE_WORDS) or not text.isascii()


def _cut(text: str, start: int, end: int, code: int | None) -> Printed:
    end = max(start, end)
    return Printed(text[start:end], start, end, code, wrapped=True)


def _tagged(text: str) -> Printed | None:
    """An output in tags, with the code in another tag."""
    if (head := TAGS.match(text)) is not None:
        end = text.rfind(f"</{head[3]}>", max(head.end(), len(text) - TAIL_CHARS))
        end = len(text) if end < 0 else end - (text[end - 1] == "\n")
        return _cut(text, head.end(), end, int(head[2]))
    head = STREAM.match(text)
    ended = STREAM_ENDS.search(text, max(head.end(), len(text) - TAIL_CHARS)) if head else None
    if head is None or ended is None or not (ended[1] or ended[2]):
        return None
    return _cut(text, head.end(), ended.start(), int(ended[3]) if ended[3] else None)


def _reported(text: str, command: str) -> Printed | None:
    """An output between the fields of Gemini CLI: the command or nothing before it, the outcome after it."""
    if text.startswith("Command: "):
        known = len(command) if command and text.startswith(command, 9) else 0
        at = text.find("\nDirectory: ", 9 + known, 9 + known + HEAD_CHARS)
        head = FOLDER.match(text, at) if at >= 0 else None
    else:
        head = ALONE_OUTPUT.match(text)
    if head is None:
        return None
    end, code = len(text.rstrip()), None
    names: set[str] = set()
    for _ in range(MAX_LINES):
        begin = text.rfind("\n", max(head.end(), end - NEAR_END_CHARS), end) + 1
        field = REPORT.fullmatch(text, begin, end) if begin else None
        name = field[0].partition(":")[0] if field else ""
        if field is None or name in names:
            break
        names.add(name)
        code = int(field[1]) if field[1] else code
        end = begin - 1
    return _cut(text, head.end(), end, code) if names & _REPORTED_END else None


def _headed(text: str) -> Printed | None:
    """An output after lines of fields, one with an exit code or the note that the command still runs."""
    fields = FIELDS.match(text, 0, HEAD_CHARS)
    if fields is None:
        return None
    said = list(EXIT.finditer(fields[0])) or list(EXIT_WITHIN.finditer(fields[0]))
    if not said and not RUNS_ON.search(fields[0]):
        return None
    return _cut(text, fields.end(), len(text), int(said[-1][1]) if said else None)


def _begun(text: str) -> Printed | None:
    """An output after a first line with an exit code."""
    first = EXIT.match(text, 0, HEAD_CHARS) if _may_say_code(text[:NEAR_END_CHARS]) else None
    if first is None or first.end() >= len(text):
        return None
    if cited := CITED.match(text, first.end()):
        end = text.rfind("\n```", cited.end() - 1)
        return _cut(text, cited.end(), end if end >= 0 else len(text), int(first[1]))
    return _cut(text, first.end() + 1, len(text), int(first[1]))


def _followed(text: str, *, shows: bool) -> Printed | None:
    """An output before lines that only a tool writes, or before a line with an exit code."""
    tail = max(0, len(text) - TAIL_CHARS)
    end, code = len(text), None
    if done := DONE.search(text, tail) or PROMPT.search(text, tail):
        end, code = done.start(), int(done[1]) if done.lastindex else None
    for _ in range(MAX_LINES):
        last = len(text[tail:end].rstrip()) + tail
        begin = text.rfind("\n", tail, last) + 1
        line = text[begin:last] if begin or not tail else ""
        shell = SHELL_ENDED.fullmatch(line)
        said = shell or (EXIT.match(line) if len(line) <= NEAR_END_CHARS and _may_say_code(line) else None)
        if said and (shell or not shows or ENDED.match(line)) and (code is None or line.startswith("[")):
            code = int(said[1]) if code is None else code
        elif not line or not NOTE.fullmatch(line):
            break
        end = max(0, begin - 1)
    if end == len(text):
        return None
    observed = OBSERVED.match(text)
    return _cut(text, observed.end() if observed else 0, end, code)
