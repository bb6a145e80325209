"""How more is offered to somebody, and how somebody puts himself at another's service.

Rules kept here:

- "If you like" offers where it ends a sentence, or begins one that goes on with "I": what anybody can do who follows a
  manual has neither. Of an "if wanted" without "you", the sentence says "I".
- Who is at one's service says "I", in its verb where a language does so there: what else is at somebody's disposal is
  told.
- One word is enough, or is asked for, at the beginning of a sentence or at its end.
"""

from __future__ import annotations

import re

from palimpsest.patterns import later

_ENDS = r"(?=\W*$)"
_LIKES = (
    r"if (?:you['’]?(?:d)? (?:would )?(?:like|want|wish|prefer)|that (?:suits|helps|works for) you|it helps you)"
    r"(?: (?:that|it|so|me to))?|whenever (?:you['’]re|you are|it suits you)(?: ready)?|"
    r"(?:wenn|falls|sofern) (?:du|sie|ihr) (?:es |das |so )?(?:wills?t|wollen|wollt|mags?t|mögen|möchtes?t|möchten|"
    r"wünschs?t|wünschen)|wenn (?:es )?(?:dir|ihnen|euch) (?:recht|lieber) ist|"
    r"si (?:tu (?:le )?(?:veux|souhaites|préfères)|vous (?:le )?(?:voulez|souhaitez|désirez|préférez)|"
    r"cela (?:te|vous) convient)|"
    r"si (?:(?:as[ií] )?lo (?:deseas?|prefieres?)|(?:t[uú] )?quieres|prefieres|gustas|te parece|"
    r"usted quiere)(?: bien)?|"
    r"se (?:vuoi|volete|preferisci|preferite|lo desideri|ti va|vi va)|"
    r"se (?:tu )?(?:quiseres|preferires)|se (?:voc[êe]s? )(?:quiser(?:em)?|preferir(?:em)?)|"
    r"als (?:je|jij|jullie|u) (?:dat |het )?(?:wilt?|wenst?)|"
    r"(?:jeśli|jeżeli|gdybyś) (?:tylko )?(?:chcesz|chcecie|wolisz|państwo (?:chcą|życzą sobie))|"
    r"если (?:(?:ты|вы) )?(?:хочешь|хотите|захочешь|захотите|желаете|пожелаете)"
)
_WANTED = (
    r"(?:falls|wenn|sofern) (?:gewünscht|erwünscht|nötig)|auf wunsch|si besoin|si nécessaire|"
    r"si (?:lo )?(?:quiere|desea)|"
    r"si hace falta|se (?:vuole|desidera|serve|necessario)|se (?:quiser|desejar|preferir|precisar)|desgewenst|"
    r"indien gewenst|w razie potrzeby|jeśli trzeba|если (?:нужно|надо|угодно)|if (?:wanted|desired|needed)"
)
_I = (
    r"\b(?:i|ich|je|j['’]\w+|ik|я|puedo|podría|haré|posso|potrei|poderia|mogę|mógłbym|mogłabym|могу|смогу|"
    r"(?!euro\b|zero\b|centro\b|uso\b)\w{2,20}(?:erò|irò|arei|erei|irei|aré|eré|iré))\b"
)
_MORE = (
    r"(?:i|we) (?:can|could) (?:also|gladly|happily|of course|as well)\b(?! (?:see|reach|read|reproduce|"
    r"access|log)\b)"
    r"[^.]{0,160}\b(?:you|your)\b|"
    r"(?:ich|wir) (?:kann|könnte|können|könnten) (?:dir|ihnen|euch)\b|(?:gerne?) \w{2,20}e? (?:ich|wir) \b|"
    r"(?:je|nous) (?:peux|pourrais|pouvons) (?:aussi |également )?(?:te|vous|t['’])|"
    r"(?:te|le|os) (?:puedo|podría)\b|(?:ti|le|vi) posso\b|posso (?:lhe|te)\b|"
    r"ik kan (?:je|u|jullie)\b|mogę (?:ci|państwu|panu|pani)\b|(?:я )?(?:могу|готова?) (?:также )?(?:вам|тебе)\b"
)
_WORD = (
    r"(?:just |simply |only )?(?:(?:say|give me) the (?:word|go-ahead|nod|green light)|say so"
    r"(?=\W*$|,? and i\b|,? i\b))|"
    r"(?:one|a|a single) word (?:from you )?(?:is enough|suffices|will do)(?=\W*$|,? and i\b)|"
    r"(?:ein|dein|ihr) (?:kurzes )?wort (?:genügt|reicht)|sag(?:en sie)? (?:einfach |nur |bloß |"
    r"mir )*(?:ja|an)(?=\W*$|,)|"
    r"un (?:simple |seul )?mot (?:de (?:ta|votre) part )?suffit|il (?:te |vous )?suffit de (?:me )?(?:le )?dire|"
    r"(?:il n['’]y a )?qu['’]à (?:me )?(?:le )?dire|dis-le\b|dites-le\b|"
    r"(?:s[oó]lo |simplemente )?(?:dilo|dígalo)(?=\W*$|,| y )|(?:basta|bastará) con (?:decir(?:lo|"
    r"me(?:lo)?)|una palabra)|"
    r"una palabra (?:tuya |suya )?basta|basta (?:dirlo|dirmelo|un cenno|un tuo cenno|una parola)|"
    r"(?:é só|basta) (?:me )?(?:dizer|pedir|falar)(?=\W*$|,| e )|uma palavra basta|"
    r"(?:zeg|geef) (?:het )?(?:maar|gewoon)(?=\W*$|,| en )|één woord is genoeg|"
    r"wystarczy (?:jedno )?(?:słowo|powiedzieć|znak)|(?:tylko )?powiedz(?:cie)? (?:tylko )?(?:słowo)|"
    r"(?:только |просто )?скажи(?:те)?(?: только)? слово|(?:достаточно|хватит) (?:одного |вашего |твоего )?слова|"
    r"(?:只要)?[你您]?(?:跟我)?说一声|(?:[你您]?一句话|只要一句话)(?:就行|即可)|(?:请|尽管|随时)(?:吩咐|开口)|"
    r"[^。]{0,24}(?:お申し付け|お声がけ|お声掛け|ご一報|ご用命)(?:を)?(?:くだ|下さ|いただ|頂)|"
    r"(?:[^.]{0,12})말씀만 (?:하|해)|언제든(?:지)? (?:말씀|불러|연락|요청)"
)
_SERVICE = (
    r"\bi(?:['’]m| am| remain| stay|['’]ll be)\b[^.]{0,30}(?:at your (?:service|disposal)|here (?:to help|if you))|"
    r"^\W{0,3}(?:always )?at your (?:service|disposal)|standing by for you\b|"
    r"\b(?:stehe|bleibe|stehen wir)\b[^.]{0,60}(?:verfügung|bereit\b(?=\W*$))|"
    r"gerne? (?:weiterhin )?für (?:dich|sie) da\b|"
    r"\b(?:je|nous) (?:reste|restons|demeure|suis|me tiens|nous tenons)\b[^.]{0,40}(?:à (?:votre|ta|ton) "
    r"(?:(?:entière )?disposition|écoute|service)|à disposition|disponible pour)|"
    r"\b(?:quedo|quedamos|estoy|me pongo)\b[^.]{0,30}(?:disposición|pendiente de|atent[oa]\b)|"
    r"\b(?:resto|rimango|restiamo|rimaniamo)\b[^.]{0,30}disposizione|\bsono (?:sempre |qui )?a (?:tua|sua|vostra) "
    r"(?:completa )?disposizione|"
    r"\b(?:fico|ficamos|estou|permaneço)\b[^.]{0,30}(?:disposição|disponível|aguardo)|"
    r"\b(?:ik (?:sta|blijf|ben)|sta ik|blijf ik)\b[^.]{0,40}(?:beschikking|tot (?:uw|je) dienst|voor (?:u|"
    r"je) klaar)|"
    r"\b(?:pozostaję|pozostajemy|jestem|jesteśmy)\b[^.]{0,30}dyspozycji|\bsłużę pomocą|"
    r"(?:к|в) (?:вашим|твоим) услугам|(?:остаюсь|останусь)[^.]{0,30}(?:в (?:вашем|твоём|"
    r"твоем) распоряжении|на связи)|"
    r"всегда (?:готова?|рада?) (?:вам |тебе )?помочь|"
    r"(?:随时|乐意|愿意|继续)(?:为|替)[你您](?:效劳|服务|待命|解答|效力|提供)|[听静]候[^。]{0,6}吩咐|随时(?:待命|听候)|"
    r"(?:引き続き|今後とも|いつでも|何でも|喜んで)[^。]{0,30}(?:対応|お手伝い|サポート|支援|お力添え|承)"
    r"(?:を)?(?:いた|致|させて|り)[^。]*ます|(?:기꺼이|계속|언제든지?) [^.]{0,20}도와 ?드리"
)
_BEGINS = later(
    rf"\W{{0,3}}(?:{_WORD}|{_MORE}|(?:{_LIKES})(?:{_ENDS}|,? (?:[^.]{{0,60}} )?{_I}|,? (?:aggiungo|faccio|"
    rf"scrivo|preparo|"
    r"también|auch|mach\w*|ook|sprawdzę|dodam|zrobię|добавлю|сделаю)\b|,? \w{3,20}ę\b)|"
    rf"(?:{_WANTED}),? (?:[^.]{{0,40}} )?{_I}|"
    r"(?:如果|要是|若)?[你您](?:愿意|需要|想要?|希望|喜欢|同意)(?:的话)?(?:[，,][^。]{0,20}我|\W*$)|"
    r"(?:(?:もし)?よろしければ|(?:もし)?(?:ご希望|ご要望|お望み|ご入用|ご必要)(?:でした|なら|であれば|が?あれば|の場合)"
    r"[^。]{0,2})(?=\W*$|[、,]?[^。]*(?:ます|です|ください|ましょうか))|"
    r"(?:원하(?:시면|신다면)|괜찮으시(?:면|다면)|필요하시면)(?=\W*$|,? [^.]*(?:니다|어요|아요|게요)))",
    re.IGNORECASE,
)
_STANDS = later(
    rf"{_SERVICE}|(?:^|[ ,])(?:{_LIKES}){_ENDS}|{_I}[^.]{{0,160}}[ ,](?:{_WANTED}){_ENDS}|"
    r"[，,]?(?:如果|要是|若)?[你您](?:愿意|需要|希望|喜欢|同意)的话\W*$",
    re.IGNORECASE,
)


def offers(plain: str) -> bool:
    """Whether a sentence or a clause, without quotations, offers more, or says that one is at somebody's service."""
    return bool(_BEGINS.match(plain) or _STANDS.search(plain))
