"""Sessions, right summaries of them, and what answers their newest requests."""

from __future__ import annotations

from dataclasses import dataclass

from palimpsest.record.message import Message
from tests.summarize.dialogues import assistant, call, result, user


@dataclass(frozen=True, slots=True)
class Story:
    """A session up to its newest request, lines "heading: text" of a right summary of it, and what answers: for each
    newest request of several whole replies, and lines like those of the summary.
    """

    messages: tuple[Message, ...]
    right: tuple[str, ...]
    replies: tuple[tuple[str, str], ...]
    lines: tuple[tuple[str, str], ...]
    free: tuple[str, ...]


CHOIR = Story(
    (
        user(
            "Help me with the spring concert of our choir. It must end before ten, the neighbours complain otherwise."
        ),
        assistant("The concert ends before ten. Which hall is it?"),
        user("The old granary. Ask what it costs and how many chairs it has."),
        assistant("", call("1", "mail_search", query="granary hall")),
        result("1", "The granary has 140 chairs. The evening costs 280 crowns, heating is 35 crowns more."),
        assistant("The granary has 140 chairs; the evening costs 280 crowns, and heating is 35 crowns more."),
        user("Book it without the heating, the audience warms it up. And the piano there is out of tune."),
        assistant("", call("2", "book", hall="granary", heating=False)),
        result("2", "booked under GR-2291"),
        assistant("The granary is booked under GR-2291 without heating. Shall Mr Novak tune the piano?"),
        user(
            "Yes, Novak. Tickets are 12 crowns, children come free. The programme begins with the madrigals."
        ),
        assistant("Novak tunes the piano; tickets cost 12 crowns, children are free. Madrigals come first."),
    ),
    (
        "Goal: Prepare the spring concert of the choir.",
        "Constraints & preferences: The concert has to be over before ten because of the neighbours.",
        "Progress: The granary is booked without heating (GR-2291).",
        "Progress: It seats 140 people.",
        "Decisions: No heating, the audience warms the hall (user).",
        "Decisions: Madrigals open the programme.",
        "Open tasks: Novak has to tune the piano.",
        "Critical identifiers: GR-2291; 280 crowns for the evening, tickets 12 crowns",
    ),
    (
        (
            "Write the invitation to our members.",
            (
                "Dear singers,\n\nour spring concert is in the granary and ends before ten. Tickets cost 12 crowns, "
                "children come free.\n\nSee you there\nThe board"
            ),
        ),
        (
            "Make a table of the costs.",
            "| What | Crowns |\n|---|---|\n| Evening | 280 |\n| Heating | 35 |",
        ),
        (
            "How many tickets must we sell to cover the evening?",
            "To cover the evening of 280 crowns the choir must sell 24 tickets.",
        ),
        (
            "Write a poster for the shop window.",
            "Poster for the shop window\n\nSpring concert of the choir\nThe old granary\nTickets 12 crowns",
        ),
        (
            "Explain to my sister what a madrigal is.",
            (
                "A madrigal is a secular song for several voices, born in Renaissance Italy; composers like Monteverdi "
                "painted each word of the poem with music, without instruments."
            ),
        ),
        (
            "Give me a query for the members who have not paid.",
            "SELECT name\nFROM members\nWHERE paid = 0\nORDER BY name;",
        ),
    ),
    (
        (
            "How many tickets must we sell to cover the evening?",
            "Progress: The choir must sell 24 tickets to cover the evening.",
        ),
        (
            "Which colour suits the poster?",
            "Decisions: The poster gets a deep red colour, with gold letters.",
        ),
        (
            "Write the invitation to our members.",
            "Progress: Dear singers,\nour spring concert is in the granary.\nThe board",
        ),
        (
            "Write the invitation to our members.",
            (
                "Pending user request: Write the invitation to our members.\n\nThe concert in the granary ends at ten, "
                "children come free."
            ),
        ),
        ("Give me a script that counts the seats.", "Progress: ```python\nseats_left = 140 - sold\n```"),
        (
            "What should I tell the neighbours?",
            "Next steps: You could bring your neighbours flowers and free drinks beforehand.",
        ),
        (
            "Which bus do singers from Brod take?",
            "Progress: Singers from Brod take bus 14 at 18:05.",
        ),
    ),
    (
        "The granary is booked without heating under GR-2291. Novak still has to tune the piano.",
        "Granary: 140 chairs, 280 crowns, booked (GR-2291).\nTickets: 12 crowns.\nPiano: Novak.",
        (
            "The spring concert must end before ten. Booked the granary for 280 crowns, without heating: the audience "
            "warms it up. Next, the newest request."
        ),
    ),
)
HAUS = Story(
    (
        user("Wir streichen im August das Treppenhaus. Die Mieter im dritten Stock schlafen tagsüber."),
        assistant("Dann wird im dritten Stock erst ab 16 Uhr gearbeitet. Welche Farbe soll es sein?"),
        user("Hellgrau, wie beim letzten Mal. Hol bitte zwei Angebote ein."),
        assistant("", call("1", "angebote", arbeit="Treppenhaus streichen")),
        result("1", "Malerei Quint: 2.150 Euro in vier Tagen\nFarbwerk Ost: 1.890 Euro in sechs Tagen"),
        assistant(
            "Malerei Quint verlangt 2.150 Euro und braucht vier Tage, Farbwerk Ost 1.890 Euro und sechs."
        ),
        user("Quint, sechs Tage Gerüst im Flur hält keiner aus. Frau Adler hat den Schlüssel zum Keller."),
        assistant("Ich beauftrage Malerei Quint.", call("2", "beauftragen", firma="Malerei Quint")),
        result("2", "Auftrag A-5518 bestätigt, Beginn am 4. August"),
        assistant("Auftrag A-5518 ist bestätigt, Quint beginnt am 4. August."),
    ),
    (
        "Goal: Das Treppenhaus im August streichen lassen.",
        "Constraints & preferences: Im dritten Stock wird erst ab 16 Uhr gearbeitet, die Mieter schlafen tagsüber.",
        "Progress: Malerei Quint ist beauftragt (A-5518) und fängt am 4. August an.",
        "Decisions: Malerei Quint, denn sechs Tage Gerüst im Flur hält keiner aus.",
        "Critical identifiers: Quint 2.150 Euro, Farbwerk Ost 1.890 Euro; Schlüssel zum Keller bei Frau Adler",
    ),
    (
        (
            "Schreib den Aushang für die Mieter.",
            (
                "Liebe Mieterinnen und Mieter,\n\nab dem 4. August streicht Malerei Quint das Treppenhaus. Im dritten "
                "Stock wird erst ab 16 Uhr gearbeitet.\n\nMit freundlichen Grüßen\nDie Hausverwaltung"
            ),
        ),
        (
            "Was kostet uns das pro Wohnung, wenn es acht sind?",
            "Bei acht Wohnungen kostet das pro Wohnung 268,75 Euro.",
        ),
        (
            "Welche Farbe passt zur Haustür?",
            (
                "Zur dunkelgrünen Haustür harmoniert ein warmes Elfenbein am besten; kühle Töne wirken daneben schnell "
                "fahl, besonders bei wenig Tageslicht im Eingang."
            ),
        ),
    ),
    (
        (
            "Was kostet uns das pro Wohnung, wenn es acht sind?",
            "Progress: Pro Wohnung kostet das bei acht Wohnungen 268,75 Euro.",
        ),
        (
            "Schreib den Aushang für die Mieter.",
            "Progress: Liebe Mieter,\nab dem 4. August streicht Malerei Quint das Treppenhaus.\nDie Hausverwaltung",
        ),
        (
            "Schreib den Aushang für die Mieter.",
            (
                "Pending user request: Schreib den Aushang für die Mieter.\n\nAb dem 4. August streicht Quint das "
                "Treppenhaus, im dritten Stock erst ab 16 Uhr."
            ),
        ),
        (
            "Wie lange dauert die Garantie auf den Anstrich?",
            "Progress: Auf den Anstrich gilt eine Garantie von fünf Jahren.",
        ),
    ),
    (
        "Malerei Quint ist für 2.150 Euro beauftragt und beginnt am 4. August. Im dritten Stock erst ab 16 Uhr.",
        "Auftrag A-5518 ist bestätigt. Den Schlüssel zum Keller hat Frau Adler.",
    ),
)
CANTINA = Story(
    (
        user("Organizziamo la degustazione in cantina. Non più di trenta persone, lo dicono i pompieri."),
        assistant("Al massimo trenta persone. Quali vini apriamo?"),
        user("Il Falerno e il bianco di Ponza. Guarda quante bottiglie ci restano."),
        assistant("", call("1", "magazzino", vini=["Falerno", "Ponza"])),
        result("1", "Falerno: 18 bottiglie, 14 euro\nBianco di Ponza: 11 bottiglie, 9 euro"),
        assistant("Restano 18 bottiglie di Falerno a 14 euro e 11 di bianco di Ponza a 9 euro."),
        user(
            "Apriamo solo il Falerno, il bianco lo teniamo per il matrimonio di Lucia. La data è il 12 ottobre."
        ),
        assistant("Solo Falerno il 12 ottobre; il bianco resta per il matrimonio di Lucia."),
    ),
    (
        "Goal: Organizzare la degustazione in cantina.",
        "Constraints & preferences: Non più di trenta persone, per i pompieri.",
        "Progress: In magazzino ci sono 18 bottiglie di Falerno e 11 di bianco di Ponza.",
        "Decisions: Si apre solo il Falerno; il bianco serve per il matrimonio di Lucia.",
    ),
    (
        (
            "Scrivi l'invito per i soci.",
            (
                "Cari soci,\n\nvi aspettiamo in cantina il 12 ottobre per la degustazione del Falerno. Non più di "
                "trenta persone!\n\nUn caro saluto"
            ),
        ),
        ("Quanto costa aprire tutte le bottiglie?", "Aprire tutte le bottiglie costa 351 euro."),
    ),
    (
        ("Quanto costa aprire tutte le bottiglie?", "Progress: Aprire tutte le bottiglie costa 351 euro."),
        (
            "Scrivi l'invito per i soci.",
            "Progress: Cari soci,\nla degustazione è il 12 ottobre in cantina.\nIl presidente",
        ),
    ),
    (
        "Si apre solo il Falerno, 18 bottiglie; il bianco resta per il matrimonio. Degustazione il 12 ottobre.",
    ),
)
SHOP = Story(
    (
        user("帮我准备周六的旧书市集。摊位不能放在楼梯口，消防的人说过。"),
        assistant("好的，摊位不放在楼梯口。一共有多少本书？"),
        user("查一下仓库的清单，顺便看看小说有多少本。"),
        assistant("", call("1", "read_list", place="仓库")),
        result("1", "小说 260 本\n画册 45 本\n字典 12 本"),
        assistant("仓库里有小说 260 本、画册 45 本、字典 12 本。"),
        user("字典不卖，留给学校。小说每本十元，画册由老周定价。"),
        assistant("明白，字典留给学校，小说每本十元，画册等老周定价。"),
    ),
    (
        "Goal: 准备周六的旧书市集。",
        "Constraints & preferences: 摊位不能放在楼梯口。",
        "Progress: 仓库里有小说 260 本、画册 45 本。",
        "Decisions: 字典不卖，留给学校。",
        "Open tasks: 画册等老周定价。",
    ),
    (
        (
            "给志愿者写一封通知。",
            "各位志愿者：\n\n周六的旧书市集需要大家早上八点到场帮忙搬书，请穿舒适的鞋子，中午提供盒饭和饮料。\n\n谢谢大家",
        ),
        ("怎样吸引更多年轻人来？", "可以在短视频平台发布预告，设置拍照打卡墙，并邀请乐队现场演奏暖场。"),
    ),
    (("全部卖掉能收入多少钱？", "Progress: 小说全部卖掉能收入 2600 元。"),),
    ("周六的旧书市集：小说 260 本，每本十元；字典留给学校，画册由老周定价。",),
)
STORIES = (CHOIR, HAUS, CANTINA, SHOP)
