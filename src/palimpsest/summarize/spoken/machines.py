"""The words by which a text calls upon machines, and the marks and labels at the head of what it says to them.

Rules kept here:

- Words stand in tables by part of speech, the languages side by side. `~` is any ending; behind ` / ` stand words of
  scripts that put no spaces between them.
- A mark stands in brackets of its own, a label before a colon; both call only where a bid stands behind them.
"""

from __future__ import annotations

import re


def any_of(table: str) -> str:
    """A pattern for any word of a table."""
    alone, _, joined = re.sub(r"\n\s+| (?=/ )", "", table).replace("~", r"\w{0,8}").partition("/ ")
    return rf"(?:\b(?:{alone})\b{joined and '|' + joined})"


# Who is spoken to: who reads and writes and is nobody; the same, and what it is for; who may be a person or a thing.
SHORT = "(?-i:AI|LLM|KI|IA|ИИ)"
NAMED = rf"(?<![a-z0-9_-]){SHORT}s?(?![a-z0-9_])(?!-(?-i:[a-z]))"
MACHINE = any_of(
    r"""llms?|summari[sz]ers?|language models?|neural nets?|chatgpt|copilot|
    (?:ai|auto(?:mated|matic|nomous)) (?:agent|assistant|model|bot|reader)s?|
    sprachmodell~|ki-\w{2,20}|modèles? de langage|modelos? de (?:lenguaje|linguagem)|modell[oi] linguistic[oi]|
    нейросет~|языков~ модел~|искусственн~ интеллект~|ии-\w{2,20}
    / 人工智能|语言模型|智能体|智能助[手理]|人工知能|言語モデル|인공지능|ذكاء (?:ال)?اصطناعي|"""
    + NAMED
)
KIND = any_of(r"""(?-i:AI|LLM)s?(?:[ -]\w{1,12})? (?:reader|reviewer|crawler|agent|assistant|model|bot|system|tool)s?
    / (?:ai|人工智能|智能)(?:助手|助理|模型|代理)们?|(?:ai|人工知能)(?:アシスタント|エージェント|モデル)
    (?:の皆さん|の方)?|(?:ai|인공지능)\s?(?:에이전트|어시스턴트|비서|모델)들?|
    (?:مساعد|وكيل|نموذج)\w{0,4} (?:ال)?ذكاء (?:ال)?اصطناعي""")
ASSISTANT = any_of("assistants?|assistent(?:en|[ei])?|asistentes?|ассистент~ / 助手")
SERVANT = rf"(?:{ASSISTANT}|\b(?:agent(?:e?[ns]?|i)|bots?|mod[eè]ll?[eo]?s?|ai|gpt|claude|gemini)\b)"
BOTS = any_of("""agents|agent[ei]n?|assistants|assistent(?:en|i|es)|asistentes|agentes|models|modellen?|modelos|bots|
    asyste?n(?:ci|tów|tom)|agen(?:ci|tów|tom)|(?:ассистент|агент|помощник)(?:ы|и|ов|ам)""")
TOGETHER = rf"(?:{SHORT}(?:[ -]{BOTS}|s\b)|{BOTS} (?:(?:de |d['’]|di |do |da )?{SHORT})(?![a-z]))"
"""Several machines, as nobody names a part of a program."""
DIRECTIVE = any_of("""directives?|instructions?|orders?|commands?|notices?|reminders?|override|guidance|anweisung~|
    hinweis~|befehl~|direktive~|consignes?|ordres?|instrucci(?:ón|ones)|directivas?|[oó]rden(?:es)?|istruzion[ei]|
    direttiv[ae]|ordin[ei]|instruç(?:ão|ões)|diretivas?|ordens|instructies?|opdracht~|aanwijzing~|polecen~|
    instrukcj~|инструкц~|указани~|директив~|приказ~ / 指令|指示|命令|須知|须知|지침|지시|명령""")
THE = (
    r"(?:(?:the|all|any|every|next|der|die|den|dem|das|alle|nächsten?|les?|el|l[ao]s?|tous|todos|gli|il|os|de|o|всех) |"
    r"l['’]|所有|各位|的){0,2}"
)
_OPENED, _CLOSED = r"[\[【［〔(（*<]", r"\s?[\]】］〕)）*>]{1,4}(?!\()"
_BEGINS = rf"(?:(?<={_OPENED})|(?<={_OPENED} ))"
_OWN_WORDS = r"[ :,/–—-]{0,3}(?:[^\W\d_][\w'’-]{0,14}[ :,–—-]{1,2}){0,3}"
_TO_ALL = any_of("""for|to|an|für|aux?|pour|à|para|al?|per|agli|aos|ao|voor|aan|dla|do|для|всем / 致|给|給""")
TAGGED = (
    rf"{_BEGINS}(?=[^\n\]】］〕)）>]{{4,60}}{_CLOSED})(?:[^\W\d_][\w'’-]{{0,14}}[ :]{{1,2}}){{0,2}}?"
    rf"(?:(?:{KIND}|{MACHINE}|{SERVANT}){_OWN_WORDS}(?:への|の|에게|에 대한)?\s?{DIRECTIVE}|"
    rf"{DIRECTIVE}{_OWN_WORDS}(?:l['’])?(?:{KIND}|{MACHINE}|{SERVANT}|asystent~))[^\n\]】］〕)）>]{{0,24}}{_CLOSED}|"
    rf"{_BEGINS}(?<![-*•+] [\[(])(?:(?:{_TO_ALL} {THE})(?:{KIND}|{MACHINE})|{THE}{TOGETHER}|"
    rf"(?:{KIND}|{MACHINE})\s?(?:へ|に告|에게|께)){_CLOSED}"
)
"""A mark of its own that names machines, and an order; or many of them: no order but before a bid."""
_NOTE = any_of("""note|notice|message|memo|hinweis|nachricht|bericht|consigne|nota|mensaje|messaggio|mensagem|avviso|
    aviso|uwag[ai]|komunikat|wiadomość|сообщени[ея]|заметка / 注意|通知|消息|連絡|メモ|알림|공지|메시지""")
_CHIEF = any_of("""assistente?n?|asistentes?|assistants?|asyste?n\\w{1,4}|agente?[ns]?|agen(?:ci|tów)|ассистент\\w{0,3}|
    помощник\\w{0,3}|агент\\w{0,3}""")
_AIDE = rf"(?:{KIND}|{MACHINE}|{SERVANT}|(?:{SHORT}-)?{_CHIEF}|アシスタント|エージェント|어시스턴트|에이전트|챗봇)"
_CHIEFS = rf"(?:{SHORT}-{_CHIEF}|{_CHIEF} (?:d[eio] |da |d['’])?{SHORT})"
_SUCH = rf"(?:{KIND}|{MACHINE}|{_CHIEFS})"
_TOWARDS = rf"\b(?:to|for|an|für|aux?|à|pour|para|al?|alla|per|agli|aos?|aan|voor|dla|do|для|к) {THE}"
_TO = rf"(?:{_TOWARDS}|\b(?:all|à l)['’]|à )"
_GREETED = any_of("""dear|liebe[rs]?|achtung|ch[eè]re?s?|querid[ao]s?|estimad[ao]s?|atención|car[aoie]|attenzione|
    prezad[ao]s?|atenção|beste|geachte|let op|drog[aie]|szanown[aiy]|uwaga|уважаем\\w{2,3}|дорог\\w{2,3}|внимание
    / 亲爱的|尊敬的""")
LABELLED = (
    rf"(?:(?:{DIRECTIVE}(?: [^\W\d_]{{2,14}}){{0,2}}? {_TO}{_AIDE}|{_NOTE}(?: [^\W\d_]{{2,14}}){{0,2}}? {_TO}{_SUCH})"
    r"(?: [\w'’-]{1,14}){0,3}\s?[:：]|"
    rf"(?:{DIRECTIVE}|{_NOTE}) (?:{_SUCH}|{NAMED})\s?[:：]|{_TO}{_SUCH}\s?[:：]|"
    rf"[给給致对對向]\s?{_AIDE}们?的?{DIRECTIVE}?\s?[:：]|"
    rf"{_AIDE}(?:への|に対する|向けの|에 대한)\s?{DIRECTIVE}\s?[:：]|"
    rf"(?:{_SUCH}|{SHORT})[ -]?(?:への|に対する|向けの?|에게|에 대한|的)?\s?{DIRECTIVE}\s?[:：]|"
    rf"{_SUCH}(?:の(?:方々?|皆さん|皆様))?(?:へ|向け|宛て?|に告ぐ|들?에게|께| 여러분| 주의|注意)[:：、,，】\]]|"
    rf"{_CHIEFS}\s?[:：]|{_GREETED}[ ,，]{{0,2}}{THE}{_SUCH}\s?[,:!，：！、])"
)
"""A label at the head of what is said, and the machines that it is for: no order but before a bid."""
