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
    ("t1.9eu", r"t1\.9eu[\w-]{0,4}\.[\w-]{20,400}\.[\w-]{80,100}"),
    ("aqvn", r"AQVN[A-Za-z0-9_-]{34,40}(?![\w-])"),
    ("dnkey-", rf"dnkey-{UPPER_DIGITS}{{26}}-{UPPER_DIGITS}{{50,54}}"),
    ("ico-", r"ico-[A-Za-z0-9]{32}(?![\w-])"),
    ("nfp_", r"nfp_[A-Za-z0-9]{34,44}(?![A-Za-z0-9])"),
    ("rnd_", r"rnd_[A-Za-z0-9]{26,32}(?![A-Za-z0-9])"),
    ("cfut_ cfat_", r"cf[ua]t_[A-Za-z0-9_-]{38,60}"),
    ("absk", r"ABSK[A-Za-z0-9+/]{100,260}={0,2}"),
    ("bedrock-api-key-", r"bedrock-api-key-[A-Za-z0-9+/=_-]{40,2000}"),
    ("apify_api_", r"apify_api_[A-Za-z0-9]{30,50}(?![A-Za-z0-9])"),
    ("nral", r"[a-f0-9]{36}NRAL(?![A-Za-z0-9])"),
    ("ddapp_", r"ddapp_[A-Za-z0-9]{30,40}(?![A-Za-z0-9])"),
    ("hcaik_", r"hcaik_[a-z0-9]{50,64}(?![A-Za-z0-9])"),
    ("azdo", r"[A-Za-z0-9]{70,80}AZDO[A-Za-z0-9]{4}(?![A-Za-z0-9])"),
    ("sdk-", r"(?:sdk|mob)-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![\w-])"),
    ("y0_", r"y0_[A-Za-z0-9_-]{50,64}(?![\w-])"),
    ("t1.", r"t1\.[A-Za-z0-9_-]{20,400}\.[A-Za-z0-9_-]{80,100}"),
    # code, packages and builds
    ("snyk_", r"snyk_[us]at\.[a-f0-9]{8}\.[\w.-]{30,120}"),
    ("oy2", r"oy2[a-z0-9]{43}(?![A-Za-z0-9])"),
    ("hexpm_", r"hexpm_[A-Za-z0-9]{30,60}(?![A-Za-z0-9])"),
    ("st.", r"st\.[a-f0-9-]{20,40}\.[a-f0-9]{32}\.[a-f0-9]{32}(?![a-f0-9])"),
    ("ser.", r"ser\.[A-Za-z0-9]{22}(?![A-Za-z0-9])"),
    ("slk_", r"slk_[a-f0-9]{64}(?![A-Za-z0-9])"),
    ("glrtr-", r"glrtr-[\w-]{20,60}"),
    ("akcp", r"AKCp[A-Za-z0-9]{60,80}(?![A-Za-z0-9])"),
    ("cmvmdgtu", r"cmVmdGtu[A-Za-z0-9]{50,60}(?![A-Za-z0-9])"),
    ("bbdc-", r"BBDC-[A-Za-z0-9+/@_-]{40,50}"),
    ("rdme_", r"rdme_[a-z0-9]{60,80}(?![A-Za-z0-9])"),
    # models and what watches them
    ("pcsk_", r"pcsk_[A-Za-z0-9]{4,6}_[A-Za-z0-9]{50,80}(?![A-Za-z0-9])"),
    ("wandb_v1_", r"wandb_v1_[A-Za-z0-9_]{60,100}(?![A-Za-z0-9])"),
    ("pa-", r"pa-(?=[\w-]{0,40}\d)(?=[\w-]{0,40}[A-Z])[A-Za-z0-9_-]{40,46}(?![\w-])"),
    ("co-", r"co-(?=[A-Za-z0-9]{0,40}\d)(?=[A-Za-z0-9]{0,40}[A-Z])[A-Za-z0-9]{38,42}(?![\w-])"),
    ("ms-", r"ms-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![\w-])"),
    ("e2b_", r"e2b_[a-f0-9]{40}(?![A-Za-z0-9])"),
    ("ls__", r"ls__[a-f0-9]{32}(?![A-Za-z0-9])"),
    ("eyjrijoi", r"eyJrIjoi[A-Za-z0-9+/]{60,400}={0,3}"),
    ("fal", r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}:([0-9a-f]{32})(?![0-9a-f])"),
    # payment, mail, forms and desks
    ("pdl_live_ pdl_sdbx_", r"pdl_(?:live|sdbx)_apikey_[a-z0-9]{26}_[\w-]{20,40}"),
    (
        "access-",
        r"access-(?:production|sandbox|development)-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![\w-])",
    ),
    ("aqe", r"AQE[A-Za-z0-9]{40,400}-[A-Za-z0-9+/=]{20,60}-?[\w&+/=]{0,20}"),
    ("whsk_", r"whsk_[A-Za-z0-9]{28,64}(?![A-Za-z0-9])"),
    ("pk_", r"pk_\d{6,12}_[A-Z0-9]{32}(?![A-Za-z0-9])"),
    ("1/", r"1/\d{14,18}:[a-f0-9]{32}(?![A-Za-z0-9])"),
    ("sec", r"SEC[a-f0-9]{64}(?![A-Za-z0-9])"),
    ("t-g1", r"[tu]-g1[A-Z0-9]{36,44}(?![A-Za-z0-9])"),
    # people's accounts
    ("igqv", r"IGQV[A-Za-z0-9_-]{80,400}"),
    ("aaaaaaaaaaaaaaaaaaaaa", r"A{21}[A-Za-z0-9%]{60,120}(?![A-Za-z0-9%])"),
    ("aqx", r"AQX(?=[\w-]{0,60}\d)[A-Za-z0-9_-]{120,600}(?![\w-])"),
    ("nsec1", r"nsec1[ac-hj-np-z02-9]{58}(?![A-Za-z0-9])"),
    ("ezak eztk", r"EZ[AT]K[A-Za-z0-9]{54}(?![A-Za-z0-9])"),
    ("fio-u-", r"fio-u-[A-Za-z0-9_=-]{60,70}"),
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
            r"(?!\w[\w.]{0,80}\()((?:[\w+/.!@#%^*()~=-]|&(?!\w{1,40}=)){16,400})"
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
"""What its place makes a secret; the value of the first must look random."""
