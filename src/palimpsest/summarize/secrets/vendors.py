"""Keys and tokens that are known by how their vendor begins them, by what they go with: (words, pattern) for `forms`.

Rules kept here:

- A beginning is enough where no word of any language or code begins so; what follows it is of the length that the
  vendor gives it, so that a name in code (`rnd_state`, `ico-arrow`) is none.
- Only what opens something is a secret. An id of a key (`private_key_id`) or a key that stands in pages for all to see
  (`phc_...`) names one, and is needed to call it back.
"""

from __future__ import annotations

UPPER_DIGITS = r"[A-Z0-9]"

VENDORS: tuple[tuple[str, str], ...] = (
    # data, clouds and what runs there
    ("astracs:", r"AstraCS:[A-Za-z0-9]{20,30}:[a-f0-9]{60,70}"),
    ("dt0c01. dt0s01.", rf"dt0[cs]01\.{UPPER_DIGITS}{{24}}\.{UPPER_DIGITS}{{60,70}}"),
    ("t1.9eu", r"t1\.9eu[\w-]{0,4}\.[\w-]{20,400}\.[\w-]{80,100}"),
    ("aqvn", r"AQVN[A-Za-z0-9_-]{34,40}(?![\w-])"),
    ("dnkey-", rf"dnkey-{UPPER_DIGITS}{{26}}-{UPPER_DIGITS}{{50,54}}"),
    ("ico-", r"ico-[A-Za-z0-9]{32}(?![\w-])"),
    ("pnu_ pnb_", r"pn[ub]_[a-z0-9]{36}(?![A-Za-z0-9])"),
    ("nfp_", r"nfp_[A-Za-z0-9]{34,44}(?![A-Za-z0-9])"),
    ("rpa_", r"rpa_[A-Za-z0-9]{40,50}(?![A-Za-z0-9])"),
    ("rnd_", r"rnd_[A-Za-z0-9]{26,32}(?![A-Za-z0-9])"),
    ("cfut_ cfat_", r"cf[ua]t_[A-Za-z0-9_-]{38,60}"),
    ("absk", r"ABSK[A-Za-z0-9+/]{100,260}={0,2}"),
    ("bedrock-api-key-", r"bedrock-api-key-[A-Za-z0-9+/=_-]{40,2000}"),
    # code, packages and builds
    ("sgp_", r"sgp_(?:[a-f0-9]{16}_|local_)?[a-f0-9]{40}(?![A-Za-z0-9])"),
    ("slk_", r"slk_[a-f0-9]{64}(?![A-Za-z0-9])"),
    ("glrtr-", r"glrtr-[\w-]{20,60}"),
    ("akcp", r"AKCp[A-Za-z0-9]{60,80}(?![A-Za-z0-9])"),
    ("cmvmdgtu", r"cmVmdGtu[A-Za-z0-9]{50,60}(?![A-Za-z0-9])"),
    ("bbdc-", r"BBDC-[A-Za-z0-9+/@_-]{40,50}"),
    ("rdme_", r"rdme_[a-z0-9]{60,80}(?![A-Za-z0-9])"),
    # models and what watches them
    ("e2b_", r"e2b_[a-f0-9]{40}(?![A-Za-z0-9])"),
    ("lsv2_", r"lsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}"),
    ("ls__", r"ls__[a-f0-9]{32}(?![A-Za-z0-9])"),
    ("vck_", r"vck_[A-Za-z0-9]{40,60}(?![A-Za-z0-9])"),
    ("phx_", r"phx_[A-Za-z0-9]{40,50}(?![A-Za-z0-9])"),
    ("eyjrijoi", r"eyJrIjoi[A-Za-z0-9+/]{60,400}={0,3}"),
    ("fal", r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}:([0-9a-f]{32})(?![0-9a-f])"),
    # payment, mail, forms and desks
    ("ezak eztk", r"EZ[AT]K[A-Za-z0-9]{54}(?![A-Za-z0-9])"),
    ("flwseck", r"FLWSECK(?:_TEST)?-[a-f0-9A-Z]{12,40}-X"),
    ("fio-u-", r"fio-u-[A-Za-z0-9_=-]{60,70}"),
    ("xkeysib- xsmtpsib-", r"x(?:key|smtp)sib-[a-f0-9]{64}-[A-Za-z0-9]{16}"),
    ("shippo_live_ shippo_test_", r"shippo_(?:live|test)_[a-f0-9]{40}"),
    ("tfp_", r"tfp_[A-Za-z0-9_.=-]{40,64}"),
    ("duffel_live_ duffel_test_", r"duffel_(?:live|test)_[A-Za-z0-9_=-]{40,50}"),
    ("dg9rom", r"dG9rOm[A-Za-z0-9+/]{40,60}={0,2}"),
    ("cfpat-", r"CFPAT-[A-Za-z0-9_-]{40,50}"),
)
"""Each stands at the beginning of a word."""

PLACED: tuple[tuple[str, str], ...] = (
    (
        "salt pepper",
        (
            r"(?<![A-Za-z0-9_])(?i:salt|pepper)[\"']?\s{0,2}[:=]\s{0,2}[\"']?"
            r"(?!\w[\w.]{0,80}\()([\w+/.!@#%^&*()~=-]{16,400})"
        ),
    ),
    (
        "signing encryption master hmac cipher",
        (
            r"(?<![A-Za-z0-9])(?i:(?:signing|encryption|master|hmac|cipher)[_-]?key)[\"']?\s{0,2}[:=]\s{0,2}[\"']?"
            r"(?!\w[\w.]{0,80}\()([\w+/.!@#%^&*()~=-]{16,400})"
        ),
    ),
    ("presharedkey", r"\bPresharedKey\s{0,3}=\s{0,3}([A-Za-z0-9+/]{42,44}={0,2})"),
    ("::add-mask::", r"::add-mask::([^\s\"'$]{6,400})"),
    (
        "_salt _key",
        r"\bdefine\(\s{0,3}[\"'](?:AUTH|SECURE_AUTH|LOGGED_IN|NONCE)_(?:KEY|SALT)[\"']\s{0,3},\s{0,3}'([^'\n]{20,200})'",
    ),
    (
        "password passwort",
        (
            r"(?i:password|passwort)[\"']?(?:\s{0,2}[:=]|\s{1,2}is)\s{0,2}[\"']?"
            r"([a-z]{4} [a-z]{4} [a-z]{4} [a-z]{4})(?=[\"']?\s{0,3}(?:\n|\Z|[,;#]))"
        ),
    ),
)
"""What its place makes a secret; the values of the first two must look random."""
