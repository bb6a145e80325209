"""English in questions: words without content, irregular forms, and near synonyms.

The lists are short and general on purpose. A missing word costs a little recall; a wrong one costs more.
"""

from __future__ import annotations

from collections.abc import Mapping

STOP_WORDS = frozenset(
    """
    a about after again all also am an and any anyone anything are aren as at be because been before being both but by
    can cannot could couldn d did didn do does doesn doing don done during each either else ever every few for from
    had hadn has hasn have haven having he her here hers herself him himself his how i if in into is isn it its itself
    just ll m many may me might mine more most much must my myself no nor not of off on once one only or other our ours
    out over own please re really s same shall she should shouldn so some someone something such t tell than that the
    their theirs them themselves then there these they this those through to too under until up us ve very was wasn we
    were weren what when where which while who whom whose why will with won would wouldn yes yet you your yours yourself
    kind sort type does anybody currently likely remember mention mentioned say said
    now nowadays anymore lately recently
    """.split()
)

DOINGS = frozenset(
    """
    activity anything ask chat chats conversation conversations day days discuss discussed discussion everything happen
    happened happening message messages session sessions speak spoke spoken stuff talk talked talking tell told thing
    things thought think topic topics work worked working write wrote written

    besprochen erzahlt gearbeitet gemacht geredet gesagt geschrieben gesprochen los passiert
    dicho dije dijo dijimos hablado hablamos hecho hice hicimos ocurrio pasado paso
    discute discutions dit fait parle parlions passe
    detto discusso fatto parlato scritto successo
    aconteceu disse dissemos falamos falei fiz fizemos
    besproken gebeurd gedaan gepraat geschreven gesproken gezegd
    """.split()
)
"""Words that only say that something was said or done, without accents; next to a time they restrict nothing."""

_FORMS = """
    am:is:are:was:were:been begin:began:begun break:broke:broken bring:brought build:built buy:bought catch:caught
    choose:chose:chosen come:came do:did:done draw:drew:drawn dream:dreamt drink:drank:drunk drive:drove:driven
    eat:ate:eaten fall:fell:fallen feel:felt fight:fought find:found fly:flew:flown forget:forgot:forgotten
    freeze:froze:frozen get:got:gotten give:gave:given go:went:gone grow:grew:grown hang:hung hear:heard hide:hid:hidden
    hold:held keep:kept know:knew:known lead:led learn:learnt leave:left lend:lent lose:lost make:made mean:meant
    meet:met pay:paid ride:rode:ridden ring:rang:rung rise:rose:risen run:ran see:saw:seen sell:sold send:sent
    shoot:shot show:shown sing:sang:sung sink:sank:sunk sit:sat sleep:slept speak:spoke:spoken spend:spent
    stand:stood steal:stole:stolen stick:stuck swim:swam:swum take:took:taken teach:taught tell:told think:thought
    throw:threw:thrown understand:understood wake:woke:woken wear:wore:worn win:won write:wrote:written
    child:children man:men woman:women person:people foot:feet tooth:teeth mouse:mice wife:wives life:lives
    leaf:leaves shelf:shelves half:halves knife:knives better:best:good worse:worst:bad
    paint:painting:painted die:died:dying:death marry:married:marriage choose:choice decide:decision
    lie:lay:lain analyze:analyse behaviour:behavior colour:color favourite:favorite centre:center organise:organize
    theatre:theater neighbour:neighbor grey:gray
    advise:advice analyze:analysis apply:application arrive:arrival believe:belief clear:clarify compare:comparison
    depart:departure describe:description destroy:destruction explain:explanation expose:exposure fail:failure
    grow:growth lose:loss maintain:maintenance permit:permission please:pleasure prove:proof receive:reception
    sell:sale sign:signature simple:simplify speak:speech succeed:success
    absorb:absorption acquire:acquisition admit:admission assume:assumption bury:burial classify:classification
    collide:collision compete:competition:competitor conclude:conclusion consume:consumption convert:conversion
    deceive:deception defend:defense:defence deny:denial diagnose:diagnosis divide:division enter:entry:entrance
    exclude:exclusion expand:expansion extend:extension fly:flight identify:identification include:inclusion
    intend:intention introduce:introduction invade:invasion judge:judgment:judgement justify:justification
    know:knowledge modify:modification notify:notification offend:offense:offence omit:omission oppose:opposition
    perceive:perception persuade:persuasion prescribe:prescription pronounce:pronunciation qualify:qualification
    reduce:reduction repeat:repetition resolve:resolution respond:response satisfy:satisfaction solve:solution
    submit:submission subscribe:subscription suspend:suspension transmit:transmission vary:variation
    verify:verification weigh:weight
    hour:hourly day:daily week:weekly month:monthly year:yearly:annual:annually
    accurate:accuracy anxious:anxiety brave:bravery curious:curiosity difficult:difficulty fluent:fluency
    frequent:frequency generous:generosity honest:honesty loyal:loyalty patient:patience pregnant:pregnancy
    private:privacy safe:safety silent:silence urgent:urgency violent:violence
    angry:anger beautiful:beauty dangerous:danger deep:depth free:freedom healthy:health high:height hungry:hunger
    long:length poor:poverty proud:pride strong:strength warm:warmth wide:width wise:wisdom young:youth
    music:musician:musical science:scientist:scientific photographer:photography art:artist:artistic piano:pianist
    guitar:guitarist violin:violinist novel:novelist politics:political:politician history:historical nature:natural
    religion:religious friend:friendship relation:relationship child:childhood leader:leadership member:membership
    africa:african america:american australia:australian brazil:brazilian canada:canadian china:chinese
    england:english europe:european france:french germany:german greece:greek india:indian ireland:irish italy:italian
    japan:japanese korea:korean mexico:mexican netherlands:dutch portugal:portuguese russia:russian spain:spanish
    sweden:swedish switzerland:swiss thailand:thai
    television:tv bicycle:bike refrigerator:fridge veterinarian:vet advertisement:ad information:info
    grandmother:grandma grandfather:grandpa christmas:xmas sister:sis brother:bro laboratory:lab mathematics:math
    repository:repo database:db environment:env documentation:docs parameter:param argument:arg variable:var
    administrator:admin dependency:deps specification:spec implement:implementation:impl production:prod
"""

SYNONYM_GROUPS = """
    photo:picture:pic:image:photograph:snapshot job:work:career:occupation:profession movie:film
    kid:child:son:daughter parent:mom:dad:mother:father mom:mother:mum dad:father buy:purchase:get:pick begin:start
    start:launch:open finish:complete:end begin:start happy:glad:joy:thrilled big:large:huge fun:enjoy
    enjoy:love:like prefer:favorite hobby:activity:interest spouse:husband:wife:partner doctor:physician
    car:vehicle house:home apartment:flat:home city:town country:nation shop:store:mall food:meal:dish cook:bake:recipe
    trip:travel:vacation:holiday:journey visit:go:travel pet:dog:cat:puppy:kitten dog:puppy:pup cat:kitten
    sport:game:match exercise:workout:gym:fitness run:race:marathon book:novel:read author:writer draw:sketch:paint
    paint:art:artwork music:song:band:tune instrument:guitar:piano:violin concert:show:gig:performance
    dance:dancing friend:buddy:pal couple:partner date:dating study:learn:class:course teach:teacher:lesson
    school:college:university:campus degree:major:diploma test:exam help:support:assist volunteer:charity
    money:fund:finance:budget price:cost:fee salary:pay:income age:old:year name:call birthday:born
    sick:ill:disease injury:injure:hurt stress:anxiety:worry calm:relax:peace:unwind win:award:prize:trophy
    gift:present receive:get give:donate make:create:build plan:intend:going hope:goal:dream:aim want:wish:hope
    problem:issue:challenge:trouble:difficulty:obstacle error:bug:failure:fault fix:repair:solve:resolve
    delete:remove:drop change:update:edit:modify config:configuration:setting folder:directory function:method
    meet:encounter talk:chat:discuss:speak suggest:recommend:advise:recommendation:advice:suggestion
    think:believe:opinion
    live:reside:stay move:relocate company:business:startup boss:manager colleague:coworker:teammate
    nature:outdoors:hike:park hike:trail:hiking camp:camping beach:ocean:sea:coast forest:wood tree:plant flower:garden
    snack:treat drink:beverage inspire:motivate:inspiration:motivation event:conference:meeting
    party:celebrate:celebration
    wedding:marry family:relative kind:type allergy:allergic damage:broken:destroy
    difficult:hard:tough easy:simple near:close area:place:spot:location phone:cell:mobile number:digit
    computer:laptop:pc
    device:gadget brand:company design:designer online:internet:web video:clip channel:vlog:youtube
"""


def _irregular() -> Mapping[str, str]:
    """Yield each irregular form and the form it is folded to."""
    found: dict[str, str] = {}
    for group in _FORMS.split():
        first, *others = group.split(":")
        for other in others:
            found.setdefault(other, first)
    return found


def _synonyms() -> Mapping[str, tuple[str, ...]]:
    """Yield each word and its near synonyms."""
    found: dict[str, dict[str, None]] = {}
    for group in SYNONYM_GROUPS.split():
        words = group.split(":")
        for word in words:
            found.setdefault(word, {}).update(dict.fromkeys(other for other in words if other != word))
    return {word: tuple(others) for word, others in found.items()}


def _forms() -> Mapping[str, tuple[str, ...]]:
    """Yield each base form and its irregular ones."""
    found: dict[str, list[str]] = {}
    for form, first in IRREGULAR.items():
        found.setdefault(first, []).append(form)
    return {first: tuple(forms) for first, forms in found.items()}


IRREGULAR = _irregular()
FORMS = _forms()
SYNONYMS = _synonyms()
