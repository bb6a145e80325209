"""Keys and tokens that look as if drawn by lot, where what stands before them says what they are for or whom from.

Rules kept here:

- What is looked for first is the value: a word of twelve or more signs with letters and digits. Only then is looked at
  what stands before it, so that many names of keys cost no more than few.
- "key" alone says little: of a key of a cache or a table nothing is hidden. What it is for stands before it, or the
  value is as no digest, name or id is. What sentences tell, `keys` knows.
- Whom a token is from (`airtable = ...`, `Stripe(...)`) is enough only where the value stands directly behind it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from palimpsest.patterns import later
from palimpsest.summarize.secrets.told.keys import is_told_key
from palimpsest.summarize.secrets.told.sentences import in_prose

Span = tuple[int, int]
Looks = Callable[[str], bool]

BEFORE_CHARS, AFTER_CHARS = 140, 80
LEAST_PROSE_CHARS, LEAST_CHARS, LEAST_FROM_CHARS, LEAST_KEY_CHARS = 7, 12, 20, 24

_VALUE = later(
    r"(?<![\w+/.~!@#%^&*=-])(?=[^\W\d]?[A-Za-z_+/.~!@#%^*-]{0,80}\d)(?=[\d_+/.~!@#%^*-]{0,80}[A-Za-z])"
    r"[A-Za-z0-9_-][\w+/.~!@#$%^*?-]{6,800}={0,2}|"
    r"(?<=[A-Za-z0-9]=)(?=[A-Za-z_+/.~!@#%^*-]{0,80}\d)(?=[\d_+/.~!@#%^*-]{0,80}[A-Za-z])"
    r"[A-Za-z0-9_-][\w+/.~!@#$%^*?-]{6,800}={0,2}",
    re.ASCII,
)
_STOPS = ".!*_"
_ITS_OWN = later(r"!(?=[\"'`)]? [a-z])")
"""What ends no sentence, since the sentence goes on."""
_IS = r"[\"'`*\])]{0,4}(?:\s{0,3}(?:=>|:=|[:=：])\s{0,3}|\s(?:is|was|ist|lautet)(?: now)?:?\s{1,3})[\"'`]?\Z"
_FOR = (
    r"(?:app(?:lication)?|consumer|sdk|server|service|client|licen[sc]e|activation|recovery|backup|unlock|"
    r"storage(?:[ _-]?account)?|account|subscription|functions?|master|(?:en|de)cryption|signing|hmac|cipher|"
    r"pre[ _-]?shared|shared|gateway|insert|ingest(?:ion)?|write|read|query|admin|root|deploy|bot|wallet|"
    r"webhook|integration|auth|session|rest|live|sandbox|prod(?:uction)?|provisioning|registration|enrollment|"
    r"security|stream(?:ing)?|publish|agent|management|vault|unseal|aes|jwt|cookie|crypto|extended|v\d)"
)
_OF = later(rf"{_FOR}[ _-]?key(?:[ _-]?\d)?{_IS}")
_PAIR = later(
    r"[\"']username[\"']\s{0,3}:\s{0,3}[\"'][^\"'\n]{1,60}[\"'],\s{0,8}[\"']key[\"']\s{0,3}:\s{0,3}[\"']\Z"
)
_ALONE = later(r"(?<![\w.-])key[\"']?\s?[:=]\s?[\"']?\Z")
_STORED = later(
    r"\b(?:cache[ds]?|caching|restored?|primary|foreign|partition|sort|object|row)\b[^\n]{0,60}\Z"
)
"""What a key of a store is spoken of with."""
_PAT = later(rf"(?<![a-z0-9])pat{_IS}")
_HEADER = later(r"\bauthorization[\"']?\s{0,3}[:=]\s{0,3}[\"']?\Z")
_OPENS = later(
    r"\b(?:unlock|(?:de|en)crypt(?:ed)?|protected|locked|secured|log(?:ged|ging)? ?in|sign(?:ed|ing)? ?in|"
    r"authenticate[ds]?|connect(?:ed)?)\b[^\n.:;]{0,60}? (?:with|using|mit) [\"'`]?\Z"
)
_NAMES_ONE, _PUBLIC = later(r"AC[0-9a-f]{32}"), later(r"public[ _-]?key[\"']?\s?[:=]\s?[\"']?\Z")
"""What names an account, and what stands before a key for all to see."""
_MIXED = later(r"(?=.{0,60}[a-z])(?=.{0,60}[A-Z])")
_PIECE = later(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_FILE = later(r"[\w./-]*\.[a-z]{1,4}\d?")
_RUN = later(r"[A-Za-z0-9]{28}")
PIECE_CHARS, LONG_PIECE_CHARS = 3.0, 5.5
"""Names, dates and versions are of longer pieces than this: letters of one case, and digits. A long run that nothing
parts may have longer ones.
"""
_FROM = later(
    r"(?<![a-z0-9@/#])([a-z][a-z0-9]{2,15})(?:[ _.-](?:io|cloud|prod|production|live|test|staging|dev|app|application|"
    r"api|bot|admin|svc|service|pat|auth|creds?|access|conn|connection)){0,3}[\"'`]{0,2}"
    r"\s{0,3}(?:=>|:=|[:=(])\s{0,3}[\"'`]?\Z"
)
_KEY_FROM = later(r"(?<![a-z0-9@/#])([a-z][a-z0-9]{2,15})(?: api)? key(?:,|:| is| was)? [\"'`]?\Z")
_HINT = later(
    r"pass|pw|key|token|secret|auth|pat\b|cred|login|log|sign|unlock|decrypt|protect|encrypt|connect|code|clave|contra|"
    r"senha|mdp|wacht|парол|hasł|hesl|lösen|salas|adgang|şifre|parola|पास|khẩu|sandi|clé|jeton|sleutel|chiave|chave|schlüssel|klucz|キー|トーク|シークレ|密钥|密鑰|令牌|토큰|키|токен|ключ|مرور|סיסמה|密|口令|パス|비밀|"
    r"kenn|identif|zugang|\b(?:as|als|como|comme|für|for|when|if|wenn) |[=:(]>?\s{0,3}[\"'`]?\Z"
)
"""What stands somewhere near whatever is found here."""
_LONG = later(r"(?=[A-Za-z0-9_]{0,60}\d)(?=[0-9_]{0,60}[A-Za-z])[A-Za-z0-9_]{16}")
_BORDERS = " \t\n=:：>\"'`("
_NAMES = frozenset(
    "abuseipdb adafruit airtable aiven algolia alibaba aliyun amplitude anthropic apollo artifactory asana assemblyai "
    "atlassian auth0 beamer bitbucket bitly bitrise bittrex browserstack checkout circleci civo clerk clickhouse "
    "clickup cloudflare cloudinary codecov cohere coinbase configcat confluence confluent contentful couchbase "
    "coveralls databento databricks datadog datagov deepgram deepseek digitalocean discord disqus doppler "
    "droneci dropbox ebay elevenlabs endorlabs etsy exoscale facebook fastly figma finicity finnhub flickr freshbooks "
    "fullstory gitea gitter gocardless greptile groq gumroad heroku honeycomb hubspot huggingface hunter ibm influxdb "
    "infomaniak instantly intercom jfrog jira jumpcloud kagi klaviyo kraken kucoin lark launchdarkly lighton linear "
    "linkedin looker mailchimp mailgun mapbox mattermost mem0 meraki messagebird miro mistral mux netlify newrelic "
    "ngrok nytimes okta ollama openai openweather openrouter opsgenie ovh pagerduty paypal perplexity pinecone plaid "
    "plivo polymarket postmark rapidapi razorpay replicate retell scaleway sendbird sendgrid sentry shodan snowflake "
    "snyk sonar sonarqube squarespace sslmate stripe sumologic telegram telnyx travis twilio twitch twitter typeform "
    "upstage upstash vercel virustotal voyage vultr wakatime wandb weatherstack wiz woocommerce yandex zai zendesk "
    "zoho".split()
)


def random_keys_in(text: str, low: str, start: int, end: int, is_random: Looks) -> Iterator[Span]:
    """Where in this stretch of a text such values stand; `low` is the text in lower case, `is_random` whether a value
    can hardly be anything else.
    """
    for found in _VALUE.finditer(text, start, end):
        first = found.start()
        value = found[0].rstrip(_STOPS)
        value += "!" * bool(_ITS_OWN.match(text, first + len(value)))
        if (text[first - 1 : first].isascii() and text[first - 1 : first] not in _BORDERS) or len(
            value
        ) < LEAST_PROSE_CHARS:
            continue
        before = low[max(0, first - BEFORE_CHARS) : first]
        after = text[first + len(value) : first + len(value) + AFTER_CHARS]
        if not _HINT.search(before) and not _HINT.search(after.lower()):
            continue
        if _NAMES_ONE.fullmatch(value) or _PUBLIC.search(before):
            continue
        random = is_random(value)
        drawn = random and _is_drawn(value)
        if (
            (random and len(value) >= LEAST_CHARS and _is_named(before, value, after))
            or in_prose(before, value, after, drawn=drawn)
            or is_told_key(before, value, after, drawn=drawn)
        ):
            yield first, first + len(value)


def _is_named(before: str, value: str, after: str) -> bool:
    """Whether what stands around a value makes it a secret."""
    if "key" in before and "aws::" not in before and (_OF.search(before) or _PAIR.search(before)):
        return True
    if _PAT.search(before) or (after[:1] != " " and _HEADER.search(before)):
        return True
    if (
        len(value) >= LEAST_KEY_CHARS
        and _ALONE.search(before)
        and not _STORED.search(before)
        and _MIXED.match(value)
        and _is_drawn(value)
    ):
        return True
    if _is_drawn(value) and _MIXED.match(value) and _OPENS.search(before):
        return True
    named = _KEY_FROM.search(before)
    if named and named[1] in _NAMES and _is_drawn(value):
        return True
    named = _FROM.search(before)
    return bool(named and named[1] in _NAMES and len(value) >= LEAST_FROM_CHARS and _LONG.search(value))


def _is_drawn(value: str) -> bool:
    """Whether a sentence can hardly hold a value: no name of code or of a file, no date and no version."""
    pieces = len(_PIECE.findall(value))
    if _FILE.fullmatch(value):
        return False
    return len(value) < PIECE_CHARS * pieces or (
        len(value) < LONG_PIECE_CHARS * pieces and bool(_RUN.search(value))
    )
