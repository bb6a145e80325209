"""Invented keys in the forms of those who give them out, and generators run to their end."""

from __future__ import annotations

HEX = "3f9a1c7e5b2d8046"


def made(prefix: str, size: int, letters: str = "aZ4kQ9xT2mB7wE1r") -> str:
    """An invented key: nothing that any scanner would know."""
    return prefix + (letters * 20)[:size]


PLANTED = {
    "github": made("ghp_", 36),
    "github fine": made("github_pat_", 60),
    "gitlab": made("glpat-", 20),
    "aws id": "AKIA" + "Q7ZX3MB5KD2WT4RA",
    "openai": made("sk-proj-", 48),
    "anthropic": made("sk-ant-api03-", 90),
    "google": made("AIza", 35),
    "slack": "xoxb-" + "4827165930-9182736455-aZ4kQ9xT2mB7wE1r",
    "stripe": made("sk_live_", 24),
    "npm": made("npm_", 36),
    "pypi": made("pypi-AgEIcHlwaS5vcmc", 60),
    "hugging face": made("hf_", 34),
    "jwt": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI0MiJ9.s5vX0pQ2mK8",
    "encrypted jwt": "eyJhbGciOiJSU0EtT0FFUCJ9." + ".".join(made("", 24) for _ in range(4)),
    "sendgrid": made("SG.", 22) + "." + made("", 43),
    "digital ocean": "dop_v1_" + HEX * 4,
    "telegram": "8273645190:AA" + made("", 33),
    "vault": made("hvs.", 90),
    "twilio": "SK" + HEX * 2,
    "private key": "-----BEGIN RSA PRIVATE KEY-----\nMIIEow9kQ2Zx81Lm7Rt3\nZx81Lm\n-----END RSA PRIVATE KEY-----",
}


def ran(steps):
    while True:
        try:
            next(steps)
        except StopIteration as stop:
            return stop.value
