"""Questions in European languages other than English: words without content, who is meant, what is asked for.

The language is recognized by the words without content, of which a question always has some. German nouns are
capitalized, so a capital does not mark a name there.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from palimpsest.lazy_regex import later
from palimpsest.search.english_questions import asking_part
from palimpsest.search.english_words import STOP_WORDS
from palimpsest.search.word_folding import apart, plain

LEAST_TOLD = 2
"""This many words without content identify a language, if they outnumber the English ones."""


@dataclass(frozen=True, slots=True)
class Language:
    """One language. `language` is its code (ISO 639-1). Everything is lower case without accents: `stop` are words
    without content, `own` those that mean the asker, `personal` the same with spaces around them. `frame` matches
    phrases that only ask ("can you tell me"), `asks` question words, `number` what asks for a number or a time,
    `name` what asks for a name.
    """

    language: str
    stop: frozenset[str]
    own: frozenset[str]
    personal: tuple[str, ...]
    frame: re.Pattern[str]
    asks: re.Pattern[str]
    number: re.Pattern[str]
    name: re.Pattern[str] | None

    def means_asker(self, text: str) -> bool:
        """Return whether the asking part of a question speaks of the asker."""
        asking = asking_part(plain(text), self.asks)
        return not self.own.isdisjoint(self.content(apart(asking).split()))

    def content(self, words: Sequence[str]) -> list[str]:
        """Return a question's words without asking phrases; all if none is left."""
        return self.frame.sub(" ", " ".join(words)).split() or list(words)


def _tongue(
    language: str, own: str, stop: str, frame: str, asks: str, number: str, name: str = ""
) -> Language:
    asker = own.split()
    return Language(
        language,
        frozenset((*asker, *stop.split())),
        frozenset(asker),
        tuple(f" {word} " for word in asker),
        later(rf"\b(?:{'|'.join(filter(None, map(str.strip, frame.splitlines())))})\b"),
        later(rf"\b(?:{asks})\b"),
        later(rf"\b(?:{number})\b"),
        later(rf"\b(?:{name})\b") if name else None,
    )


LANGUAGES = (
    _tongue(
        "de",
        "ich mein meine meinem meinen meiner meines mich mir wir uns unser unsere unserem unseren unserer",
        """
        aber alle als am an auch auf aus bei beim bis da dabei damals dann das dass dein deine dem den der
        des dich die dir doch du ein eine einem einen einer eines er es euch euer fur gab gibt habe haben
        hat hast hatte hatten ihm ihn ihr ihre im in ist bin bist sind ja jetzt kann kannst konnte kein
        keine man mit nach nicht noch nun nur ob oder schon sein seine seit sich sie so und vom von vor
        wann war waren warum was wegen welche welchem welchen welcher welches wem wen wenn wer wie wieder
        wird wo wofur wogegen woher wohin womit wozu worden wurde wurden zu zum zur uber viel viele
        wieviel denn eigentlich mal hab
        """,
        r"""
        (?:kannst|konntest) du (?:mir|uns)(?: (?:bitte|mal|noch|kurz|einmal))* (?:sagen|verraten|erklaren|helfen)
        (?:konnen|konnten|wurden) sie (?:mir|uns)(?: (?:bitte|noch|kurz|einmal))* (?:sagen|verraten|erklaren|helfen)
        (?:kannst du|konntest du|konnen sie|konnten sie) mich(?: (?:bitte|noch|daran))* erinnern
        (?:sag|sage|sagen sie|verrat|verrate|hilf|helfen sie) mir(?: bitte)?
        erinner[en]?(?: sie)? mich(?: bitte)?(?: daran)?
        ich (?:wusste|wurde|mochte|will|wollte|hatte)(?: (?:gern|gerne|noch|nur|mal))* (?:wissen|fragen|erfahren)
        ich (?:wusste|hatte) gerne?
        ich frage mich
        ich weiss(?: es)? nicht mehr
        ich (?:hab|habe) (?:(?:es|leider) )*vergessen
        ich erinnere mich nicht(?: mehr)?(?: daran)?
        ich (?:hab|habe|hatte)(?: (?:da|noch|mal))* (?:eine )?(?:kurze )?frage
        (?:eine |kurze )?frage (?:an dich|an sie)
        meine frage (?:ist|ware|lautet)
        weisst du(?: noch| vielleicht)?
        wissen sie(?: noch| vielleicht)?
        hallo
        guten (?:tag|morgen|abend)
        bitte
        entschuldig(?:e|en sie|ung)
        (?:vielen )?dank
        danke(?: schon)?
        """,
        "wer|wen|wem|wessen|was|wo|wohin|woher|womit|wozu|worum|wann|warum|wieso|weshalb|wie|wieviele?|welche[mnrs]?|ob",
        "wann|wie (?:viele?|alt|lange|oft|weit|gross|hoch)|wieviele?|welche[mnrs]? (?:tag|datum|jahr|monat|uhrzeit)",
    ),
    _tongue(
        "es",
        "yo mi mis me conmigo nos nuestra nuestras nuestro nuestros",
        """
        a al algo ante aquel asi aun como con cual cuales cuando cuanta cuantas cuanto cuantos de del
        desde donde e el ella ellas ellos en entre era eran es esa ese eso esta estaba estan estas este
        esto estos estuvo fue fueron ha habia han has hasta hay he hemos la las le les lo los mas mucho
        muy ni no o para pero por porque que quien quienes se ser si sin sobre son su sus tambien te tengo
        tiene tu tus un una unas uno unos y ya
        """,
        r"""
        (?:me )?(?:puedes|podrias|puede|podria)(?: por favor)? (?:decir|recordar|contar|explicar)(?:me)?
        (?:puedes|podrias|puede|podria) ayudarme a recordar
        (?:dime|digame|recuerdame|recuerdeme|ayudame a recordar|cuentame)
        (?:yo )?(?:quisiera|quiero|queria|necesito|me gustaria|quisiera) saber
        me pregunto(?: si)?
        no (?:me )?(?:acuerdo|recuerdo)(?: de)?
        (?:he|se me ha) olvidado
        se me olvido
        tengo una (?:pregunta|duda)
        una pregunta
        mi pregunta es
        (?:te|se) (?:acuerdas|acuerda)(?: de)?
        recuerdas
        sabes
        sabe usted
        hola
        buen(?:os|as) (?:dias|tardes|noches)
        por favor
        (?:muchas )?gracias
        perdon
        """,
        "que|quien(?:es)?|cual(?:es)?|donde|cuando|como|cuant[oa]s?",
        "cuando|cuant[oa]s?|que (?:hora|dia|fecha|ano|mes)",
        "quien(?:es)?|donde|cual(?:es)?|como se llama|que nombre|llamad?[oa]",
    ),
    _tongue(
        "fr",
        "je j mon ma mes moi m nous notre nos",
        """
        a ai alors apres au aux avait avant avec avons as c ce ces cet cette chez combien comment d dans
        de depuis des dont du elle elles en encore est et etait ete etre eu il ils l la laquelle le lequel
        les leur leurs lui mais n ne on ont ou par pas plus pour pourquoi qu quand que quel quelle quelles
        quels qui quoi s sa sans se ses si son sont sur t ta te tes toi ton tu un une va vos votre vous y
        """,
        r"""
        (?:peux|pourrais) tu (?:me|m|nous) (?:dire|rappeler|redire|expliquer)
        (?:pouvez|pourriez) vous (?:me|m|nous) (?:dire|rappeler|redire|expliquer)
        (?:tu|vous) (?:peux|pouvez|pourrais|pourriez) me (?:dire|rappeler)
        (?:dis|dites|rappelle|rappelez|aide|aidez) moi(?: a me souvenir)?
        (?:je|j) (?:voudrais|veux|voulais|aimerais|souhaite|souhaiterais)(?: bien)? savoir
        je me demande(?: si)?
        je ne (?:sais|me souviens|me rappelle) plus
        j ai oublie
        j ai une (?:petite )?question
        (?:petite )?question pour vous
        ma question est
        sais tu
        savez vous
        (?:te souviens tu|vous souvenez vous)(?: de)?
        bonjour
        bonsoir
        salut
        s il (?:te|vous) plait
        merci(?: beaucoup)?
        pardon
        excus(?:e|ez) moi
        """,
        "qui|que|qu|quoi|quel(?:le)?s?|ou|quand|comment|combien|pourquoi|est ce",
        "quand|combien|quel(?:le)? (?:heure|jour|date|annee|mois|age)",
        "qui|ou|quel(?:le)?s?|s appelle|nom",
    ),
    _tongue(
        "it",
        "io mi mio mia miei mie noi nostra nostro",
        """
        a ai al alla alle anche che chi ci come con cosa cui da dal dalla dei del della delle di dove e ed
        era erano fa ha hai hanno ho i il in la le lei li lo loro lui ma ne nei nel nella non o per perche
        piu qual quale quali quando quanta quante quanti quanto questa questo se sei si sono su sua suo
        sul tra tu tua tuo un una uno l d dov cos com c all dell dall nell sull
        """,
        r"""
        (?:mi )?(?:puoi|potresti|puo|potrebbe)(?: per favore)? (?:dir|ricordar|spiegar)(?:e|mi)
        (?:puoi|potresti) aiutarmi a ricordare
        dimmi
        ricordami
        mi (?:dica|ricordi)
        aiutami a ricordare
        (?:io )?(?:vorrei|volevo|mi piacerebbe) sapere
        ho bisogno di sapere
        mi chiedo(?: se)?
        non (?:mi )?ricordo(?: piu)?
        (?:ho|mi sono) dimenticat[oa]
        (?:ho )?una (?:breve )?domanda
        la mia domanda e
        (?:ti )?ricordi
        sai
        sa dirmi
        ciao
        buon ?giorno
        buona ?sera
        per (?:favore|piacere)
        grazie(?: mille)?
        scus[ai]
        """,
        "chi|che|cosa|quali?|dove?|quando|come|perche|quant[oaie]",
        "quando|quant[aoie]|che (?:ora|giorno|anno|mese)",
        "chi|dove?|quali?|si chiama|nome",
    ),
    _tongue(
        "pt",
        "eu meu meus minha minhas me nossa nosso",
        """
        a ao aos as com como da das de do dos e ela ele em era essa esse esta este eles foi foram ha isso
        ja mais mas muito na nao nas nem no nos num numa o onde os ou para pela pelo por porque qual quais
        quando quanta quantas quanto quantos que quem se sem ser seu seus sua suas sao tem tenho tinha um
        uma voce
        """,
        r"""
        (?:voce )?(?:me )?(?:pode|podes|poderia|podia)(?: por favor)?(?: me)? (?:dizer|lembrar|contar|explicar)(?: me)?
        (?:diga|diz|lembra|lembre) me
        me (?:diga|diz|lembra|lembre)
        (?:ajuda me|me ajude) a lembrar
        (?:eu )?(?:gostaria de|queria|quero|preciso(?: de)?) saber
        pergunto me(?: se)?
        (?:eu )?nao (?:me )?lembro(?: mais)?
        (?:eu )?(?:me )?esqueci(?: me)?
        tenho uma (?:pergunta|duvida)
        uma pergunta
        (?:a )?minha pergunta e
        (?:voce )?(?:se )?lembra(?:s te)?(?: de)?
        voce sabe
        sabes
        ola
        oi
        bom dia
        boa (?:tarde|noite)
        por favor
        (?:muito )?obrigad[oa]
        desculp[ae]
        """,
        "quem|que|qual|quais|onde|quando|como|quant[oa]s?",
        "quando|quant[oa]s?|que (?:hora|horas|dia|ano|mes)",
        "quem|onde|qual|quais|se chama|nome",
    ),
    _tongue(
        "nl",
        "ik mijn mij me wij we ons onze",
        """
        aan al als bij dan dat de deze die dit door een en er had heb hebben heeft hebt het hij hoe
        hoeveel in is je jij kan maar met naar niet nog nu of om ook op over te tot uit van voor waar
        waarom wanneer was waren wat welk welke werd wie ze zich zij zijn
        """,
        r"""
        (?:kan|kun|kunt|kon|zou) (?:je|jij|u) (?:me|mij)(?: (?:alsjeblieft|even|nog))* (?:zeggen|vertellen|uitleggen)
        (?:zeg|vertel|herinner|help) (?:me|mij)(?: (?:even|eens|eraan|herinneren|onthouden))*
        ik (?:wil|wilde|zou)(?: (?:graag|even|willen))* weten
        ik vraag me af(?: of)?
        ik weet(?: het)? niet meer
        ik (?:ben|heb)(?: het)? vergeten
        ik herinner me niet(?: meer)?
        ik heb (?:nog )?een (?:korte )?vraag
        mijn vraag is
        weet (?:je|u)(?: nog)?
        hallo
        goede(?:morgen|middag|navond)
        alsjeblieft
        alstublieft
        (?:dank je|bedankt|dank u)(?: wel)?
        """,
        "wie|wat|welke?|waar|wanneer|waarom|hoe|hoeveel",
        "wanneer|hoeveel|hoe (?:oud|lang|vaak|laat|ver)|welk[e]? (?:dag|jaar|maand|datum)",
        "wie|waar|welke?|heet|naam",
    ),
)  # fmt: skip


def language_of(words: Sequence[str]) -> Language | None:
    """Return the language of a question's words, in lower case without accents; None for English and unknown ones."""
    counts = [sum(word in one.stop for word in words) for one in LANGUAGES]
    most = max(counts)
    if most < LEAST_TOLD or most <= sum(word in STOP_WORDS for word in words):
        return None
    return LANGUAGES[counts.index(most)]
