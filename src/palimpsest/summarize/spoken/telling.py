"""How it is told that a deed is done, due, not so yet, let, or waits for something: of whatever deed."""

from __future__ import annotations

import re

from palimpsest.patterns import later

ASPECT = later(
    r"已经?|曾经?|被|完成|完毕|处于|正在|现在|目前|[需须]要?|应该?|必须|将(?:要|会)?|计划|决定|打算|状态|成功|得到|(?<=[\u3400-\u9fff])[了过掉]|"
    r"済み?|完了|予定|決定|必要|状態|実施|"
    r"(?<=[가-힣])(?:하|되|됐|했|됨|함|한|된|될|할|돼|해|하였|되었)[가-힣]{0,7}(?![가-힣])|"
    r"(?<=[가-힣])(?:에서|으로|에게|께서|님이|님은|님의|님|은|는|이|가|을|를|의|에|로|와|과|도|만|께)(?![가-힣])|"
    r"(?<![가-힣])(?:완료|예정|상태|결정|있|받)[가-힣]{0,3}(?![가-힣])"
)
"""What in scripts without spaces only tells that a deed is done, due or so."""
AUXILIARY = frozenset(
    """
    has have had hat haben hatte ha hanno ont han há tem heeft hebben be been being get gets got must made make
    makes done do does did shall should will would
    need needs needed now already still ready set planned plan decided decision there favour favor
    wird werden wurde wurden worden muss müssen soll sollen sollte zu erfolgt erledigt gemacht bereits schon jetzt nun
    geplant bereit zugunsten liegt vor
    est sont été être doit doivent faut fait faite faites faire déjà maintenant prévu prévue prêt prête profit
    es son fue fueron sido ser está están queda quedan debe deben hay hecho hecha hacer ya ahora previsto prevista favor
    è sono stato stata stati state essere va vanno viene vengono deve devono da fatto fatta fare già ora adesso previsto
    prevista pronto pronta favore si
    foi foram sido ser está estão fica ficam deve devem feito feita fazer já agora pronto
    wordt worden werd werden moet moeten zal gedaan maken al nu klaar
    jest są został została zostało zostały zostać musi muszą należy zrobiono zrobić już teraz gotowe
    был была было были быть будет будут должен должна должно должны нужно надо сделан сделана сделано сделать уже теперь
    пользу есть
    """.split()
)
LETS = later(
    r"\b(?:approv|agree|consent|authori[sz]|permit|sign(?:ed|ature|s\b|é)|confirm|conferm|genehmig|zugestimmt|einverst|freigegeb|"
    r"unterschr|unterzeichn|bestätig|accord|firm(?:at|ó|ad|ar|a\b|e\b)|sottoscr|aprob|aprov|autoriz|acept|aceit|concord|zgod|approvat|"
    r"accett|assin(?:ou|ad|atura)|getekend|ondertek|bevestig|goedgekeurd|akkoord|podpisa|potwierdz|zatwierdz|zgodz|"
    r"подпис|подтверд|одобр|соглас|разреш)|签[字署名]|确认|同意|批准|授权|許可|承認|確認|署名|了承|同意|서명|확인|승인|동의|허가|결재",
    re.IGNORECASE,
)
"""How it is told that somebody lets something be done, or has put his name to it."""
LETTING = later(rf"(?:{LETS.pattern})[^\W\d_\u3040-\uffff]*", re.IGNORECASE)
"""The whole of the word by which it is told."""
NOT_SO = later(
    r"\b(?:not yet|(?:has|have|had|is|are|was|were)(?: not|n['’]t)|yet to|noch (?:nicht|kein\w*)|"
    r"(?:hat|haben|ist|sind|wurden?)\b[^.;]{0,40}? nicht|(?:ne |n['’])\w+ pas|pas encore|non (?:ha|hanno|è|sono)|"
    r"non [^.;]{0,24}ancora|no (?:ha|han|fue|está|se ha)|(?:todavía|aún) no|não (?:foi|está|\w+ou)|ainda não|"
    r"nog niet|niet ge\w+|(?:jeszcze )?nie (?:został\w*|jest|\w+ł[ao]?)|(?:ещё )?не \w+)\b|"
    r"[还尚]没|尚未|未(?!来)|没有?|まだ|ない|ません|なかった|아직|않|못|없",
    re.IGNORECASE,
)
"""How it is told that something is not so."""
NO_BEHIND = later(r"[\u3040-\u30ff않못없]")
"""A no that stands behind its verb."""
STAYS = later(
    r"\b(?:stays?|remains?|kept|keeps?|waits?|waiting|awaits?|bleib\w+|warte[nt]?|rest(?:e|ent|a|ano)|attend\w*|"
    r"riman\w+|aspett\w+|se mantiene\w*|sigue[n]?|espera\w*|continua\w*|mantém|aguarda\w*|blij\w+|wacht\w*|"
    r"pozosta\w+|czeka\w*|оста[её]\w+|жд[её]т|ждут)\b|等待|保留|保持|待[ちっ]|のまま|残|기다|그대로|유지",
    re.IGNORECASE,
)
"""How it is told that something is as it was, or waits."""
GATES = later(
    r"\b(?:(?:needs?|needed|required|requires?|wait(?:s|ing)?|awaits?) (?:for )?|braucht|brauchen|nötig|warte[nt]?|"
    r"faut|attend\w*|serve|servono|occorre|aspett\w+|falta|necesita\w*|requier\w+|espera\w*|precisa\w*|aguarda\w*|"
    r"nodig|wacht\w*|potrzeb\w+|czeka\w*|нужн\w*|hace|any|every|each|jede[nrsm]?|tout|ogni|cualquier|qualquer|elke|każd\w+|любо\w+|жд[её]т|ждут|требует\w*)\b|等待|需要|必要|待[ちっ]|필요|기다",
    re.IGNORECASE,
)
"""How a ban that holds until something is there is told without a no."""
REJECTED = later(
    r"\b(?:rul(?:e|ed|ing) (?:\w+ ){0,4}out|reject(?:s|ed)?|discard(?:s|ed)?|dismiss(?:es|ed)?|dropped|"
    r"abandon(?:s|ed)?|decid(?:e|ed) against|g(?:ave|iven) up|not (?:taken|chosen|used)|"
    r"verworfen|abgelehnt|ausgeschlossen|rejetée?s?|"
    r"écartée?s?|exclue?s?|descartad[oa]s?|rechazad[oa]s?|rejeitad[oa]s?|scartat[oaie]|esclus[oaie]|verworpen|afgewezen|"
    r"odrzucon\w*|отвергнут\w*|отклон[её]н\w*)\b|排除|放弃|否决|拒绝|却下|除外|見送|배제|기각",
    re.IGNORECASE,
)
"""How it is told that something was given up."""
BESIDES = later(
    r"\b(?:now|were|was|has been|have been|jetzt|wurden?|werden|nun|ont été|maintenant|se|ahora|fueron|ora|agora|"
    r"foram|теперь)\b|现在|今は|이제",
    re.IGNORECASE,
)
"""What shows a deed of another verb's beside such a word: "rejected readings were written"."""
INSTEAD = later(
    r"(?:^|(?<=\s))(?:instead of|rather than|in place of|anstatt|anstelle|an stelle|statt|"
    r"au lieu d(?:e|u|es)?|plutôt qu[e']|en lugar de|en vez de|invece d[ei]\w{0,3}|anziché|piuttosto che|em vez de|"
    r"ao invés de|in plaats van|zamiast|вместо)(?![^\W\d_])['’]?|而不是|而非|不用",
    re.IGNORECASE,
)
INSTEAD_BEHIND = later(r"の代わりに|ではなく|じゃなく|대신에?|말고")
"""What stands before what something was taken instead of, or behind it."""
ALL_DONE = later(
    r"\b(?:(?:everything|all(?: of)?(?: the| our)?(?: \w+)? (?:work|tasks?|steps?|items?|todos?)|"
    r"every (?:task|step|item)|the (?:whole |entire )?(?:work|task|job)) "
    r"(?:is|are|was|were|has been|have been) (?:now |all |fully |already )?"
    r"(?:done|complete[d]?|finished)|"
    r"(?:alles|alle (?:aufgaben|arbeiten|schritte)) (?:ist|sind|wurden?) (?:\w+ )?(?:erledigt|fertig|abgeschlossen)|"
    r"tout (?:est|a été) (?:fait|terminé|fini)|toutes les tâches (?:sont|ont été) \w+|"
    r"todo (?:está|ha sido|quedó) (?:hecho|terminado|listo|completado)|todas las tareas (?:están|fueron|han sido) \w+|"
    r"tudo (?:está|foi) (?:feito|concluído|pronto)|todas as tarefas (?:estão|foram) \w+|"
    r"tutto (?:è|è stato) (?:fatto|finito|completato)|tutt[ei] (?:i|le) (?:compiti|attività) sono \w+|"
    r"alles is (?:klaar|gedaan|af)|alle taken zijn \w+|wszystko (?:jest )?(?:gotowe|zrobione)|"
    r"wszystkie zadania (?:są|zostały) \w+|всё (?:сделано|готово|выполнено)|"
    r"все задачи (?:выполнены|завершены|сделаны))\b|"
    r"(?:所有|全部)[^。，\n]{0,8}?(?:已|都)?(?:完成|做完)(?!后|之后|前)|"
    r"(?:すべて|全て|全部)(?:の[^。、\n]{1,8})?[がは]?(?:完了|終わり|終了)|작업(?:이|은)? 모두 (?:완료|끝)|"
    r"모든 (?:작업|일)[^.\n]{0,4}(?:완료|끝)",
    re.IGNORECASE,
)
"""How it is told that nothing is left to do."""
NOTHING_OPEN = later(
    r"^\W{0,4}(?:(?:there (?:is|are) )?(?:nothing|no (?:tasks?|points?|items?|questions?))"
    r"(?: (?:is|are|remains?))?(?: (?:left|open|pending|outstanding|to (?:be )?do(?:ne)?))+|"
    r"(?:there are )?no open (?:tasks?|points?|items?|questions?)|"
    r"(?:the )?work is (?:complete|done|finished)|"
    r"(?:es )?(?:ist |bleibt )?nichts(?: mehr)? (?:ist |bleibt )?(?:mehr )?(?:offen|übrig|zu tun)|keine offenen \w+|"
    r"(?:il ne reste |il n['’]y a )?rien (?:n['’]est |ne reste )?(?:à faire|ouvert|en suspens)|"
    r"(?:no queda |no hay )?nada (?:queda )?(?:pendiente|por hacer)|no (?:queda|hay) nada (?:pendiente|por hacer)|"
    r"non (?:resta|c['’]è) (?:niente|nulla) (?:da fare|in sospeso)|nada (?:está )?(?:pendente|por fazer))\W{0,3}$|"
    r"^\W{0,4}(?:没有(?:任何)?(?:未完成|待办|遗留)[^。]{0,8}|未完了の[^。]{0,8}(?:ない|ありません)|残り(?:は|の作業は)(?:ない|ありません)|"
    r"남은 (?:일|작업)[^.]{0,4}없)",
    re.IGNORECASE,
)
"""How a whole line tells that nothing is open."""
ALL_WELL = later(
    r"^\W{0,4}(?:everything|all) (?:went|ran|worked|goes) (?:smoothly|well|fine|without (?:errors?|problems?))|"
    r"^\W{0,4}(?:there were )?no (?:errors?|failures?|problems?)(?: (?:occurred|were (?:seen|found)|so far))?\W{0,3}$|"
    r"^\W{0,4}(?:alles lief (?:glatt|gut|problemlos)|(?:es gab )?keine (?:fehler|probleme))\W{0,3}$|"
    r"^\W{0,4}(?:tout s['’]est bien passé|aucune? (?:erreur|problème))\W{0,3}$|"
    r"^\W{0,4}(?:todo (?:salió|fue) bien|(?:no hubo|sin) (?:errores|problemas))\W{0,3}$|"
    r"^\W{0,4}(?:一切顺利|没有(?:任何)?(?:错误|问题)|エラーは(?:なかった|ありません)|問題なく(?:進|終)\S{0,6})[。.]?\s*$",
    re.IGNORECASE,
)
"""How a whole line tells that nothing failed."""
