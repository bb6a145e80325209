"""The patterns of the ledger: what commands do, which files and names count, and what only looks like one."""

from __future__ import annotations

import re

from palimpsest.patterns import later

HOME = later(r"/(?:home|Users)/[^/]{1,64}|/root")
"""What `~` stands for."""
LOOKING = later(
    r"(?:ls|cat|pwd|cd|head|tail|grep|rg|find|sed -n|wc|echo|tree|which|nl|awk|less|jq|git show)\b"
)
"""Searching and looking around, which is done in other words each time,"""
READING = later(r"(?:cat|head|tail|nl|less|more|bat|sed -n)\s[^|<]*$")
"""unless it reads one file, which many agents do in the same words again."""
ONCE = later(
    r"(?:mkdir|mv|rm|rmdir|touch|ln|chmod|chown|sed -i|git (?:commit|mv|rm|clone|init)|gh (?:pr|issue) create)\b"
)
"""What is done once and seldom again."""
WORDED = later(
    r"\bgit commit\b[^|;&]{0,200}?\s-(?:\w{0,8}m|-message)\b|\bgh (?:pr|issue|release) (?:create|comment|edit)\b|"
    r"\bgit add (?!-A\b|\.(?:\s|$)|-u\b|--all\b)"
)
"""What has words or files of its own each time, whatever the rest of the line does: commits, comments, added files."""
ROUTINE = later(r"git (?:status|push|pull|fetch|diff|log|add (?:-A|\.|-u|--all))(?:\s|$)")
"""What is done after every piece of work."""
BEFORE = later(
    r"(?:#[^\n]{0,300}\n\s{0,8}|cd [^\s;&|]{1,200}\s?(?:&&|;|\n)\s{0,8}|[A-Z_]{1,40}=\S{0,80}\s{1,8}){0,8}"
)
"""Comments, a change of the folder and variables before what a command does."""
MADE = later(
    r"(?:^|/)(?:node_modules|site-packages|\.?venv|dist|build|out|target|vendor|third_party|coverage|__pycache__|\.next|"
    r"\.git|\.turbo|\.pnpm|\.cache)/|\.(?:lock|map|snap|log)$|/(?:tmp|T)/"
)
FOREIGN = later(
    r"(?:^|/)(?:node_modules|site-packages|dist-packages|\.git|__pycache__|\.cache)/|^/opt/homebrew/|"
    r"^/usr/(?:local/)?(?:lib|share|include|bin)/|^/(?:System/)?Library/|/\.(?:vscode|cursor|nvm|pyenv|rustup|cargo)/"
)
"""Files of others: where only results name them, they are places in a trace or in a listing."""
KNOWN = later(
    r"(?:^|/)(?:(?:CLAUDE|AGENTS|GEMINI|CHANGELOG)\.md|README(?:\.md|\.rst)?|package\.json|tsconfig\.json|pyproject\.toml|"
    r"requirements\.txt|Cargo\.toml|go\.mod|Makefile|Dockerfile|docker-compose\.ya?ml|\.env(?:\.example)?|\.gitignore)$"
)
"""What every project has and is looked at all along, though few say so: instructions, manifests, settings."""
CHECKING = later(
    r"\b(?:test|tests|pytest|check|build|lint|typecheck|tsc|make|dev|start|run|mypy|ruff|cargo|go)\b"
    r"|\b(?:npm|pnpm|yarn|bun) (?:install|i|ci)\s{0,4}$|\bpip3? install -[re]\b|\b(?:poetry|bundle|composer) install\b"
    r"|\buv sync\b"
)
"""What is run again after a change: tests, builds, and the installation of what a project says it needs."""
IDENTIFYING = later(r"(?:^|_|\b)(?:id|ids|number|code|key|name|email|phone|date|dob)s?$", re.I)
HEREDOC = later(r"<<-?\s{0,2}['\"]?\w{1,40}['\"]?")
FILE_WRITTEN = later(r"\s*(?:cat|tee(?: -a)?)[ \t]*>{0,2}[ \t]*[^\s;&|<>]{1,300}\s*")
CHANGING_FOLDER = later(r"cd [^\s;&|]{1,200} ?(?:&&|;) ?")
SEGMENT = later(r"&&|\|\||[;|\n]")
QUOTED = later(r"'[^']{0,2000}'|\"(?:[^\"\\]|\\.){0,2000}\"", re.DOTALL)
LINE_END = later(
    r"(?<![\\|&;({\s])(?<!\bdo)(?<!\bthen)(?<!\belse)[ \t]{0,40}(?:\n[ \t]{0,40}){1,8}(?=[^\s|&)}])"
)
"""The end of a line that is the end of a command."""
COMMENTED = later(r"^[ \t]{0,40}#(?!!)[^\n]*(?:\n|\Z)", re.MULTILINE)
REDIRECTED = later(r"\s{0,4}(?:2>&1|\d?>\s?/dev/null)")
DULL_SEGMENT = later(
    r"(?:cd|echo|ls|cat|head|tail|wc|sort|uniq|true|false|sleep|pwd|exit|fi|done|do|then|else|if|for|while|printf|"
    r"export|xargs|tee)\b|#"
)
FILTER = later(
    r"(?:sed|g?awk|[ef]?grep|rg|jq|yq|tr|cut|column|fold|nl|tac|rev|paste|less|more|perl -\w{0,4}e)\b"
)
"""What behind a pipe only picks from an output: it is never run by itself."""
OPTIONS = r"(?: --?[\w-]{1,30}(?:=[\w./:@-]{1,40})?)"
END = r"(?=[.,;:!?)`'\"\n]| \(|$)"
IMPORTED = later(
    r"\b(?:from|import|require|mock|importActual)\s{0,4}\(?\s{0,4}(?:'[^'\n]{1,200}'|\"[^\"\n]{1,200}\")"
)
DIFFED = later(r"^((?:---|\+\+\+) |diff --git )[ab]/([^\s]{1,300})(?: b/[^\s]{1,300})?", re.MULTILINE)
REFERENCE = later(r"^(?:refs|remotes|origin|upstream)/|(?:^|/)\.git/(?:objects|refs|logs)(?:/|$)")
BUILT = later(
    r"[-.](?:(?!(?:[A-Z]?[a-z]{2,8}){1,4}\d{0,2}\.|\d+\.)(?=[\w-]{0,7}[A-Z0-9_])[\w-]{8}"
    r"|(?=[a-f]{0,31}\d)(?=\d{0,31}[a-f])[0-9a-f]{10,32})\.(?:m?js|css|map|woff2?)\b"
)
"""Eight signs that are no words (`UserPage`, `config02`) and no date, or a hash in hexadecimal figures."""
PACKAGE = later(r"@[\d.]+$")
NUMBERED = later(r"\n(?:[^\s:]{1,300}+:)?[ \t]{0,8}\d{1,7}[:→\t-]")
LISTED = later(
    r"\n(?:[bcdlps-][rwxsStT-]{9}[@+.]?[ \t]{1,8}\d{1,6}(?:[ \t]{1,16}\S{1,40}){3}[ \t]|total \d{1,9}(?=\n|\Z))"
)
"""Both with the line end before them: a pattern that begins with a character is looked for many times faster."""
COLOUR = later(r"(?:[:=][ \t]?|[\"'])#(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})(?=[\"';])|#(\d\d)\1\1(?!\w)")
STANDARD = later(r"(?:UTF|SHA|ISO|AES|RSA|MD|ANSI|IEEE)-\d")
COLOURED = later(r"#[0-9a-fA-F]{3}")
STANDARD_NUMBER = later(r"\b(?:ISO|IEEE|ANSI|DIN|ECMA) \d{2,6}(?!\d)")
DAY = later(r"(?:0?[1-9]|[12]\d|3[01])\.(?:0?[1-9]|1[0-2])\.(?:19|20)\d\d")
"""A day as much of Europe writes it, and no version."""
MEMBER_HOST = later(r"[a-z][A-Z]\w*\.(?:test|app|dev|io|local|internal|example)$|\.pl$")
SLASHED = later(r"[A-Za-z][a-z-]{0,30}(?:/[A-Za-z][a-z-]{0,30}){2,12}")
SPACED = later(r"(['\"`])(?P<path>(?:~?/|[A-Za-z]:\\)[^'\"`\n*?<>|]{1,240}\.[A-Za-z0-9]{1,5})\1")
IMPORT_PATH = later(r"(?:[a-z0-9-]{1,63}\.){1,4}(?:com|org|net|io|dev|in|sh|co|xyz|internal|example|test)/")
"""How the path of a Go package begins: with a host."""
FENCE = later(r"```[\w+.-]{1,40}(?=[ \t]{0,8}\r?\n)")
"""How a fence begins: it names a language, or who is to run it."""
TOLD_BY_SHELL = later(
    r"^(?:Background PIDs?|Process Group PGID|PIDs?): [\d, ()a-z]{1,80}$|^\[Python interpreter: [^\n]{1,200}\]$",
    re.MULTILINE,
)
"""What shell tools of Gemini CLI and OpenHands say beside an output."""
MISSED = later(
    r"\s{0,8}(?:error:\s{1,4})?(?:File has (?:not been read yet|been (?:unexpectedly )?modified since)|"
    r"No changes to make|String to replace not found|Found \d{1,5} (?:matches of the string|occurrences of)|"
    r"File content \(.{1,40}\) exceeds|No replacement was performed\b|Could not find\b.{0,80}\bold_str|"
    r"Could not find the (?:exact )?text|Failed to edit, |(?:Failed to apply|Error applying) (?:the )?patch|"
    r"apply_patch verification failed|Your (?:proposed edit|changes) ha(?:s|ve) (?:introduced|NOT been applied)|"
    r"The edit was not applied|Cancelled: parallel tool call)",
    re.IGNORECASE,
)
