"""The patterns of what tools put around the output of a command, and of how they say its exit code."""

from __future__ import annotations

import re

from palimpsest.lazy_regex import later

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
"""How the line begins that a tool, not the command, puts behind an output."""
OUTPUT = re.compile(r"^(?:Output:\n|<output>)", re.MULTILINE)
"""Behind it stands what a command wrote, before it what is said of the command."""
CODE = r"\s{0,4}(-?\d{1,5})\s{0,4}"
FIELD_LINE = r"(?:[A-Z][A-Za-z ]{1,30}: ?[^\n]{0,160}|Process [^\n]{1,80}|Command executed[^\n]{0,400})"
FIELDS = later(rf"(?:{FIELD_LINE}\n){{1,8}}?Output:\n{{1,2}}")
"""As Codex and Roo write them before an output."""
EXIT_WITHIN = later(r"\bExit code: (-?\d{1,3})$", re.MULTILINE)
"""Behind a sentence of its line."""
RUNS_ON = later(r"^Process running with session ID ", re.MULTILINE)
CODE_TAG = rf"\s{{0,8}}<((?:return|exit)_?code)>{CODE}</\1>"
"""How what mini-SWE-agent shows begins; the name and the code are groups."""
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
"""The fields that Gemini CLI and its kin write behind an output; of these one of two has to be there."""
CITED = later(r"\s{0,4}Command output:\s{1,4}```\w{0,12}\n")
OBSERVED = later(r"EXECUTION RESULT of \[[^\]\n]{1,60}\]:\n")
PROMPT = later(
    r"(?:\A|\n)(?:\((?:Open file|Current directory|Interactive session): [^\n]{0,400}\)\r?\n){1,3}"
    r"bash-[\d.]{0,8}[$#]\s{0,8}\Z"
)
"""The prompt of SWE-agent's shell, behind what it shows."""
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
