"""Why a call failed whose result is a JSON object: what such a result says of itself, in the words of many languages.

Rules kept here:

- It has failed where it says so of itself (`"ok": false`, `"esito": "errore"`), or is about an error alone.
- A state may be that of a thing that was only looked up (`{"job_id": 7, "status": "failed"}`): then the call went well.
"""

from __future__ import annotations

import json
from typing import cast

from palimpsest.summarize.cut import clip_words
from palimpsest.summarize.toolcalls import LINE_CHARS, PARSED_CHARS

_RESULTS = frozenset(
    "outcome esito risultato resultado résultat resultat ergebnis resultaat wynik результат итог "
    "结果 結果 결과".split()
)
"""Keys under which a call says how it went."""
_STATES = frozenset(
    "result status state stato estado état etat statut zustand stan статус состояние "
    "状态 狀態 状態 ステータス 상태".split()
)
"""Keys under which it says so, or what it found says how that is."""
_FAILED = frozenset(
    "error failed failure fail fehler fehlgeschlagen gescheitert erreur échec echec échoué fallo fallido fallida falló "
    "errore fallito fallita erro falha falhou fout mislukt błąd niepowodzenie nieudane ошибка сбой неудача неуспешно "
    "错误 失败 錯誤 失敗 エラー 오류 실패".split()
)
_CODES = "code codice código codigo fehlercode foutcode kod код 代码 代碼 コード 코드".split()
_MESSAGES = (
    "message msg messaggio mensaje mensagem meldung nachricht bericht melding komunikat сообщение 信息 消息 訊息 "
    "メッセージ 메시지"
).split()
_WHY = "reason motivo raison grund fehler erreur reden przyczyna причина 原因 理由 이유".split()
_ABOUT_ERRORS = frozenset(
    (
        *"error errors status_code type detail details hint ok success request_id trace_id".split(),
        *(*_RESULTS, *_STATES, *_CODES, *_MESSAGES, *_WHY),
    )
)
"""Keys of a JSON object that is about an error and nothing else."""
_REASONS = ("error", *_CODES, *_MESSAGES, *_WHY, "detail", "type")
"""Where such an object says why, in the order in which it is told."""
_SEEDS = ("error", "false", *_FAILED)


def refusal(text: str) -> str:
    """Why a call failed whose result is a JSON object that says that it did, at most 200 characters; "" for any other
    result.
    """
    if not text.lstrip().startswith("{") or len(text) > PARSED_CHARS:
        return ""
    low = text.lower()
    if not any(seed in low for seed in _SEEDS) and "\\u" not in low:
        return ""
    try:
        value: object = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return ""
    given = cast("dict[str, object]", value) if isinstance(value, dict) else {}
    fields = {key.lower(): one for key, one in given.items()}
    if not _failed(fields):
        return ""
    inner = fields.get("error")
    told = cast("dict[str, object]", inner) if isinstance(inner, dict) else fields
    said = [one for key in _REASONS if isinstance(one := told.get(key), str) and one.strip()]
    return clip_words(": ".join(" ".join(one.split()) for one in said) or text.strip(), LINE_CHARS)


def _failed(fields: dict[str, object]) -> bool:
    """Whether an object says of its own call that it failed."""
    if any(fields.get(key) is False for key in ("ok", "success")):
        return True
    alone = fields.keys() <= _ABOUT_ERRORS
    if alone and any(fields.get(key) for key in ("error", "errors")):
        return True
    wrong = {key for key, one in fields.items() if isinstance(one, str) and one.strip().lower() in _FAILED}
    return bool(wrong & _RESULTS) or (alone and bool(wrong & _STATES))
