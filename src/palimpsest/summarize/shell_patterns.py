"""The patterns of tool calls and shell commands: what they read, write and run."""

from __future__ import annotations

import re

from palimpsest.patterns import later

ID_KEY = later(r"(?:[_-]|(?<=[a-z])(?=I))ids?$", re.IGNORECASE)
"""What a call beside a command or a file names by an id (a session, a cell) is asked for by it again."""
DIGIT = later(r"\d")
KEEPS_TASKS = later(r"task|todo|plan", re.I)
"""The command of such a tool ("plan", "view") is none of a shell's."""
ADDS_TASK = later(r"(?:task|todo)_?(?:create|add)|(?:create|add)_?(?:task|todo)", re.I)
CHANGES_TASK = later(r"(?:task|todo)_?update|update_?(?:task|todo)", re.I)
STATUS = re.compile(r"pending|in_progress|completed|cancelled|blocked", re.I)
PATCH = later(
    r"^\*\*\* (Add|Update|Delete) File: ([^\n]{1,400})$|^\*\*\* (Move) to: ([^\n]{1,400})$", re.MULTILINE
)
RAW_PATH = later(
    r'"(?:file_?path|path|absolute_path|target_file|filename)"\s{0,4}:\s{0,4}"([^"\\]{1,300})"', re.I
)
FINDING = r"list|glob|grep|search|find"
FINDS = later(FINDING, re.I)
READS = later(r"read|view|open|(?<![a-z])(?:get|show)|(?<![a-z])cat(?![a-z])", re.I)
WRITING = later(
    r"(?:(?<![-=>])>>?|\btee(?: -a)?|\btouch|^create|"
    r"\b(?:[Ss]et-[Cc]ontent|[Aa]dd-[Cc]ontent|[Oo]ut-[Ff]ile)(?: -(?:(?:File)?Path|LiteralPath|Append|Force))*) ?"
    r"([^\s;|&<>'\"()]{1,300})"
)
OPERANDS = r"(?P<operands>(?:[ \t]{1,8}[^\s;&|<>'\"]{1,300}){1,40})"
EDITING = later(r"\bsed" + OPERANDS)
BEGIN = r"(?:^|[;&|({\n])[ \t]{0,8}(?:(?:then|do|else|sudo)[ \t]{1,8}){0,2}"
GIT = r"git[ \t]{1,8}"
ELSEWHERE = later(r"\bgit[ \t]{1,8}-C[ \t]{1,8}([^\s;&|<>'\"()]{1,300})([ \t]{1,8}[^;&|\n()]{1,600})")
"""Git that is told to work in another folder, as behind `cd`."""
DELETING = later(BEGIN + rf"(?:{GIT})?(?:rm|[Rr]emove-[Ii]tem|del)" + OPERANDS)
"""`rm` where a command begins: `docker rm` and `--rm` delete no file."""
MOVING = later(BEGIN + rf"(?:{GIT})?(?P<program>mv|cp|[Mm]ove-[Ii]tem|[Cc]opy-[Ii]tem)" + OPERANDS)
RESTORING = later(BEGIN + GIT + r"(?P<program>checkout|restore)" + OPERANDS)
IN_PLACE = later(r"-[A-Za-z]{0,4}i(?:\.\w{1,12})?|--in-place(?:=\S{1,40})?")
WALKABLE = later(r"[^$`*?\[\]{}-][^$`*?\[\]{}]*")
"""A folder whose name is said, not reckoned."""
QUOTED = later(r"'([^']{0,400})'|\"((?:[^\"\\]|\\.){0,400})\"|(?<![^\s;])#[^\n]{0,2000}")
"""What stands in quotes, or is a comment."""
UNENDED = later(r"(?<!<)<<-?[ \t]{0,2}['\"]?(?!\w{1,40}[ \t]{0,4}\)\))[^\W\d][^\n]{0,300}\n")
"""A here-document without an end; a shift in sums (`$((1 << n))`) and a here-string (`<<<`) are none."""
GROUP = later(r"(?<=/)\([\w.-]{1,40}\)(?=/)")
"""A folder in brackets, as routers call theirs: `app/(shop)/page.tsx`."""
STEP = later(
    r"\(|\)(?:/[^\s;&|()<>]{1,300})?|"
    r"(?:^|(?<=[;&|({\n]))[ \t]{0,8}(?:(?:cd|pushd)(?P<target>[ \t]{1,8}[^\s;&|()<>]{1,300})?|popd)(?=[\s;&|)]|$)"
)
"""Where a command goes to another folder, and the brackets behind which it is back, with what goes on the path that
they stand for (`$(npm root)/kit`): that is seen from no folder."""
READING = later(r"[\s;&|(]{0,40}(?:cat|head|tail|less|open|nl|sed -n)\b")

HEREDOC_BODY = later(
    r"<<-?[ \t]{0,2}(['\"]?)(\w{1,40})\1([^\n]{0,300})\n(?:[^\n]{0,2000}\n){0,2000}?[ \t]{0,8}\2[ \t]*(?=\n|\Z)"
)
"""What a here-document puts into a program's input, up to the line that ends it; behind its word stands the rest of the
line, which is part of the command.
"""
