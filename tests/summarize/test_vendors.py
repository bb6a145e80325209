"""Keys and tokens by their vendors' beginnings, and by their places; what only names a key, or is ordinary, stays."""

from __future__ import annotations

import random
import string

import pytest

from palimpsest.summarize.secrets.redact import redact

HEX, LOWER, UPPER = (
    "0123456789abcdef",
    string.ascii_lowercase + string.digits,
    string.ascii_uppercase + string.digits,
)
MIXED = string.ascii_letters + string.digits


def made(form: str) -> tuple[str, str]:
    """A form with its gaps filled at random, and the longest gap: `{x40}` is 40 hexadecimal signs."""
    chance = random.Random(form)
    signs = {"x": HEX, "l": LOWER, "u": UPPER, "m": MIXED}
    filled = [
        "".join(chance.choices(signs[part[0]], k=int(part[1:]))) if at % 2 else part
        for at, part in enumerate(form.replace("}", "{").split("{"))
    ]
    return "".join(filled), max(filled[1::2], key=len)


FORMS = [
    "SALT={m24}",
    "salt: {x32}",
    'PEPPER="{m22}"',
    "AstraCS:{m24}:{x64}",
    "dt0c01.{u24}.{u64}",
    "EZAK{m54}",
    "FLWSECK_TEST-{x32}-X",
    "fio-u-{m64}",
    "rdme_{l70}",
    "xkeysib-{x64}-{m16}",
    "shippo_live_{x40}",
    "sgp_{x40}",
    "sgp_{x16}_{x40}",
    "slk_{x64}",
    "t1.9eu.{m40}.{m86}",
    "AQVN{m36}",
    "tfp_{m45}",
    "duffel_test_{m43}",
    '"dG9rOm{m45}"',
    "eyJrIjoi{m80}=",
    "AKCp{m69}",
    "cmVmdGtu{m56}",
    "BBDC-{m44}",
    "CFPAT-{m43}",
    "dnkey-{u26}-{u52}",
    "ico-7{m31}",
    "pnu_{l36}",
    "nfp_{m36}",
    "rpa_{m45}",
    "e2b_{x40}",
    "phx_{m43}",
    "rnd_7{m27}",
    "lsv2_pt_{x32}_{x10}",
    "ls__{x32}",
    "vck_{m48}",
    "FAL_KEY={x8}-{x4}-{x4}-{x4}-{x12}:{x32}",
    "glrtr-{m20}",
    "cfut_{m40}",
    "ABSK{m110}",
    "bedrock-api-key-{m60}",
    "PresharedKey = {m43}=",
    "define('AUTH_SALT', '{m60}');",
    'echo "::add-mask::{m26}"',
    "signingKey: {m28}",
]
ORDINARY = [
    '"private_key_id": "fa5ff5180bc0dbc0e15637ebb8e3b91d26ab4a82"',
    "phc_omxh1kYKq6dZa2SKxZEvjxl5TquNjKWdsK4ZZ4hAl5c",
    "Add salt: 2 pinches, and pepper: a little.",
    "salt = os.urandom(16)",
    "salt=generate_salt(length=16)",
    "const salt = await bcrypt.genSalt(10);",
    "SALT_ROUNDS=12",
    "signingKey: keyFromEnvironment",
    "rnd_state = RandomState(42)",
    "ico-arrow-left-circle-outline-24px",
    "tfp_distributions_normal and sgp_config",
    "falcon 7d3f1c2e-9a4b-4c8d-8e5f-0a1b2c3d4e5f: done",
    "the password is that this will stay as it was",
]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("place", ["{}", "see {} in the file", "a\n{}\nb"])
def test_what_a_vendor_or_a_place_makes_a_secret_is_replaced(form: str, place: str) -> None:
    text, secret = made(form)
    assert secret not in redact(place.format(text))


@pytest.mark.parametrize("text", ORDINARY)
def test_what_only_names_a_key_or_is_ordinary_stays(text: str) -> None:
    assert redact(text) == text


def test_a_password_of_four_groups_of_letters_is_one() -> None:
    assert "zvbn" not in redact("smtp_password: qkfw zvbn hjtr mpxd")
