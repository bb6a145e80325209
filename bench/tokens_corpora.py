"""Texts for training and measuring the token estimator: from a path to samples, each with its kind.

Transcripts are read with one generic walk, not with the package's own readers, so that a mistake there cannot hide
one here: a string counts as what its nearest `role` or `type` says. Documents are cut into pieces the size of a
message. A text that occurs twice is used once.
"""

from __future__ import annotations

import base64
import gettext
import gzip
import hashlib
import html
import json
import re
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

USER = "user text, coding"
PROSE = "assistant prose"
CHAT = "chat, English"
ARGUMENTS = "tool arguments (JSON)"
CODE = "code, file contents"
SHELL = "shell output"
RECORDS = "JSON records"
JAPANESE = "Japanese"
KOREAN = "Korean"
CHINESE = "Chinese"
EUROPEAN = "other European"
OTHER = "other scripts"
MINIFIED = "minified"
BASE64 = "base64"
KINDS = (
    USER,
    PROSE,
    CHAT,
    ARGUMENTS,
    CODE,
    SHELL,
    RECORDS,
    JAPANESE,
    KOREAN,
    CHINESE,
    EUROPEAN,
    OTHER,
    MINIFIED,
    BASE64,
)

SEEN = Path(__file__).parent / "tokens_seen.json"
MESSAGE_CHARS = 8_000
DOCUMENT_CHARS = 900
ENGLISH = frozenset("the of and to a in is that it for on with as this be are you i not can or if".split())
CODE_SUFFIXES = frozenset(
    ".py .c .h .cc .cpp .js .mjs .ts .tsx .java .pl .pm .sh .rs .go .rb .css .yml .yaml .toml".split()
)
TRANSCRIPT_SUFFIXES = frozenset((".jsonl", ".traj"))
CODE_TOOLS = re.compile(r"read|view|open|cat|edit|write|patch", re.I)
SECRET_KEYS = frozenset(("encrypted_content", "signature", "thinkingSignature", "thoughtSignature"))
TEXT_KEYS = frozenset(
    "text content message output thinking observation result query response thought action prompt".split()
)
TEXT_KEYS |= frozenset(
    "instruction question answer summary description stdout stderr reasoning git_patch".split()
)
CALL_KEYS = frozenset("arguments input args kwargs tool_input".split())
LANGUAGE_PATH = re.compile(
    r"[/.](ca|cs|da|de|el|es|fi|fr|hr|hu|id|it|nb|nl|pl|pt|ro|ru|sk|sl|sr|sv|tr|uk|vi)([-_][A-Z]{2})?[/.]"
)
CALL_IDS = ("call_id", "tool_use_id", "tool_call_id", "toolCallId", "id")
SPEAKERS = ("user", "assistant", "system", "developer")
CHAT_FOLDERS = frozenset("tau-bench bfcl-memory memorybank locomo".split())


@dataclass(frozen=True, slots=True)
class Sample:
    """One message-sized text. `source` is the file it came from; `family` the folder given on the command line."""

    kind: str
    family: str
    source: str
    text: str


def samples(paths: Iterable[Path]) -> list[Sample]:
    """All distinct texts under `paths` (files or folders), in the order of their names."""
    seen: set[bytes] = set()
    found: list[Sample] = []
    for root in paths:
        files = sorted(p for p in root.rglob("*") if p.is_file()) if root.is_dir() else [root]
        for file in files:
            if file.name.startswith("LICENSE"):
                continue
            for kind, text in _read(file):
                digest = hashlib.sha1(text.encode("utf-8", "replace")).digest()
                if digest not in seen and text.strip():
                    seen.add(digest)
                    found.append(Sample(kind, root.name, str(file), text))
    return found


def data_hash(found: Iterable[Sample]) -> str:
    """Twelve hex digits that change with any text measured."""
    digest = hashlib.sha256()
    for sample in found:
        digest.update(sample.kind.encode() + b"\0" + sample.text.encode("utf-8", "replace") + b"\0")
    return digest.hexdigest()[:12]


def split(found: Iterable[Sample], unseen: frozenset[str]) -> dict[str, list[Sample]]:
    """The samples as `train`, `held` (other files of the same families) and `unseen` (families never trained on).

    A fifth of a family's files is held out; of a family with fewer than six files, a fifth of its texts.
    """
    found = list(found)
    files: dict[str, set[str]] = {}
    for sample in found:
        files.setdefault(sample.family, set()).add(sample.source)
    parts: dict[str, list[Sample]] = {"train": [], "held": [], "unseen": []}
    for sample in found:
        key = sample.text if len(files[sample.family]) < 6 else Path(sample.source).name
        held = zlib.crc32(key.encode("utf-8", "replace")) % 5 == 0
        parts["unseen" if sample.family in unseen else "held" if held else "train"].append(sample)
    return parts


def prose_kind(text: str, english: str) -> str:
    """The kind of a prose text by its script, and for Latin letters by its commonest English words."""
    counts = {"han": 0, "kana": 0, "hangul": 0, "latin": 0, "european": 0, "other": 0}
    for char in text[:4_000]:
        code = ord(char)
        if 0x3040 <= code <= 0x30FF:
            counts["kana"] += 1
        elif 0x3400 <= code <= 0x9FFF:
            counts["han"] += 1
        elif 0xAC00 <= code <= 0xD7A3:
            counts["hangul"] += 1
        elif code < 0x80:
            counts["latin"] += char.isalpha()
        elif char.isalpha():
            counts["european" if code < 0x530 or 0x1E00 <= code < 0x2000 else "other"] += 1
    letters = sum(counts.values()) or 1
    if counts["other"] > letters * 0.3:
        return OTHER
    if counts["hangul"] > letters * 0.25:
        return KOREAN
    if counts["kana"] > letters * 0.1:
        return JAPANESE
    if counts["han"] > letters * 0.25:
        return CHINESE
    words = re.findall(r"[^\W\d_]+", text[:4_000].lower())
    common = sum(word in ENGLISH for word in words)
    if english == EUROPEAN:
        return PROSE if common > len(words) * 0.12 else EUROPEAN
    return EUROPEAN if counts["european"] > letters * 0.02 and common < len(words) * 0.12 else english


def _read(file: Path) -> Iterator[tuple[str, str]]:
    try:
        data = gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
    except (OSError, EOFError):
        return
    name = file.name.removesuffix(".gz")
    suffix = Path(name).suffix
    language = EUROPEAN if LANGUAGE_PATH.search(str(file)) else PROSE
    if suffix == ".mo":
        yield from _catalogue(file)
        return
    if b"\0" in data[:1_000]:
        for start in range(0, min(len(data), 12_000), 3_000):
            yield BASE64, base64.b64encode(data[start : start + 300 + 5 * (start % 400)]).decode()
        return
    text = data.decode("utf-8", "replace")
    if suffix in TRANSCRIPT_SUFFIXES or (
        suffix == ".json" and re.search(r'"(role|type|history|qa)"', text[:20_000])
    ):
        yield from _transcript(file, text)
    elif suffix == ".json":
        yield from ((RECORDS, part) for part in _cut(text, 3_000))
    elif ".min." in name or (suffix in (".js", ".css") and text.count("\n") * 400 < len(text)):
        yield from ((MINIFIED, text[i : i + 2_500]) for i in range(0, min(len(text), 100_000), 2_500))
    elif suffix in CODE_SUFFIXES:
        yield from ((CODE, part) for part in _cut(text, 3_000))
    elif suffix in (".html", ".htm"):
        plain = html.unescape(re.sub(r"(?s)<(script|style).*?</\1>|<[^>]*>", "", text))
        yield from _prose(re.sub(r"[ \t]*\n\s*", "\n", plain), language)
    elif re.fullmatch(r"\.[1-8]", suffix):
        plain = re.sub(r"\\f[A-Z]|\\&|\\\(..|^[.'].*$", "", text, flags=re.M).replace("\\-", "-")
        yield from _prose(re.sub(r"\n\s*", "\n", plain), language)
    elif suffix in (".txt", ".md", ".rst", ".tex", ""):
        yield from _prose(text, language)


def _cut(text: str, chars: int) -> Iterator[str]:
    lines, size = [], 0
    for line in text[:400_000].splitlines(keepends=True):
        lines.append(line)
        size += len(line)
        if size >= chars:
            yield "".join(lines)[:MESSAGE_CHARS]
            lines, size = [], 0
    if size:
        yield "".join(lines)[:MESSAGE_CHARS]


def _prose(text: str, language: str) -> Iterator[tuple[str, str]]:
    for part in _cut(text, DOCUMENT_CHARS):
        yield prose_kind(part, language), part.strip()


def _catalogue(file: Path) -> Iterator[tuple[str, str]]:
    with file.open("rb") as handle:
        try:
            entries: dict[object, object] = vars(gettext.GNUTranslations(handle))["_catalog"]
        except (OSError, UnicodeDecodeError, ValueError, IndexError):
            return
    english = "/en" in str(file)
    lines = [
        value
        for key, value in entries.items()
        if isinstance(value, str) and key and (english or key != value)
    ]
    yield from _prose("\n".join(lines), PROSE if english else EUROPEAN)


def _transcript(file: Path, text: str) -> Iterator[tuple[str, str]]:
    chat = any(part in CHAT_FOLDERS for part in file.parts)
    walk = _Walk(chat)
    values: list[object] = []
    try:
        values.append(json.loads(text))
    except ValueError:
        for line in text.splitlines():
            try:
                values.append(json.loads(line))
            except ValueError:
                continue
    for value in values:
        yield from walk.visit(value, "", "")


class _Walk:
    """The tool names seen so far, by call id, while one transcript is walked."""

    def __init__(self, chat: bool) -> None:
        self.chat = chat
        self.tools: dict[str, str] = {}

    def visit(self, node: object, role: str, key: str) -> Iterator[tuple[str, str]]:
        if isinstance(node, list):
            for item in node:
                yield from self.visit(item, role, key)
        elif isinstance(node, dict):
            role = self._role(node) or role
            for name, value in node.items():
                if name in CALL_KEYS and value and isinstance(value, (dict, str)):
                    yield from self._call(value)
                elif name in SECRET_KEYS and isinstance(value, str):
                    yield BASE64, value[:MESSAGE_CHARS]
                else:
                    yield from self.visit(value, role, name)
        elif isinstance(node, str) and key in TEXT_KEYS and len(node) > 8:
            yield self._kind(node, role), node

    def _role(self, node: dict[str, object]) -> str:
        call = next((node[key] for key in CALL_IDS if key in node), None)
        name = node.get("name") or node.get("tool_name") or node.get("toolName")
        kind = str(node.get("type") or "")
        role = str(node.get("role") or "")
        if isinstance(call, str) and isinstance(name, str):
            self.tools[call] = name
        answer = "result" in kind or ("output" in kind and "call" in kind) or role in ("tool", "toolResult")
        if answer or (isinstance(node.get("observation"), str) and not self.chat):
            return "tool:" + (self.tools.get(str(call)) or str(name or ""))
        return next((word for word in (role, kind) if word in SPEAKERS), "")

    def _call(self, value: object) -> Iterator[tuple[str, str]]:
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        yield (ARGUMENTS if text.startswith("{") else self._kind(text, "user")), text

    def _kind(self, text: str, role: str) -> str:
        if text[:1] in "[{":
            try:
                json.loads(text)
            except ValueError:
                return self._by_role(text, role)
            return RECORDS
        return self._by_role(text, role)

    def _by_role(self, text: str, role: str) -> str:
        if role.startswith("tool:") and not self.chat:
            return CODE if CODE_TOOLS.search(role[5:]) else prose_kind(text, SHELL)
        if self.chat:
            return prose_kind(text, CHAT)
        return prose_kind(text, USER if role in ("user", "system", "developer") else PROSE)
