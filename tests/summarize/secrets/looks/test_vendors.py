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
    # further vendors
    "AQ.Ab8RN6{m44}",
    "STS.{m32}",
    "AVNS_{m19}",
    "EXO{x28}",
    "CCDB1_{m22}_{m40}",
    "mdb_sa_sk_{m40}",
    "SWMTKN-1-{l50}-{l25}",
    "SWMKEY-1-{m43}",
    "essu_{m80}==",
    "ucat_{m28}",
    "ddp_{m36}",
    "vcp_{m56}",
    "tk-us-{m48}",
    "FlyV1 fm2_{m90}",
    "sha256~{m43}",
    "4b1da{m37}",
    "zpka_{l32}_{x8}",
    "configcat-sdk-1/{m22}/{m22}",
    "dvc_server_{m30}",
    "unkey_{m24}",
    "ory_at_{m43}",
    "xaat-{x8}-{x4}-{x4}-{x4}-{x12}",
    "API-7{u25}",
    "cmVmd{m59}",
    "ATCTT3{m180}",
    "ATTA{x64}",
    "bkpat_{m54}",
    "csa_{m36}",
    "ion_{m42}",
    "pat.{m22}.{m24}.{m20}",
    "mergify_application_key_{m60}",
    "endr+{m16}",
    "AIK_SECRET_{m64}",
    "rootly_{x64}",
    "vtwn_{m40}",
    "waka_{l40}",
    "glrt-t1_{m200}.01.0w{l7}",
    "BSA7x{m26}",
    "llx-{m48}",
    "lsv2_sk_{x32}_{x10}",
    "sk_car_{m22}",
    "p8e-{m32}",
    "mlsn.{m64}",
    "cnvca{m51}",
    "pina_{m48}",
    "polar_oat_{m44}",
    "xnd_production_{m60}",
    "os_v2_app_{l100}",
    "authress_{l12}.{l5}.acc-{l16}.{m60}",
    "api_live.{m40}",
    "s-s4t2ud-{x64}",
    "samsara_api_{m30}",
    "ramp_sec_{m48}",
    "sm_pat_{m16}",
    "Mid-server-{m24}",
    "KEY01{u30}_{m22}",
    "xoxd-{m60}%2B{m40}%3D",
    "ZXlK{m80}",
    "$aact_prod_{m40}",
    "7{m5}_{m29}_mmk",
    "{m22}==:{m32}",
    "00D{m12}!{m90}",
    "token: 41|{m40}",
    "5203042672:A{m34}",
    "Endpoint=https://a.example;Id=b;Secret={m44}",
    # vendors that nobody has heard of
    "acme_secret_{m32}",
    "tidewater-token-{x40}",
    "berth_sk_live_{m30}",
    "ferry_live_aB3{m30}",
    "pier_key_{x48}",
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
    "image app:prod-3f2a9c1e77aa001122334455667788990011aabb and test_key_rotation_20260105",
    "cs_test_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6 and pk_test_51HqLyjWDarjtT1zdp7dc",
    "toolu_01A09q90qw90lq917835lq9, call_8f7Gh2Kd9Lm3Np5Qr7St1Uv, chatcmpl-9xY2zA4bC6dE8fG0hI2jK4lM",
    "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08 and SHA256:q1ZbK9xT2mB7aZ4kQ9x",
    "| 41 | 7f3d1c2e9a4b4c8d8e5f0a1b2c3d4e5f | row 12|3 of the table",
    "api-gateway-v2-production-eu-west-1 and token-bucket-rate-limiter-v3",
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
