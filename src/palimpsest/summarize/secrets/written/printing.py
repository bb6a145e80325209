"""Commands that print a secret and nothing else: of stores of secrets, makers of them, files, settings and tables.

Rules kept here:

- What a command asks for has to be a secret by the store it asks, or by the name of what it selects; a name that only
  points to one (`token_type`, `secret_name`, `.metadata.name`) is none.
- What is printed is judged by its reader: with a store of passwords the first line is one whatever it looks like.
"""

from __future__ import annotations

import re

from palimpsest.patterns import later
from palimpsest.summarize.spoken.anycase import Cue

_NAME = (
    r"(?i:pass(?:word|wd|phrase|code)|secret|token|credential|(?:api|access|auth|private|master|account|"
    r"encryption|signing)[_-]?key|"
    r"_pw\b|_pwd\b|\bpass\b)(?!izer)(?!(?i:s?[_-]?(?:name|ids?|type|kind|count|version|ttl|expir\w*|hash|arn|"
    r"ur[il]|file|path|polic\w+|"
    r"length|len|created\w*|updated\w*|scopes?|usage|limit|rules?|reset|service|provider|manager))(?![a-z]))"
)
_CODE = (
    r"(?!\S{0,80}\.(?:py|pyi|[jt]sx?|mjs|go|rs|java|kt|rb|php|c|h|cc|cpp|hpp|cs|swift|vue|md|rst|html?|css|sql|"
    r"proto|lock|"
    r"log|csv|snap)\b)"
)
_ON = r"[^\n;&]{0,160}?"
_HERE = r"[^\n;&|]{0,160}?"

_ENTRY = (
    r"(?!show|ls|list|find|grep|insert|edit|rm|mv|cp|git|init|sync|otp|generate)"
    r"[\w.@-]{1,60}(?:/[\w.@-]{1,60}){1,6}"
)
"""A path in a store of passwords."""

_STORES = (
    rf"\baws\s{{1,3}}(?:secretsmanager\s{{1,3}}get-secret-value|ecr\s{{1,3}}get-login-password|"
    rf"ssm\s{{1,3}}get-parameter|"
    rf"configure\s{{1,3}}get\s{{1,3}}\S{{0,60}}{_NAME})|"
    rf"\bgcloud\b{_HERE}(?:print-(?:access|identity)-token|\bsecrets\s{{1,3}}versions\s{{1,3}}access|"
    rf"value\([\w.]{{0,60}}{_NAME})|"
    rf"\baz\b{_HERE}(?:get-access-token|\bsecret\s{{1,3}}show(?!{_HERE}--query\s{{1,3}}\S{{0,4}}(?:attr|id|name|"
    rf"tags|content))|\bkeys\s{{1,3}}(?:list|renew)|\bcredentials?\s{{1,3}}(?:show|reset))|"
    rf"\bvault\b{_HERE}(?:-field|\bprint\s{{1,3}}token)|\bop\s{{1,3}}(?:read|item\s{{1,3}}get)\b|"
    r"\br?bw\s{1,3}(?:get|unlock)\b|\b(?:go)?pass\s{1,3}(?:show|generate|otp)\b|\blpass\s{1,3}show\b|"
    rf"\bkeepassxc-cli\s{{1,3}}(?:show|clip)\b|\bsecret-tool\s{{1,3}}lookup|\bkeyring\s{{1,3}}get\b|"
    r"\bsecurity\s{1,3}find-(?:generic|internet)-password|\b(?:doppler|infisical)\s{1,3}secrets\s{1,3}get\b|"
    rf"\bchamber\s{{1,3}}read\b|\bsops\b{_HERE}--extract|\bansible-vault\s{{1,3}}view|"
    rf"\bsystemd-creds\s{{1,3}}(?:cat|decrypt)|"
    r"\bage\s{1,3}(?:-d|--decrypt)\b|\bgpg2?\b[^\n;&|]{0,40}?\s(?:-d|--decrypt)\b(?![^\n]{0,80}\|)|\boathtool\b|"
    rf"\b(?:consul\s{{1,3}}kv\s{{1,3}}get|etcdctl\s{{1,3}}get|"
    rf"redis-cli\b{_HERE}\bh?get)\b{_HERE}{_NAME}(?=[\"'\\\s]|\Z)|"
    rf"\b(?:kubectl|oc)\b{_HERE}(?:\bsecrets?\b(?!{_ON}\.metadata){_ON}(?:base64|(?:jsonpath|go-template|"
    rf"custom-columns){_ON}\.(?:data|stringData)\b)|"
    r"\bcreate\s{1,3}token\b)|\boc\s{1,3}whoami\s{1,3}(?:-t|--show-token)|"
    r"\bargocd\b[^\n;&|]{0,60}(?:initial-password|generate-token)|\bkubeadm\s{1,3}token\s{1,3}(?:create|generate)|"
    r"\bdocker\s{1,3}swarm\s{1,3}(?:join-token|unlock-key)\b|\bsupabase\b[^\n|;&]{0,60}keys|"
    r"\b(?:gh|glab|fly|flyctl|doctl|netlify|vercel|railway)\s{1,3}(?:auth|config\s{1,3}get)\s{1,3}token|"
    rf"\bheroku\s{{1,3}}(?:auth:token|config:get)|\bnpm\s{{1,3}}(?:token\s{{1,3}}create|"
    rf"config\s{{1,3}}get{_HERE}_auth)|"
    rf"[\"';&|]\s{{0,3}}pass\s{{1,3}}{_ENTRY}|"
    rf"\bgit\s{{1,3}}config\b{_HERE}(?:token|password|secret|extraheader)\b|\b(?:terraform|"
    rf"tofu)\s{{1,3}}output\b{_HERE}-raw{_HERE}(?:{_NAME}|pass|key|conn|dsn|auth)|"
    rf"\bpulumi\b{_HERE}(?:config\s{{1,3}}get\b{_HERE}{_NAME}|--show-secrets)"
)
_MAKERS = (
    r"\bopenssl\s{1,3}rand\b|\bpwgen\b|\bapg\b|\bmakepasswd\b|\bsecrets\.token_\w|\brandomBytes\(|"
    r"get_random_secret_key|key:generate\b[^\n;&|]{0,40}--show|\b(?:rails|rake)\s{1,3}secret\b|phx\.gen\.secret|"
    rf"\bwg\s{{1,3}}gen(?:key|psk)\b|/dev/u?random\b{_ON}\b(?:base64|tr|head|xxd|od|fold)\b|"
    rf"\btr\s{{1,3}}-dc\b{_ON}/dev/u?random"
)
_FILES = (
    r"\b(?:cat|less|more|head|tail|type|bat)\s{1,3}(?:-\S{1,12}\s{1,3}){0,3}"
    rf"{_CODE}(?:[^\s|;&]{{0,200}}(?:/run/secrets/|/var/run/secrets/|\.pgpass\b|master\.key\b)|[^\s|"
    rf";&]{{0,200}}?{_NAME})"
)
_SETTINGS = (
    rf"\becho\s{{1,3}}\\?[\"']?\$\{{?\w{{0,40}}(?:PASS|SECRET|TOKEN|API_?KEY|ACCESS_?KEY|_PW\b|_PWD\b)"
    r"(?!\w{0,12}_(?:COUNT|NAME|ID|TYPE|TTL|FILE|PATH|URL)\b)|"
    r"\bprintenv\s{1,3}\w{0,40}(?:PASS|SECRET|TOKEN|KEY|_PWD?\b)|"
    rf"(?:\bprint|\becho|\bputs|console\.log|\s-p)\b{_ON}(?:environ|getenv|\bENV\b|process\.env|settings|config)"
    rf"[^\n;&]{{0,20}}?{_NAME}"
)
_SELECTED = (
    rf"\b(?:jq|yq|dasel)\b{_HERE}\.[\w.]{{0,60}}?{_NAME}\w{{0,12}}(?![\w.\[])|\bawk\b{_HERE}-F ?\S?[=:]{_HERE}{_NAME}|"
    rf"\b(?:grep|rg)\b{_HERE}{_NAME}{_HERE}(?:\|{_HERE}(?:\bcut\b{_HERE}[=:]|\bsed\b{_HERE}=|"
    rf"\bawk\b{_HERE}-F ?\S?[=:])|=\){_HERE}\.\*)|\bsed\b{_HERE}{_NAME}\w{{0,20}}=|"
    rf"\bselect\s{{1,3}}[\w.]{{0,40}}?{_NAME}(?:_?\d)?\s{{1,3}}from\b"
)
PRINTS = later(f"{_STORES}|{_MAKERS}|{_FILES}|{_SETTINGS}|(?i:{_SELECTED})")
"""Commands of which every word is a secret that looks like one, where they print nothing else."""
MAY_PRINT = Cue(
    later(
        r"pass|secret|token|credential|creds|key|_pw|aws|gcloud|vault|\bop\s|bw\s|chamber|sops|\bage\s|gpg|oathtool|"
        r"whoami|heroku|npm|extraheader|terraform|tofu|pulumi|openssl|pwgen|apg|random|wg\s",
        re.IGNORECASE,
    )
)
"""What every one of these has a part of: where none stands, none of them is sought."""

_ALONE = (
    rf"(?:op\s{{1,3}}read|r?bw\s{{1,3}}get\s{{1,3}}(?:password\b|totp\b)?|pass\s{{1,3}}(?:show\b|{_ENTRY})|"
    r"gopass\s{1,3}show\b|lpass\s{1,3}show\s{1,3}--password|secret-tool\s{1,3}lookup|keyring\s{1,3}get|"
    rf"keepassxc-cli\s{{1,3}}show\b{_HERE}-a\s{{1,3}}password|chamber\s{{1,3}}read\s{{1,3}}-q|"
    r"security\s{1,3}find-(?:generic|internet)-password[^\n;&|]{0,120}?\s-w|"
    rf"(?:doppler|infisical)\s{{1,3}}secrets\s{{1,3}}get\b{_HERE}{_NAME}{_HERE}--plain|"
    rf"vault\b{_HERE}-field[= ]{_NAME}|gcloud\s{{1,3}}secrets\s{{1,3}}versions\s{{1,3}}access|"
    rf"(?:kubectl|oc)\b{_HERE}\bsecrets?\b{_ON}{_NAME}{_ON}(?:base64\s{{1,3}}(?:-d|--decode|-D)|base64decode)|"
    r"cat\s{1,3}(?:/var)?/run/secrets/[^\s;&|\"']{1,80}|cat\s{1,3}[^\s;&|]{0,80}master\.key)(?![\w-])"
)
ALONE_FIRST = later(rf"(?i)[\s\S]{{0,80}}?[\"'](?:cd \S{{1,100}} && )?(?:sudo )?(?:{_ALONE})")
ALONE_AGAIN = later(rf"(?i){_ALONE}")
"""What prints a secret on a line of its own, whatever it looks like."""
NAMES_PASSWORD = later(
    r"(?:(?i:pass(?:word|wd|phrase|code))|(?<=[_.${])(?i:pass)|_(?i:pwd?)\b)(?:_?\d{1,2})?"
    r"(?![\w-]|\.(?!txt\b)|:?\+|[^\n;&]{0,80}\|\s{0,4}(?:wc|md5\w*|sha\d*\w*)\b)"
)
"""What is asked for is called a password; not its policy, length or digest."""
