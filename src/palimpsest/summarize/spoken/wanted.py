"""Whether a sentence says what somebody wants to have: it gives work, asks for a deed, or tells a wish or a goal.

Rules kept here:

- A wish is the speaker's: "I want", "we need", "the goal is". What others want is told of.
- A request is a please, or a question to "you" for a deed. "Can you see it, too?" is taken for one as well: a request
  that is not known is lost from a summary, a question that is too many takes some room.
"""

from __future__ import annotations

import re

from palimpsest.patterns import later
from palimpsest.summarize.remembered import remembered
from palimpsest.summarize.spoken.remarks import gives_work

_WISHES = later(
    r"\b(?:i|we)(?: (?:really|just|only|also))? (?:want|need|wish|have to|must)\b|"
    r"\b(?:i|we)(?:['’]d| would) (?:like|love|prefer)\b|"
    r"\b(?:goal|aim|objective|idea|task|job|plan|point) (?:here |of this |for today )?(?:is|was|will be)\b|"
    r"\b(?:ich|wir) (?:brauchen?|möchten?|will|wollen|hätten?|würden?|bräuchten?|benötigen?|muss|müssen|soll|"
    r"sollen)\b|"
    r"\b(?:brauche|möchte|will|bräuchte|benötige|muss|müssen|brauchen|wollen|möchten) (?:ich|wir)\b|"
    r"\b(?:ziel|aufgabe|idee|auftrag) (?:ist|wäre|dabei|lautet)\b|\bes geht (?:darum|um)\b|"
    r"\b(?:je|j['’]|nous|on) ?(?:ai(?:merais)? besoin|aimerais|voudrais|veux|souhaite|dois|avons besoin|aimerions|"
    r"voudrions|voulons|souhaitons|devons|veut|doit|voudrait|a besoin)\b|\bil (?:me|nous) faut\b|"
    r"\b(?:but|objectif|idée) (?:est|serait)\b|"
    r"\b(?:(?:yo )?(?:quiero|quisiera|necesito|querría|me gustaría|debo|tengo que)|queremos|necesitamos|tenemos que|"
    r"nos gustaría|debemos)\b|\b(?:objetivo|meta|idea) (?:es|sería|é|seria)\b|"
    r"\b(?:eu )?(?:quero|preciso|gostaria|tenho que)\b|\b(?:precisamos|gostaríamos|temos que)\b|"
    r"\b(?:voglio|vorrei|mi serve|ho bisogno|devo|vogliamo|vorremmo|ci serve|abbiamo bisogno|dobbiamo)\b|"
    r"\b(?:obiettivo|scopo) (?:è|sarebbe)\b|"
    r"\b(?:ik|we|wij) (?:wil|zou|moet|heb|willen|moeten|hebben)\b[^.]{0,40}\b(?:graag|nodig|hebben|\w{3,}en)\b|"
    r"\b(?:chc(?:ę|emy)|chciał\w+|potrzebuj(?:ę|emy)|muszę|musimy)\b|\bcelem jest\b|"
    r"(?<!\w)(?:(?:я )?(?:хочу|хотел\w* бы|должен|должна)|(?:мы )?(?:хотим|должны)|(?:мне|нам) (?:нуж(?:ен|н\w+)|надо|"
    r"необходим\w+)|цель)(?!\w)|"
    r"(?:我|我们|咱们|这边)[^。，]{0,6}(?:想|要|需要|希望|打算|得)|目标[是：:为]|目的是|需要(?:你|把|做|写|有)|"
    r"(?:たい|欲しい|ほしい|必要(?:が|です|だ)|目標は|目的は|お願い)|"
    r"(?:싶(?:어|습|은|다)|필요(?:해|합|하)|목표는|목적은|(?:해|어|아) ?(?:주|줘))",
    re.IGNORECASE,
)
"""How somebody says what he wants, needs or has to have."""
_REQUESTS = later(
    r"\b(?:can|could|would|will) (?:you|we)\b|\b(?:kannst|könntest|würdest|magst) du\b|"
    r"\b(?:können|könnten|würden) (?:sie|wir)\b|\b(?:peux-tu|pourrais-tu|pouvez-vous|pourriez-vous|tu peux|tu "
    r"pourrais|"
    r"vous pouvez)\b|\b(?:puedes|podrías|podemos|puede usted|podría)\b|\b(?:você pode(?:ria)?|pode(?:ria)?s?)\b|"
    r"\b(?:puoi|potresti|può|potrebbe)\b|\b(?:kun je|kunt u|zou je|wil je)\b|\b(?:możesz|mógłbyś|mogłabyś|czy może)\b|"
    r"(?<!\w)(?:можешь|можете|мог(?:ла|ли)? бы)(?!\w)|(?:能|可以|可不可以|能不能|麻烦)(?:你|您|帮|把)|麻烦|"
    r"(?:くれ|もらえ|いただけ|頂け)(?:ます|ません|る|ない)か?|줄 수 있|주실 수 있|\bplease\b|\bpls\b|\bbitte\b|"
    r"s['’]il (?:te|vous) pla[iî]t|\bpor favor\b|\bper favore\b|\b(?:alsjeblieft|alstublieft)\b|\bproszę\b|пожалуйста|"
    r"ください|下さい|주세요",
    re.IGNORECASE,
)
"""How somebody asks another for a deed."""


@remembered()
def asks_for(sentence: str) -> bool:
    """Whether a sentence says what is wanted, or asks."""
    return (
        sentence.endswith(("?", "？", "؟"))
        or gives_work(sentence)
        or any(form.search(sentence) for form in (_WISHES, _REQUESTS))
    )
