"""Words by which a text is cut into sentences and compared: stop words, what is shortened, what points to a text."""

from __future__ import annotations

import re

from palimpsest.patterns import later

_SHORTENED = (
    r"e\.g i\.e eg ie vs cf Dr Mr Mrs Ms Prof St approx z\.B z d\.h bzw ca Nr inkl Az Abs Art vgl ggf evtl Sr Sra Mme"
).split()
NO_END = "".join(rf"(?<!\b{word}\.)" for word in (*_SHORTENED, r"z\. B", r"d\. h", r"u\. a"))
"""Behind a stop that ends no sentence: that of a word which is shortened."""
NO_ORDINAL = (
    r"(?!(?:(?<=\b\d\.\s)|(?<=\b\d\d\.\s))"
    r"(?:[a-zäöüß]|(?:Jan|Feb|Mär|Mrz|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez)[a-zä]{0,7}\b))"
)
"""Behind the space after a stop: what shows that it made an ordinal number ("am 3. Januar")."""
VERDICT = re.compile(
    r"(?:Rejected|Chosen|Accepted|Abandoned|Discarded|Dropped|Ruled out|Verworfen|Rejeté|Descartado|Отклонено)"
    r"(?:[:,]| (?:for|because|since|as|by|in favou?r)\b)"
)
STOP = frozenset(
    "the be to of and in that have it for not on with he as you do at this but his by from they we say her she or an "
    "will my one all would there their what so up out if about who get which go me when make can like no just him "
    "know take into your some could them see other than then now only its over also after use two how our first any "
    "these us is are was were been has had did does am i'm it's let here should may might very too more most such "
    "der die das und ist nicht ein eine zu den mit von für auf im dem sich auch es an als wie wir ich sie er "
    "le la les et un une des du en que qui dans pour pas sur au est il elle nous vous je ce se sont avec "
    "el los las y una del al lo es por con para su no se ha como más "
    "и в не на что с по это как он я мы из за то".split()
)
PARTICLES = frozenset(
    "的了是我你他她它们吗呢啊吧呀嗯很在也都就不有和与这那么什着过得地一个会可以没要说"
    "はがをにのともでへやかなだですますしてたるいうれさん"
)
BESIDE = later(
    r"\b(?:this|these|following|below|above|attached|here(?:'s| is| are)|dies\w{0,2}|folgende\w?|unten|oben|anbei|"
    r"hier|ce|cette|ces|suivante?s?|ci-(?:dessous|joint)|voici|est[aeo]s?|siguientes?|abajo|aquí|quest[aeio]|seguente|"
    r"ecco|este|seguinte|abaixo|эт\w{1,2}|следующ\w{2,3}|ниже|вот)\b|[这那]|以下|下面|如下|上面|この|これ|次の|"
    r"이 |다음|아래|(?<!\w)(?:هذا|هذه|التالي|أدناه)(?!\w)",
    re.IGNORECASE,
)
"""How somebody speaks of a text that stands beside his words."""
_RULED = (
    r"\w*(?:rules?\b|condition|constraint|convention|wish|regel|vorgabe|wunsch|wünsche|règle|consigne|norma|regla|"
    r"condicion|правил|услов)\w*|规则|规矩|条件|要求|お願い|ルール|규칙"
)
RULED = later(_RULED, re.IGNORECASE)
"""How somebody calls the rules that he gives."""
OWN = later(
    r"\b(?:i(?! (?:don'?t|do not|never|got|found|saw)\b)|my|we|our|ich|wir|mein\w*|unser\w*|je|mes|nos|mis?|quiero|"
    rf"nuestr\w+|мо[йия]|наш\w*)\b|我|require|{_RULED}",
    re.IGNORECASE,
)
"""What speaks of rules, or of who says it."""
