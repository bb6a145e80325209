"""What is said in the coaching of `recall_made_other.py`: pages on a subject, lines that tell, in three languages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Language:
    """Subjects, what a coach explains and a pupil asks of them, and (what the pupil tells, the question for it)."""

    name: str
    subjects: Sequence[str]
    coach: tuple[str, ...]
    pupil: tuple[str, ...]
    facts: tuple[tuple[str, str], ...]


def _pairs(text: str) -> tuple[tuple[str, str], ...]:
    rows = (line.split("|") for line in text.strip().splitlines())
    return tuple((told, question) for told, question in rows)


GERMAN = Language(
    "de",
    (
        "Atmung Haltung Rhythmus Gehör Tonleiter Fingersatz Takt"
        " Ausdruck Pause Lautstärke Vorspiel Noten Übung Hund Arbeit"
    ).split(),
    (
        "Achten Sie zuerst auf die {a}, denn ohne sie leidet auch die {b}.",
        "Wer die {a} jeden Tag zehn Minuten übt, hört bald, wie sich die {b} verändert.",
        "Wo die {a} herkommt, ist nicht so wichtig wie die Frage, wann Sie an der {b} arbeiten.",
        "Viele meiner Schüler haben in der Schule gelernt, dass {a} und {b} zusammengehören.",
        "Wie heißt das Stück, in dem die {a} am schwersten ist? Meistens liegt es an der {b}.",
        "Im letzten Jahr habe ich erlebt, wie viel die {a} ausmacht, wenn die {b} stimmt.",
        "Machen Sie eine Pause, gehen Sie mit dem Hund hinaus und hören Sie die {b} im Kopf.",
        "Was die {a} kostet, ist Zeit; was sie bringt, merken Sie bei der {b}.",
    ),
    (
        "Wie verbessere ich die {a}?",
        "Können wir heute an der {a} und an der {b} arbeiten?",
        "Ich verstehe die {a} noch nicht.",
        "Was sage ich meiner Familie, wenn ich wieder die {b} übe?",
    ),
    _pairs(
        """
Übrigens heißt unser neuer Hund Krümel.|Wie haben wir unseren Hund genannt?
Meine Schwester wohnt seit Mai in Hohenfelde.|In welchem Ort lebt meine Schwester?
Ich habe das Klavier für 840 Euro von einer Nachbarin gekauft.|Wie viel habe ich für das Klavier bezahlt?
Am Dienstag fange ich in der Apotheke an.|Wo ist meine neue Arbeitsstelle?
Mein Vater hat früher Geigen gebaut.|Was war der Beruf meines Vaters?
Wegen meiner Erdnussallergie bringe ich den Kuchen selbst mit.|Wogegen bin ich allergisch?
Mein Zug geht jetzt immer um 17:52.|Um wie viel Uhr fährt mein Zug?
Im Herbst fliege ich mit Jannik nach Lappland.|Mit wem reise ich nach Lappland?
Mein Sohn ist gestern sieben geworden.|Wie alt ist mein Sohn?
Ich esse seit Neujahr kein Fleisch mehr.|Seit wann bin ich Vegetarier und esse kein Fleisch?
Das Vorspiel ist auf den 14. Juni verlegt worden.|Wann findet das Vorspiel statt?
Mein Lieblingsstück ist immer noch der Walzer in a-Moll.|Welches Stück mag ich am liebsten?
Beim Umzug ist die blaue Lampe zerbrochen.|Was ging beim Umzug kaputt?
Ich habe mir beim Klettern das Handgelenk verstaucht.|Wie habe ich mich am Handgelenk verletzt?
Meine Lehrerin in der Grundschule war Frau Lindqvist.|Wie hieß meine Grundschullehrerin, die Lehrerin in der Schule?
Wir haben den Keller in ein Übungszimmer verwandelt.|Wozu dient unser Keller?
Ich stehe wegen der Bäckerei um vier Uhr auf.|Wann stehe ich morgens auf?
Mein Auto habe ich gegen ein Lastenrad getauscht.|Was habe ich für mein Auto bekommen?
Der Chor probt nun im alten Feuerwehrhaus.|Wo sind die Proben des Chors?
Zum Geburtstag bekam ich eine Mundharmonika.|Was wurde mir zum Geburtstag geschenkt?
"""
    ),
)

SPANISH = Language(
    "es",
    (
        "respiración postura velocidad fuerza técnica calma resistencia"
        " salida llegada ruta meta rutina carrera comida"
    ).split(),
    (
        "Primero cuida la {a}, porque sin ella también sufre la {b}.",
        "Quien practica la {a} diez minutos cada día nota pronto cómo cambia la {b}.",
        "No importa de dónde viene la {a}, sino cuándo trabajas la {b}.",
        "Muchos de mis alumnos aprendieron en la escuela que la {a} y la {b} van juntas.",
        "¿Cómo se llama el ejercicio en el que la {a} es más difícil? Casi siempre es por la {b}.",
        "El año pasado vi cuánto cuenta la {a} cuando la {b} está bien.",
        "Haz una pausa, come algo con tu familia y piensa en la {b}.",
        "Lo que cuesta la {a} es tiempo; lo que da lo verás en la {b}.",
    ),
    (
        "¿Cómo mejoro la {a}?",
        "¿Podemos trabajar hoy la {a} y la {b}?",
        "Todavía no entiendo la {a}.",
        "¿Qué hago si me falta la {b} al final?",
    ),
    _pairs(
        """
Por cierto, mi gata nueva se llama Canela.|¿Qué nombre le puse a mi gata?
Mi hermano vive desde mayo en Villarrubio.|¿En qué ciudad vive mi hermano?
Compré las zapatillas por 95 euros en el mercado.|¿Cuánto pagué por mis zapatillas?
El lunes empiezo a trabajar en la farmacia.|¿Dónde está mi nuevo trabajo?
Mi madre era piloto de avionetas.|¿A qué se dedicaba mi madre?
Soy alérgico a las nueces, así que llevo mi propia merienda.|¿A qué tengo alergia?
Ahora mi tren sale a las 17:52.|¿A qué hora sale mi tren?
En otoño viajo con Leandro a Laponia.|¿Con quién viajo a Laponia?
Mi hija cumplió siete ayer.|¿Cuántos años tiene mi hija?
No como carne desde Año Nuevo.|¿Desde cuándo no como carne?
La carrera se aplazó al 14 de junio.|¿Cuándo es la carrera?
Mi canción favorita para correr sigue siendo el vals de la abuela.|¿Qué canción me gusta más para correr?
En la mudanza se rompió la lámpara azul.|¿Qué se rompió cuando nos mudamos?
Me torcí la muñeca escalando.|¿Cómo me lesioné la muñeca?
Mi entrenadora de niño fue la señora Lindqvist.|¿Quién me entrenaba de pequeño?
Convertimos el sótano en un gimnasio.|¿Para qué usamos el sótano?
Me levanto a las cuatro por la panadería.|¿A qué hora me levanto?
Cambié el coche por una bicicleta de carga.|¿Por qué cambié mi coche?
El club se reúne ahora en el antiguo molino.|¿Dónde son las reuniones del club?
Por mi cumpleaños me regalaron una brújula.|¿Qué me regalaron en mi cumpleaños?
"""
    ),
)

CHINESE = Language(
    "zh",
    "呼吸 姿势 节奏 听力 速度 手法 力量 心态 休息 音量 表演 练习 家人 工作 作息".split(),
    (
        "首先要注意{a}，因为没有它，{b}也会受影响。",
        "每天练习{a}十分钟的人，很快就会发现{b}在变化。",
        "{a}从哪里来并不重要，重要的是你什么时候练{b}。",
        "我的很多学生在学校里学到，{a}和{b}是分不开的。",
        "哪一首曲子里{a}最难？多半是因为{b}。",
        "去年我看到，只要{b}对了，{a}能起多大的作用。",
        "先休息一下，和家人散散步，在心里想一想{b}。",
        "{a}花的是时间，它带来什么，你会在{b}上看到。",
    ),
    ("怎样提高{a}？", "今天可以练{a}和{b}吗？", "我还不明白{a}。", "如果我在家里练{b}，要注意什么？"),
    _pairs(
        """
对了，我们新养的小狗叫豆包。|我们家的狗叫什么名字？
我妹妹五月搬到了青溪镇。|我妹妹现在住在哪里？
那架钢琴是我花八千四百块从邻居那里买的。|我买钢琴花了多少钱？
下周二我开始在药房上班。|我的新工作在哪里？
我爸爸以前是做小提琴的。|我父亲的职业是什么？
我对花生过敏，所以蛋糕我自己带。|我对什么过敏？
我的火车现在都是17点52分开。|我的火车几点开？
秋天我要和建宁一起去北海道。|我和谁去北海道？
我儿子昨天满七岁了。|我儿子几岁了？
我从元旦起就不吃肉了。|我什么时候开始不吃肉？
汇报演出改到六月十四号了。|汇报演出是哪一天？
我最喜欢的还是那首圆舞曲。|我最喜欢哪首曲子？
搬家的时候那盏蓝色的灯摔碎了。|搬家时什么东西坏了？
我爬山的时候扭伤了手腕。|我的手腕是怎么受伤的？
我小学的老师姓欧阳。|我小学老师姓什么？
我们把地下室改成了琴房。|我家地下室用来做什么？
因为面包店，我每天四点起床。|我每天几点起床？
我用车换了一辆三轮自行车。|我用车换了什么？
合唱团现在在旧消防站排练。|合唱团在哪里排练？
生日的时候他们送了我一支口琴。|我生日收到了什么礼物？
"""
    ),
)

LANGUAGES = (GERMAN, SPANISH, CHINESE)
