"""Keys and tokens that a sentence tells are not shown, in many languages; what only speaks of one stays."""

from __future__ import annotations

import pytest

from palimpsest.summarize.secrets.redact import placeholder, redact

HEX = "9c41f07be2d85a3164f0b7c92e58d1a3"
UUID = "4be91d7c-83a2-4f16-9d05-b7c2e6a83f10"
DRAWN = (
    "tQ7wZ2mKx94LrB8vNc3Jd6Hs",
    "Kf83+Vn2/Qw7XtLb0RmZc5Yd9Hj4Gs6Pa1Ue8TiWo2E=",
    "I7VVI-HTX3G-J6WOS-V332Z-3ZXXN",
    "q7flk2vw9rn4tbxzm3c8",
)
VALUES = (*DRAWN, HEX, UUID)

TOLD = {
    ("api key", "license key", "deploy token", "client secret", "encryption key", "token"): (
        "{n} for the scanner sdk is {v}, seats: 4",
        "our {n}: {v}",
        "here's the {n} for staging: {v}",
        "use {v} as the {n}",
        "I rotated the {n}, the new one is {v}",
        "rotated the {n} this morning, it's {v} now",
        "{v} is the {n} for prod",
        "put {v} in the config, that's the {n}",
        "the vendor mailed us a new {n} ({v}), please wire it in",
        "try again with the {n} {v}",
        "the {n} we got from the vendor yesterday is {v}. does it work?",
        "the {n}'s {v}",
        "I pasted the {n} below:\n{v}\ncan you add it?",
        "wrong {n}, the right one is {v}",
        "{n} (staging): {v}",
        "authenticate with {v} ({n})",
    ),
    ("API-Schlüssel", "Lizenzschlüssel", "Token"): (
        "der {n} für die Abrechnung ist {v}",
        "ich habe den {n} getauscht, der neue ist {v}",
        "{n} auf {v} geändert",
        "trag {v} in die Config ein, das ist der {n}",
        "falscher {n}, richtig ist {v}",
    ),
    ("clé d'API", "clé de licence", "jeton"): (
        "la {n} pour la facturation est {v}",
        "j'ai renouvelé la {n}, la nouvelle est {v}",
        "mets {v} dans la config, c'est la {n}",
    ),
    ("clave de API", "clave de acceso", "token"): (
        "la {n} de facturación es {v}",
        "pon {v} en la config, esa es la {n}",
        "prueba otra vez con la {n} {v}",
    ),
    ("chave de API", "token de acesso"): ("a {n} do faturamento é {v}", "troquei a {n}, a nova é {v}"),
    ("chiave API", "chiave di licenza"): (
        "la {n} della fatturazione è {v}",
        "ho cambiato la {n}, la nuova è {v}",
    ),
    ("API-sleutel", "licentiesleutel"): ("de {n} voor de facturatie is {v}", "{v} is de {n} voor prod"),
    ("klucz API", "klucz licencyjny"): ("{n} do faktur to {v}", "zmieniłem {n}, nowy to {v}"),
    ("ключ API", "токен", "лицензионный ключ"): ("я сменил {n}, новый — {v}", "{v} это {n} для прода"),
    ("API 密钥", "访问令牌", "token"): (
        "计费用的{n}是 {v}",
        "{n}换了，新的是 {v}",
        "{v} 是生产环境的{n}",
        "用 {v} 作为{n}",
    ),
    ("APIキー", "アクセストークン"): (
        "課金用の{n}は {v} です",
        "{n}を変えました。新しいのは {v} です",
        "{v} を{n}に使って",
    ),
    ("API 키", "액세스 토큰"): ("결제용 {n}는 {v} 입니다", "{n}를 바꿨어요. 새 것은 {v} 입니다"),
}


@pytest.mark.parametrize(
    "nouns, sentence", [(nouns, sentence) for nouns, sentences in TOLD.items() for sentence in sentences]
)
def test_a_key_that_a_sentence_tells_is_not_shown(nouns: tuple[str, ...], sentence: str) -> None:
    for noun in nouns:
        for value in VALUES:
            told = sentence.format(n=noun, v=value)
            assert redact(told) == sentence.format(n=noun, v=placeholder(value)), told


@pytest.mark.parametrize(
    "sentence",
    [
        "commit {v} rotates the api key",
        "the commit that adds the api key is {v}",
        "the id of the api key is {v}",
        "hash of the api key: {v}",
        "the token was refused, request id {v}",
        "token refused for session {v}",
        "the access token of tenant {v} expired",
        "the api key lookup took 3 ms, trace {v}",
        "the cache key is {v}",
        "idempotency key: {v}",
        "primary key {v} is missing",
        "the key's fingerprint is {v}",
        "the token hash is {v}",
        "KMS key {v} encrypts the bucket",
        "the license key check is in commit {v}",
        "{v} fixes the token refresh",
        "{v}: add api key header",
        "the api key belongs to user {v}",
        "the key point: {v} is the last good commit",
        "secret scanning found nothing in {v}",
    ],
)
def test_a_digest_or_an_id_that_is_no_key_stays(sentence: str) -> None:
    for value in (HEX, UUID):
        assert redact(sentence.format(v=value)) == sentence.format(v=value)


@pytest.mark.parametrize(
    "sentence",
    ["next page token: {v}", "continuation token is {v}", "the object key is {v}", "the public key is {v}"],
)
def test_what_only_marks_a_place_stays(sentence: str) -> None:
    assert redact(sentence.format(v=DRAWN[0])) == sentence.format(v=DRAWN[0])
