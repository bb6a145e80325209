"""Whether a value under a name that says it is secret is one: references, examples, types and names in code are none.

Rules kept here:

- A value that says where the secret is to be had is none: a variable, a template, a path, an address, a call.
- A value made only of words that forms, manuals and types use (`changeme`, `my-secret-token2`, `SecretStr`) is none.
- Words with blanks between them are prose, and none.
- A password needs letters and a digit or a sign; a key needs more unless it looks random; a token must look random.
"""

from __future__ import annotations

import math
from collections import Counter

from palimpsest.patterns import later

RANDOM_BITS = 3.0
"""Entropy of a character from which a value looks random."""
MOST_CHARS = 400
"""So much of a value is looked at."""
LEAST_CHARS = {"password": 4, "key": 6, "token": 10}

_GENERIC = frozenset(
    "a an any app admin api apikey arg args array auth base basic bearer boolean buffer byte bytes chain change "
    "changeme char client code config const credential credentials current data db default demo dev dict digest "
    "disabled dummy else empty enabled encrypted enter env error example expired expires fake false field file first "
    "foo for from func function generated get given goes hash hashed header here hidden hook id input insert int "
    "integer invalid is key keys last list local map me missing mock my name nan new nil no none not null number "
    "object old omitted on optional or os our param pass passed passphrase passwd password passwords path pin "
    "placeholder plain plaintext private prod public pwd random real redacted refresh ref replace required reset root "
    "safe sample second secret secrets secure self service session set shared sign signing some something stale str "
    "string strong super test testing text that the this todo token tokens true type undefined unknown unset use user "
    "username value values var varchar void weak with wrong x xxx yes your".split()
)
_PART = later(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+|[^\x00-\x7f]+")
_REFERENCE = later(
    r"\$[A-Za-z_]\w*\Z|[$%][({].*|%\w{1,60}%|%\(?\w|[<{\[&!@*.:=(?-](?![^\s]{5,60}[\d!#%&]).*|[@&*]\w+\Z|~?/(?!\w{0,40}[+=]).*|"
    r"\.{1,2}/.*|[a-z][a-z+]{1,12}://.*|"
    r"(?i:arn|urn|env|file|vault|ref|secretref|kms|ssm|op|bws|sha\d{1,3}|md5|https?|data|pass|fd|prompt):.*|"
    r"(?i:os|process|env|self|this|config|settings|options|request|ctx|args|params|secrets|vault)[.\[(].*|"
    r"(?i:(?!base64:)(?:sha|md|hs|rs|es|ps|eddsa|pbkdf|aes|argon|bcrypt|scrypt|u?int|float|bytes|base|utf|x|ed|oauth|v)[-_]?\d{1,4})"
    r"(?![A-Za-z0-9]).*|[\w./\\-]+\.(?:py|jsx?|tsx?|go|rs|java|json|ya?ml|toml|md|txt|env|pem|key|crt|sh|php|rb|html?|css|pub)|"
    r"_?[A-Za-z_]{1,40}\d{0,3}(?:(?:\.|::|->)[A-Za-z_]{1,40}\d{0,3}){1,8}|(?:[Uu]?[Ii]nt|[Ff]loat|[Bb]ytes?)\d{1,3}\w*|[A-Z][a-z]{1,12}\d{1,5}(?:[A-Z][a-z]{1,20}){1,5}|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|v?\d+(?:[.:/-]\d+)+\Z|"
    r"(?:[a-z][a-z_-]*/)+[a-z][a-z_.-]*|(?P<one>.)(?P=one){3,}"
)
_MARKS = later(
    r"\$\{|%s(?!\w)|\{\{|\$\(|<%|#\{|\.\.\.|…|\*\*\*|[xX]{4}|•|EXAMPLE|REDACTED|\\n|(?i:your[_-]|[_-]here\b|placeholder)"
)
"""What stands in no secret: marks of a template, of an example, of something left out."""
_COUNTING = later(r"(?i)123456|abcdef|abc123|fedcba|654321|(.)\1{7}|(..)\2{4}")
_SYMBOL = later(
    r"[_$]{0,2}(?:[A-Z]?[a-z]++|[A-Z]{2,6}+|[A-Z])(?:[-_.]?(?:[A-Z]?[a-z]{2,}+|[A-Z]{2,6}+|(?<=[-_])[A-Za-z]|v\d))*[-_]?\d{0,3}_{0,2}"
)
"""A name in code, which may end in a number: `test_r39`, `modelName1`, `db-creds-2`."""
_LETTER, _SIGN = later(r"[A-Za-z]"), later(r"[!@#$%^&*?+=~]")
_DIGIT, _WIDE = later(r"\d"), later(r"[\u0250-\uffff]")


def is_reference(value: str) -> bool:
    """Whether a value, whatever names it, only says where a secret is, or stands for one."""
    value = value[:MOST_CHARS]
    return bool(_MARKS.search(value) or _REFERENCE.fullmatch(value)) or is_generic(value)


def is_generic(value: str) -> bool:
    """Whether a value is made of nothing but words of forms and manuals, and short numbers."""
    parts = _PART.findall(value)
    return len(value) <= 40 and all(
        len(part) <= 4 if part.isdecimal() else part.lower() in _GENERIC for part in parts
    )


def is_example(value: str) -> bool:
    """Whether a value of a known form is an obvious example."""
    return bool(_MARKS.search(value) or _COUNTING.search(value)) or len(set(value[-24:])) < 6


def is_random(value: str) -> bool:
    """Whether a value looks drawn by lot: letters and digits, and no name in code."""
    if not (_DIGIT.search(value) and _LETTER.search(value)) or _SYMBOL.fullmatch(value):
        return False
    size = len(value)
    bits = -sum(n / size * math.log2(n / size) for n in Counter(value).values())
    return bits >= RANDOM_BITS and not _COUNTING.search(value)


def is_secret(value: str, kind: str, *, is_code: bool, is_variable: bool) -> bool:
    """Whether what stands under a name of this kind is a secret. `is_code`: the value may be an expression of code;
    `is_variable`: it is what a variable of the environment is set to, so it may be a plain word.
    """
    if (
        len(value) < LEAST_CHARS[kind]
        or any(map(str.isspace, value))
        or is_reference(value)
        or _WIDE.search(value)
    ):
        return False
    if kind == "token":
        return is_random(value)
    if is_variable and len(value) >= 6 and not value.isdecimal():
        return True
    if value.isdecimal():
        return kind == "password" and len(value) >= 6 and not is_code
    if is_code and _SYMBOL.fullmatch(value):
        return False
    looks = bool(_LETTER.search(value) and (_DIGIT.search(value) or _SIGN.search(value)))
    return looks if kind == "password" else looks and is_random(value)


def is_telling(secret: str) -> bool:
    """Whether a secret cannot be mistaken for ordinary text, so that it is replaced wherever it stands."""
    mixed = bool(_DIGIT.search(secret) and _LETTER.search(secret))
    return (mixed and len(secret) >= 6) or (len(secret) >= 8 and bool(_SIGN.search(secret)))
