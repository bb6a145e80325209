"""Whether a result says of its call that it failed, and why: a JSON object, or a short text that is an error alone.

Rules kept here:

- It has failed where it says so of itself (`"ok": false`, `"esito": "errore"`), or is about an error alone: in whatever
  language its fields and their words are.
- A text of one or two lines has failed where it begins with a word for an error or a failure and says more: what was
  looked up would begin with what it is about.
- A record with an id, or a state beside other fields, is what was asked for: a job that failed was looked up well.
"""

from __future__ import annotations

import json
import re
from typing import cast

from palimpsest.summarize.cut import clip_words
from palimpsest.summarize.toolcalls import LINE_CHARS, PARSED_CHARS

_ERRORS = frozenset(
    "error errors errore errori erreur erreurs fehler erro erros fout błąd ошибка 错误 エラー 오류".split()
)
_OUTCOMES = frozenset(
    "outcome esito risultato resultado résultat resultat ergebnis uitkomst resultaat wynik результат "
    "结果 結果 결과".split()
)
"""Keys under which a call says how it went."""
_STATES = frozenset(
    "status state result stato estado situação statut état etat zustand toestand stan статус состояние 状态 状態 "
    "ステータス 상태".split()
)
"""Keys under which it says so, or what it found says how that is."""
_FAILED = frozenset(
    """
    error failed failure fail refused denied rejected invalid errore fallito fallita negato rifiutato fehler
    fehlgeschlagen gescheitert abgelehnt erreur échec echec échoué refusé fallo fallido fallida rechazado denegado erro
    falha falhou negado recusado fout mislukt geweigerd błąd niepowodzenie odmowa ошибка неудача отказ сбой 失败 错误
    出错 拒绝 失敗 エラー 拒否 오류 실패 거부
    """.split()
)
_REASONS = (
    "error",
    *"code codice código codigo kod код 代码 コード 코드 errorcode error_code fehlercode".split(),
    *"message messaggio nachricht meldung mensaje mensagem bericht komunikat сообщение".split(),
    *"消息 信息 メッセージ 메시지".split(),
    *"reason motivo grund raison reden powód причина 原因 理由 이유 사유 detail".split(),
    *"type".split(),
)
"""Where such an object says why, in the order in which it is told."""
_BESIDE = frozenset(
    "status_code details hint ok success request_id trace_id tipo typ dettaglio detalle detalhe".split()
)
_ABOUT_ERRORS = _ERRORS | _STATES | _OUTCOMES | frozenset(_REASONS) | _BESIDE
"""Keys of a JSON object that is about an error and nothing else."""
_FAILING = (*_ERRORS, *_FAILED, "false")
SHORT_CHARS, SHORT_LINES = 300, 2
_SAYS_FAILED = re.compile(
    r"\W{0,4}(?:(?:request|call|operation|query|connection|aufruf|anfrage|la (?:consulta|solicitud|operación|requête)|"
    r"l['’](?:appel|opération)) )?(?:"
    rf"(?:{'|'.join(sorted((_ERRORS | _FAILED) - {'invalid'}, key=len, reverse=True))})(?:"
    r"(?: [A-Z]{1,5}-?\d{1,6})?\s?[:：,，!！(–-]\s?(?!0\b|\W{0,2}(?:none|no|false|null)\W*$)\S|"
    r" (?:[A-Z]{2,10} )?[1-9]\d\d\b| (?:to|by|with|in|on|at|while|because|due|since|beim?|durch|mit|wegen|al?|en|por|"
    r"con|au|par|avec|lors|car|door|bij|przy|при|из-за)\b)|"
    r"timed out\b|"
    r"[A-Z]\w{0,40}(?:Error|Exception): \S|HTTP(?:/\d(?:\.\d)?)? ?[45]\d\d\b)",
    re.IGNORECASE,
)
"""How a short text begins that says of nothing but a failure."""


def refusal(text: str) -> str:
    """Why a call of a tool, no shell's command, failed whose result says that it did; "" for any other result."""
    if not text.lstrip().startswith("{"):
        return _plainly(text)
    if len(text) > PARSED_CHARS or not _may_fail(text):
        return ""
    try:
        value: object = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return ""
    found = cast("dict[str, object]", value) if isinstance(value, dict) else {}
    fields = {key.lower(): one for key, one in found.items()}
    denied = any(fields.get(key) is False for key in ("ok", "success"))
    bad = {key for key, one in fields.items() if isinstance(one, str) and one.strip().lower() in _FAILED}
    errs = any(fields.get(key) for key in _ERRORS) or not bad.isdisjoint(_STATES)
    record = any(key == "id" or key.endswith("_id") for key in fields)
    if not (denied or (bad & _OUTCOMES and not record) or (errs and fields.keys() <= _ABOUT_ERRORS)):
        return ""
    inner = fields.get("error")
    told = cast("dict[str, object]", inner) if isinstance(inner, dict) else fields
    said = [one for key in _REASONS if isinstance(one := told.get(key), str) and one.strip()]
    return clip_words(": ".join(" ".join(one.split()) for one in said) or text.strip(), LINE_CHARS)


def _plainly(text: str) -> str:
    line = text.strip()
    short = len(line) <= SHORT_CHARS and len(line.splitlines()) <= SHORT_LINES
    return clip_words(" ".join(line.split()), LINE_CHARS) if short and _SAYS_FAILED.match(line) else ""


def _may_fail(text: str) -> bool:
    """Whether a word of failure stands in a text, or signs are escaped in it."""
    plain = text.lower()
    return "\\u" in text or any(word in plain for word in _FAILING)
