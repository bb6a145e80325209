"""The patterns that say how a command ended, in its own output."""

from __future__ import annotations

import re

TAG = re.compile(r"</?[a-z_-]{1,30}>")
TIMED_OUT = re.compile(r"\W{0,8}(?:error: )?command timed out\b", re.IGNORECASE)
BROKEN = re.compile(
    r"^(?:\S{1,200}(?:\(\d{1,6},\d{1,6}\):|:\d{1,6}:\d{1,6} -) error TS\d{1,5}: |error\[E\d{4}\]: |"
    r"[\w./-]{1,200}\.go:\d{1,6}:\d{1,6}: |[\w./-]{1,200}:\d{1,6}:\d{1,6}: (?:fatal )?error: |FAIL\t\S)",
    re.MULTILINE,
)
"""What compilers say of a part that is wrong, wherever the output is cut."""
HIDING = re.compile(r"[|;\n]")
"""Behind such a sign the exit code may be that of another command."""
COUNTED = re.compile(
    r"(?<![\w.:/=#-])(?<!port )(?<! of )(\d{1,6})(?: (?:out )?of \d{1,6}| ?/ ?\d{1,6})? "
    r"(passed|passing|failed|failing|errors?(?! out\b)|skipped|xfailed)\b(?![\w/-]|\.\w)"
)
BEGINS = re.compile(r"(?:^|[.,;(|=\[+]|\s\s|\band|[A-Z]\w{2,20}:)\s{0,16}\Z")
"""What stands before a number that counts."""
ANSI = re.compile(r"\x1b\[[0-9;?]{0,16}[A-Za-z]")
STRONG_ERROR = re.compile(
    r"^(?:E\s{1,8}|✗\s|❌\s?|\W{0,4})(?:[A-Za-z_][\w.]{0,80}(?:Error|Exception)\b|error(?:\[\w{1,12}\])?:|fatal:|"
    r"panic:|npm ERR!|FAILED\s|FAIL\s|(?:[\w./-]{1,120}:\d{1,6}(?::\d{1,6})?:?\s)(?:fatal )?error\b|"
    r"(?:fehler|erreur|errore|ошибка|错误|錯誤|エラー|오류)\s?[:：]|"
    r"\S{1,200}(?:\(\d{1,6},\d{1,6}\):|:\d{1,6}:\d{1,6} -) error\b|"
    r"[\w./-]{1,80}: (?:command not found|No such file|Permission denied))",
    re.I,
)
ENDED_BADLY = re.compile(
    r"(?:[A-Za-z_]\w{0,40}\.){0,8}\w{0,60}(?:Error|Exception)(?:: |$)|(?:error|fatal)(?:\[\w{1,12}\])?: |"
    r"npm (?:ERR!|error) |make(?:\[\d{1,3}\])?: \*\*\* |zsh: command not found: |"
    r"\S{0,20}sh: \d{1,4}: \S{1,80}: not found$|"
    r"\S[^:]{0,80}: (?:[^:]{1,200}: ){0,3}(?:command not found|No such file or directory|Permission denied)$"
)
SHOWING = re.compile(
    r"(?:cd [^;&|]{1,300}(?:&&|;)\s*)?(?:cat|head|tail|less|more|bat|grep|rg|ag|sed|awk|jq|journalctl|"
    r"git (?:log|show|diff|blame|grep)|(?:docker|kubectl)(?: compose)? logs|"
    r"find [^|;&\n]{1,300}\|\s{0,4}xargs(?: -\S{1,20}(?: \d{1,6})?){0,4} (?:grep|rg|cat|head|tail|sed))\b"
)
"""Commands that show what others wrote, failures included."""
LOOKED = re.compile(
    r"(?:cd|ls|cat|pwd|head|tail|grep|rg|find|find_file|sed -n|wc|echo|tree|which|nl|sort|less|open|"
    r"xargs(?: -\S{1,20}(?: \d{1,6})?){0,4} (?:grep|rg|cat|head|tail|wc|ls)|"
    r"du|df|ps|stat|date|whoami|printenv|git (?:status|log|show|diff)|"
    r"kubectl (?:-n \S{1,60} )?(?:get|describe|logs|top)|"
    r"docker (?:ps|images|logs|inspect))(?![\w.-])"
)
SHOWN = re.compile(f"{SHOWING.pattern}|{LOOKED.pattern}")
QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")
PARTS = re.compile(r"(?:&&|\|\|?|;)\s+")
WEAK_ERROR = re.compile(
    r"error|exception|failed|fatal|denied|not found|cannot|can't|refused|invalid|missing", re.I
)
