"""Secrets that people tell each other: accounts, passwords, phrases of many words, codes and numbers of papers.

Rules kept here:

- Nothing here is judged by its value afterwards unless the form says so: a pattern asks for a name, how it is told, and
  a value that no sentence holds: letters with digits, or mixed as no word is, or digits alone behind a name that only a
  code has.
- Types, states and what forms say (`16-digit`, `base64-encoded`) are none.
"""

from __future__ import annotations

from palimpsest.summarize.secrets.looks.forms import ALONE, CELL, FOR, MEASURED, UNCODED, UNIT, VALUE, form
from palimpsest.summarize.secrets.told.sentences import BY_LOT, CHOSEN, OF_ITSELF

_USER = r"[\w.@+-]{1,60}"
_ISSUE = r"(?i:issue|ticket|bug|pr|task|build|version|v)[#-]?\d"
_SIGNED = r"(?=[^\s|<>@/]{1,60}[!#%^&*?+=~])(?=[^\s|<>@/]{0,60}\d)"
"""With a sign that no name, version or address has, and a digit."""
_SENTENCE = (
    r"(?![a-z ]{0,120}\b(?:the|must|for|and|not|you|your|with|that|this|from|which|can|should|will|has|have|was|were|"
    r"are|please|enter|type|use|see|ask|keep|to|in|on|by|at|as|of|too|so|but|or|if|no|none|now|it|be|is|known|"
    r"kept|still|"
    r"only(?! (?!\w+(?:ed|wn|pt|id|nt|ble)\b)[a-z]+ [a-z]+ )|written|stored|somewhere|choose|optional|required|least|"
    r"characters|password|passphrase|into|when|empty|never|always|every|each|any|all|one)\b)"
)
_SEED = (
    r"(?!(?:the|and|for|not|you|your|with|that|this|from|which|has|have|was|were|are|but|can|"
    r"will|all|its|our)\b)[a-z]{3,8}"
)
"""A word of a phrase that opens a wallet: none that only joins others."""
_IS = r"(?:\s?[:=：]|\s(?i:is|was|ist|war|lautet|est|était|es|era|è|é|är|er|je|to|là)(?=\s)|\s?(?:是|为|は)|\s?[—–])"
_PROOF = (
    r"(?i:(?<![^\W_])(?<![/-])(?<!gpio )(?:(?:pin|otp|totp|2fa|mfa|"
    r"(?:m|push|chip|sms-?|photo|i)tan|(?-i:TAN)|tan(?=:)|(?<=my )tan|(?<=meine )tan)"
    r"(?:[ _-]?(?:code|number|nummer))?|passcode|(?:verification|one[- ]?time|security|log-?in|sign[- ]?in|access|"
    r"confirmation|authentication|sms|door|gate|alarm|safe|entry|locker|key ?box|(?:un)?lock) ?(?:(?:pass)?code|pin)|"
    r"(?:bestätigungs|sicherheits|anmelde|einmal|verifizierungs|zugangs|tür|geheim)-?code|code secret|secret code|"
    r"c[oó]d(?:igo secreto|ice segreto)|code (?:aus der|from the|par|in the) (?:sms|text|app)|"
    r"code de (?:vérification|sécurité|confirmation)|"
    r"código de (?:verificaci[oó]n|verificação|seguridad|segurança|acceso|acesso|confirmaci[oó]n|confirmação)|"
    r"codice di (?:verifica|sicurezza|accesso|conferma)|"
    r"(?:the|my|this) code (?:(?:that )?(?:they|you|it|was) (?:texted|sent|e-?mailed|messaged)(?: to)?"
    r"(?: me| us| my phone)|(?:that )?i (?:just )?(?:got|received)|(?:from|on) my phone|in the (?:e-?)?mail)|"
    r"code que j'ai reçu|código que me (?:enviaron|mandaron)|code, den sie mir (?:geschickt|gesendet) haben,|"
    r"mã (?:otp|xác (?:nhận|minh))|kode? (?:otp|sms|weryfikacyjny|verifikasi)|код (?:подтверждения|доступа|из смс)))"
)
"""What has a number that proves who one is, in many languages."""
_YOURS = (
    r"(?:(?i:(?<![^\W_])(?:dein|ihr|your|votre|ваш|tu|su|twój))"
    r"(?: (?!Zip|Post)(?=[A-ZА-Я][\w-]{0,20}[a-zа-я])[\w-]{1,20}"
    r"(?= [a-zк]| Code (?:ist|lautet)))? (?i:code|код|código|kod))"
)
"""A code of one's own: of nothing (a zip, an error), or of a service, which has a name."""
_WHOSE = (
    r"(?: (?:(?<!pin )(?<!the )to|(?<=the pin )to|for|on|at|in|from|i|you|we|für|vom|zum|zur|am|an|im|von|pour|sur|du|"
    r"para|per|del|della|da|do|dla|для|от)(?: [^\W\d_]{1,12}){1,4}"
    r"|(?: (?:of|de|di) [^\W\d_]{1,12}(?: [^\W\d_]{1,12}){1,3})|"
    r" (?:(?:right |just )?now|again|today|at the moment|currently|jetzt|heute|gerade|maintenant|ahora))"
)
"""What may stand between a code and its verb: whose it is and what it opens. A noun there is what is told of."""
_PAPER = (
    r"(?:(?<![\w-])(?:DNI|NIE|NIF|(?i:ssn|social security|reisepass|pass(?:port|(?=nummer))|national insurance|"
    r"nino|driving licen[cs]e|personalausweis(?:nummer)?|steuer(?:nummer|-?id)|cpf|codice fiscale|"
    r"bsn|pesel|aadhaar|sécurité sociale|инн|снилс|паспорт))(?i:[ _]?(?:number|no\.?|nr\.?|nummer))?|身份证(?:号码?)?)"
)

_NO_CODE = "".join(
    rf"(?<!{kind}code)"
    for kind in (
        "error fehler status exit return product produkt zip post postal länder source quell bar farb colour artikel "
        "machine uni trans geo sprach flughafen typ geräte"
    ).split()
)
"""No code of a thing, a place or a failure: those are told to anybody."""
_GROUP = r"(?:[A-Z]{1,5}\d|\d{1,5}[A-Z])[A-Z0-9]{0,4}"
_OPENING = (
    r"(?:(?:re)?activation|redeem|redemption|voucher|pairing|(?:un)?lock|invit(?:e|ation)|access|registration|"
    r"licen[cs]e|gift|"
    r"promo|coupon|entry|door|gate|recovery|backup|verification|confirmation|security|secret|claim|set-?up|discount|"
    r"referral|log-?in|sign-?(?:in|up)|alarm|safe)"
)

_ALL_SAID = (
    r"(?=\W{0,2}(?:\s{0,3}(?:\n|\Z)|\s(?i:and|but|so|now|please|pls|btw|hurry|quick|it|if|then|right)\b)|"
    r"[,;.!](?:\s|\Z))"
)
"""Nothing is counted: the sentence ends, pauses or turns to something else."""
TOLD = (
    # accounts with their passwords
    form(
        "creds credentials login zugang wifi wlan anmeldedaten identifiants user/pass",
        rf"(?i:(?<![a-z0-9_])(?:creds|credentials|login|zugang|wi-?fi|wlan|identifiants|user(?:name)?/pass\w{{0,6}}|"
        r"(?:zugangs|anmelde|login)daten))(?:(?P<for>(?: \(?[\w'’.-]{1,20}\)?){1,6})?"
        rf"(?:\s?[:=：—–-]|\s(?i:are|is|sind|ist|sont)(?=\s))|)\s{{1,3}}{_USER}(?:(?:\s{{1,2}}/\s{{1,2}}|"
        rf"/)[\"'`]?(?:(?!{_ISSUE}){VALUE}|(?(for)(?!)|{ALONE}))|:{VALUE})",
    ),
    form(
        ":",
        r"(?:(?:\b(?i:try|use|with|using)\s{1,2}(?P<told>))|(?<![\w./:-]))[a-z][\w.-]{1,20}:"
        r"((?=[A-Z]|\w{1,20}[!#$%*])(?=[\w!#$%*+~-]{0,40}\d)(?=\w{1,40}[!#$%*+~]|[A-Za-z-]{5,40}\d{1,6}(?!\w))"
        r"[A-Za-z][\w!#$%*+~-]{7,40})(?(told)(?![\w.:/(])|(?= (?i:"
        r"(?:still |also |now |just )?(?:works|worked|logs in|funktioniert|geht|instead))))",
        sign=r":[A-Za-z][\w!#$%*+~-]{0,40}\d",
    ),
    form(
        "log sign melde let get got",
        r"(?i:\b(?:lets?|got|gets?) (?:(?:you|me|us|one) )?in\b|"
        rf"\b(?:log|sign)(?:ged|ing|ging)? ?in\b|\blogge dich\b|\bmelde dich\b)\s(?i:as|with|mit|als)\s"
        rf"{_USER}\s(?i:with|and|und|mit|/)\s(?:{UNCODED}|(?=\S*\d\d)){VALUE}",
    ),
    form(
        "root admin sa postgres",
        rf" / (?:(?<=\broot / )|(?<=\badmin / )|(?<=\bsa / )|(?<=\bpostgres / )){_SIGNED}{CELL}",
    ),
    form("@", rf"@[\w-]{{1,60}}(?:\.[\w-]{{1,30}}){{1,4}}:{_SIGNED}{CELL}(?![\w/])"),
    form(
        "@",
        rf"(?<=[a-z0-9_]):{_SIGNED}([^\s@:/\"'`<>()]{{6,60}})"
        r"@(?:\d{1,3}(?:\.\d{1,3}){3}|[\w-]{1,60}\.[a-z])",
    ),
    # passwords under their names
    form("密码 口令", rf"(?:密码|口令)(?=[A-Za-z0-9]){VALUE}"),
    form(
        "pass pw",
        rf" (?i:pass|pw) (?:(?<=(?:old|new|the|our) pass )|(?<=(?:old|new|the|our) pw )|(?<=(?:oot|min|ent) pass )|"
        rf"(?<=my pass )|(?<=my pw ))(?i:is|was|now) [\"'`]?{VALUE}",
    ),
    form("passcode", rf"(?<![A-Za-z0-9_-])(?i:passcode)(?:\s?[:=]|\s(?i:is))?\s{{1,3}}[\"'`]?{VALUE}"),
    form(
        "pass:",
        rf"(?<![A-Za-z0-9_-])(?i:pass):\s{{1,3}}[\"'`]?(?![A-Za-z_.-]{{1,60}}\d{{1,3}}(?![A-Za-z0-9]))(?!\w{{0,40}}[_:.])"
        rf"{VALUE}",
    ),
    form(
        "password passwort",
        r"(?i:password|passwort)[\"']?(?:\s{0,2}[:=]|\s{1,2}is)\s{0,2}[\"']?"
        r"([a-z]{4} [a-z]{4} [a-z]{4} [a-z]{4})(?=[\"']?\s{0,3}(?:\n|\Z|[,;#]))",
    ),
    # passwords that were asked for, changed or shown
    form(
        "? ？",
        r"(?i:password|passphrase|passcode|passwort|token|api[ _-]?key|secret|密码|口令)[^\n?]{0,40}[?？]"
        r"[ \t]{0,4}\n{1,2}(?:[\w.-]{1,20}(?:>|:) {0,3})?[\"'`]?([^\s\"'`]{8,400}?)[\"'`]?\.?[ \t]{0,4}(?=\n|\Z)",
        judged=True,
        sign=r"[?？][ \t]{0,4}\n",
    ),
    form(
        "```",
        r"(?i:password|passphrase|passwort|secret|token|api[ _-]?key|密码|密钥|口令)[^\n]{0,24}\n{1,2}```\w{0,12}\n"
        r"([^\s`]{8,400})\n{1,2}```",
        judged=True,
        sign=r"\n```\w{0,12}\n[^\s`]{8}",
    ),
    form(
        "password passwort passphrase token",
        r" (?:from|von) (?:(?<=(?:word|wort) from )|(?<=(?:word|wort) von )|(?<=token from ))"
        rf"[\"'`]?{VALUE}[\"'`]? (?i:to|auf|zu)\b",
    ),
    form(
        "<- ←",
        rf"(?<![^\s\"'`]){VALUE}[\"'`]? {{1,3}}(?:<-+|←) {{0,2}}"
        r"(?i:that'?s |this is |das ist )?(?i:the|my|das|mein) (?i:password|passwort)",
    ),
    form(
        "answer",
        r"(?i:\b(?:security|secret) answer|\banswer to (?:the|my|our) (?:security|secret) question)"
        r"(?:[\"'`]?\s{0,2}[:=]| is| (?=\S{4,60}\s{0,4}\Z))\s{0,3}[\"'`]?([^\s\"'`<>{}$(\[][^\s\"'`<>{}$(\[]{2,60})",
    ),
    # phrases of many words
    form(
        "pass wort woord clave contraseña senha парол hasł",
        rf"(?<![\w./-]){BY_LOT}[\"'`]?,? ?\(?(?i:as|als|como|comme|come|jako|is|ist|est|es|è|é|that(?:'s| is))"
        rf"(?: [\w-]{{1,12}}){{0,3}}? (?i:{CHOSEN}s?{OF_ITSELF})",
        sign=r"[A-Za-z]-[A-Za-z]{3,12}-[A-Za-z]{3}",
    ),
    form(
        "password: passphrase: passwort:",
        r"(?:\A|\n)[ \t]{0,8}(?!(?i:confirm|repeat|re-|re[et]|verify|old|current))"
        r"(?:[\w-]{1,16} ){0,2}(?i:password|passphrase|passwort):[ \t]{0,4}\r?\n(?:\r?\n)?"
        r"[ \t]{0,8}([a-z]{6,24})[ \t]{0,8}(?=\r?\n|\Z)",
    ),
    form(
        "phrase mnemonic",
        r"(?i:\b(?:(?:seed|recovery|backup|secret|wallet)[ _-]?(?:phrase|words)|mnemonic))[\"'`]{0,2}\s{0,3}"
        r"(?:is|are|[:=])\s{0,3}[\"'`]{0,2}([a-z]{3,8}(?:(?: [a-z]{3,8}){11}(?:(?: [a-z]{3,8}){3}){0,4}|"
        r"(?:, ?[a-z]{3,8}){11}(?:(?:, ?[a-z]{3,8}){3}){0,4}))(?![a-z])",
    ),
    form(
        "passphrase password",
        rf"(?i:\b(?:passphrase|password(?= {FOR} [^\n]{{1,60}}[\"'`])))"
        rf"(?:[\"'`]{{0,2}}| (?:{FOR}|del?|der)(?: (?!is\b)[\w'’-]{{1,16}}){{1,3}})"
        rf"(?:\s{{0,2}}[:=]|\s(?i:is|ist|è|est|es):?)\s{{1,2}}(?P<open>[\"'`])?{_SENTENCE}"
        r"([^\W\d_]{2,16}(?:[ -][^\W\d_]{2,16}){2,9}(?:[ -][^\W\d_]{2,16}|[ -]?\d{1,4}))"
        r"(?(open)(?=(?P=open))|(?=[\"'`.,;]{0,2}\s{0,2}(?:\n|\Z|[}])))",
    ),
    form(
        "seed mnemonic phrase words bip 助记词 助記詞 リカバリーフレーズ",
        r"(?i:\b(?:(?:wallet|seed|recovery|backup|secret)[ _-]?)?(?:seed|mnemonic|phrase|words|bip-?39)|"
        r"助记词|助記詞|リカバリーフレーズ)[\"'`]{0,2}(?:\s{0,2}[:=：是为は]|\s(?i:is|are))[\s\"'`\[]{0,6}"
        r"((?:(?:\d{1,2}[.):]? ?)?[a-z]{3,8}[\"']?(?:, ?| |\n)[\"']?){11}(?:(?:\d{1,2}[.):]? ?)?[a-z]{3,8}"
        r"(?:(?:[\"']?(?:, ?| |\n)[\"']?(?:\d{1,2}[.):]? ?)?[a-z]{3,8}){12})?))(?=[\"'`\].]{0,2}\s{0,3}(?:\n|\Z|[}]))",
    ),
    form(
        "seed mnemonic recovery wallet metamask phantom ledger trezor",
        r"(?i:\b(?:seed|mnemonic|recovery phrase|wallet|metamask|phantom|ledger|trezor))\b"
        r"[^\n:?!]{0,120}[:?!–—-]\s{1,3}[\"'`]?"
        rf"((?:{_SEED} ){{11}}{_SEED}(?:(?: {_SEED}){{3}}|(?: {_SEED}){{6}}|(?: {_SEED}){{9}}|(?: {_SEED}){{12}})?)"
        r"(?=\s?[\"'`.,;:!?)(–—-]|\s{0,3}(?:\n|\Z))",
        sign=r"(?:[a-z]{3,8} ){11}",
    ),
    # codes and PINs
    form(
        "pin otp 2fa mfa tan code código codice kod mã код",
        rf"(?:{_PROOF}(?P<proof>)|{_YOURS})[\"']?(?:(?(proof){_WHOSE}?|){_IS}[\"']?\s{{0,2}}(?:l[ea] |el )?[\"']?"
        rf"(\d{{4,8}}|\d{{3}}[ -]\d{{3}})|\s{{1,2}}(\d{{6,8}}|\d{{3}}[ -]\d{{3}}|(?(proof)(?!)|\d{{4,5}}))|"
        rf"(?(proof)(?i:(?<=(?:ess|gin|-in|ion|ime|2fa|mfa|otp|sms|oor|ate|arm|afe|try|ker|box|ock) code)|"
        rf"(?<=passcode)|(?<=(?:ess|gin|-in|ion|ity|ime|2fa|mfa|otp|sms|oor|arm|afe|try|ker) pin))"
        rf"\s{{1,3}}(\d{{4,5}})|(?!))){UNIT}(?![A-Za-z])",
        sign=r"[\s:=：\"'—–是为は](?:\d{4}|\d{3}[ -]\d{3})",
    ),
    form(
        "验证码 認証コード 인증번호 確認コード 認証番号 確認番号 ワンタイム",
        r"(?:验证码|認証コード|인증번호|確認コード|認証番号|確認番号|ワンタイムパスワード)(?:\s?(?:[:=：]|是|为|"
        r"は|는))?\s{0,2}(\d{4,8})(?![\w.]?\d)",
    ),
    form(
        "sms text",
        r"(?i:\b(?:sms|text)(?: message)?)(?:,? (?:it|which))? ?(?i:(?:says|reads|came|said|is):?|:) "
        r"(\d{6}|\d{3}[ -]\d{3})(?![\w.]?\d)"
        r"(?=\W{0,3}(?:\n|\Z)|[^\w\s]|\s(?:\W|(?:and|but|so|if|which|now|as your|is (?:my|your|the (?:code|otp)))\b))"
        rf"|\btexted me (?:the code )?(\d{{6}}|\d{{3}}[ -]\d{{3}}){UNIT}",
    ),
    form(
        "code kod codigo código codice",
        rf"(?i:(?:(?<=[^\W\d_]{{3}})(?:code|kod){_NO_CODE}(?:s|n|en)?|\b{_OPENING}[ -]codes?|"
        r"\b(?:my|your|mein|dein|ihr) code(?=\s?[:=]|\s(?:is|ist|lautet)\b)|"
        r"\b(?:code|c[oó]digo|codice)(?: ?d['’]| (?:de|di) )(?!err|prod|pa[ií]s|barr|stat|esta|art|post)\w{3,16})"
        rf"(?![^\W_]))(?:{_WHOSE}?{_IS})?\s{{1,3}}[\"'`]?"
        rf"((?:[A-Z0-9]{{2,6}}-){{1,4}}{_GROUP}(?:-[A-Z0-9]{{2,6}}){{0,5}}|{_GROUP}(?:-[A-Z0-9]{{2,6}}){{1,5}}|"
        rf"{_GROUP}(?: [A-Z]{{0,5}}\d[A-Z0-9]{{0,4}}){{0,3}} [A-Z0-9]{{2,6}})(?![\w-])",
        sign=r"[A-Z]\d|\d[A-Z]",
    ),
    form(
        "code código codice",
        r"(?i:\b(?:the|my|der|le|el|il|o|mein|mon|mi) (?:(?:six|6)[- ]digit )?(?:code|código|codice)"
        rf" (?:is|ist|lautet|est|es|è|é)(?: now)?:?) (\d{{6}}|\d{{3}}[ -]\d{{3}}){UNIT}(?!\.\d){_ALL_SAID}",
    ),
    form(
        "code código",
        r"(?<![\w.-])(\d{6}|\d{3}[ -]\d{3}) (?i:is|was|ist|est|es) (?i:the|my|der|le|el) (?i:code|código)"
        r"(?i: (?:they|he|she|i (?:got|just|received)|you|from (?:my|the (?:sms|text|app|mail))|den sie|que me))",
    ),
    form(
        "authenticator",
        r"(?i:\bauthenticator(?: app)?)(?i: now)?(?i: (?:says|shows|gives|reads|has)):? "
        rf"(\d{{6}}|\d{{3}}[ -]\d{{3}})(?![\w.]?\d){_ALL_SAID}",
    ),
    form(
        "llegó",
        rf"(?i:llegó|enviaron|mandaron)(?: el| un| este)? (?i:código):? (\d{{4,8}})(?![\w.]?\d){_ALL_SAID}",
    ),
    form("code", r"(?i:\bcode) (\d{6}|\d{3}[ -]\d{3}|\d{8})(?= to (?:log|sign|verify|confirm)\b)"),
    form(
        "your",
        r"(?<![\w.-])(?:G-)?(\d{6}|\d{3}[ -]\d{3}) (?i:is your (?:[\w-]{1,20} ){0,3}(?:code|otp|passcode))\b",
    ),
    form(
        "use",
        r"(?i:\buse) (\d{6}|\d{3}[ -]\d{3}) "
        r"(?i:to (?:verify|log|sign|confirm)|as (?:your|the|a|my) (?:[\w-]{1,20} ){0,3}(?:code|otp|passcode|pin))\b",
    ),
    form(
        "totp otp 2fa mfa authenticator",
        r"(?i:\b(?:totp|otp|2fa|mfa|authenticator)\b[^\n]{0,30}?\b(?:seed|secret|key)\b(?: is)?)[\"':= ]{1,4}"
        r"((?=[A-Z -]{0,60}[2-7])[A-Z2-7]{4}(?:[ -]?[A-Z2-7]{4}){2,12}(?:[ -]?[A-Z2-7]{1,3})?|"
        r"(?=[a-z ]{0,60}[2-7])[a-z2-7]{4}(?: [a-z2-7]{4}){3,15})(?![A-Za-z0-9])",
    ),
    form(
        "pin otp",
        r"(?<![A-Za-z0-9_])(?<!GPIO )(?<!gpio )(?:[A-Z][A-Z0-9_]{0,40}_)?"
        r"(?i:pin(?:[_ -]?(?:code|number|nummer))?|otp(?:_?code)?)"
        rf"[\"']?(?:\s{{0,2}}[:=：]|\s(?i:is|ist|lautet|es|est)(?=\s))\s{{0,2}}[\"']?(\d{{4,8}})(?![\w.]?\d|"
        rf"[A-Za-z]){UNIT}",
    ),
    form(
        "pin",
        r"(?<![A-Za-z0-9_/-])(?<!GPIO )(?:PIN"
        rf"(?:(?!{MEASURED})(?: [^\W\d_]{{1,12}}){{1,5}} (?:is|ist|es|est|è|é))?|"
        r"(?i:pin(?:[- ]?(?:code|number|nummer))))\s"
        rf"(\d{{4}}){UNIT}(?!\s(?:of|am|an|on (?:the|connector)|is|ist|and|und|to|goes)\b)",
    ),
    form(
        "密码 密碼 口令 暗証番号 パスワード 비밀번호",
        r"(?:密码|密碼|口令|暗証番号|パスワード|비밀번호)(?:[:：是为為はが은는]|\s){1,3}(\d{4,8})(?![\dA-Za-z]|"
        r"\s?[位个個文桁자字到至分天日次回年月种条~、-])",
    ),
    form(
        "cvv cvc csc",
        r"(?i:\b(?:cvv2?|cvc2?|csc)\b)(?:\W{1,4}|\s+is\s+|\s+(?:code|number)\W{1,3})(\d{3,4})(?!\.?\d)",
    ),
    # numbers of papers
    form(
        "ssn social",
        r"(?i:\b(?:ssn|social security(?: number| no\.?)?))(?i:\W{1,6}|\s+is\s+)(\d{3}[- ]?\d{2}[- ]?\d{4})(?![\d-])",
    ),
    form(
        "passport reisepass",
        r"(?i:passport|reisepass)(?i:[ _]?(?:number|no\.?|nr\.?|nummer))?(?:\s?[:=]|\s(?i:is|ist))?\s{1,2}"
        r"([A-Z](?=[A-Z0-9]{0,8}\d{4}|\d)[A-Z0-9]{7,8})(?!\w)",
    ),
    form(
        "ssn social pass insurance nino driving personalausweis dni nie nif cpf codice steuer bsn pesel aadhaar "
        "sécurité инн снилс паспорт 身份证",
        rf"{_PAPER}(?:{_IS}|\W)?\s{{0,3}}(?:(?i:die|der|the|la|le|el|il|o) )?(?!\d{{4}}-\d\d-)"
        rf"((?=(?:[A-Z./ -]{{0,6}}\d){{6}})[A-Z0-9](?:[./ -]?[A-Z0-9]){{7,20}}|\d{{17}}[\dXx])"
        r"(?![\w-]|\.\d)",
    ),
)
