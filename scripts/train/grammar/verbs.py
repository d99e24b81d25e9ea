"""Verbs: English and French forms and the classes of their subjects and objects.

``base[/past[/participle[/-ing form]]] [particle] | infinitive [preposition] | subject classes |
object classes | flags``. Flags: ``state`` (the past is an imparfait), ``plain`` (no progressive),
``generic`` (a bare object is a whole kind: I like cats -> J'aime les chats), ``to`` (a recipient).
"""

from dataclasses import dataclass

from . import english

TABLE = """
admire | admirer | person | person place ground story | state plain
arrest | arrêter | person | thief
ask | poser | person | question
answer | répondre à | person | question
believe | croire | person | person story
borrow | emprunter | person | object text
change | changer | person | story
cook | cuisiner | person | food
cut/cut/cut/cutting | couper | person | food
draw/drew/drawn | dessiner | person | animal object place nature
explain | expliquer | person | matter
finish | finir | person | text story matter homework
fix | réparer | person | object vehicle
get/got/got/getting | recevoir | person | letter gift message email
give/gave/given back | rendre | person | object text
hit/hit/hit/hitting | frapper | animate | animate object
hold/held | tenir | person | object
invent | inventer | person | game story song
invite | inviter | person | person
keep/kept | garder | animate | object animal
kill | tuer | animate | animal
kiss | embrasser | person | person
leave/left | quitter | person | place person
learn | apprendre | person | language | generic
miss | rater | person | bus train plane
order | commander | person | food drink
paint | peindre | person | object place animal
pay/paid | payer | person | person
pick up | ramasser | person | object food
play | jouer à | person | game
prepare | préparer | person | food trip party meeting
put/put/put/putting on | mettre | person | clothing
receive | recevoir | person | letter gift message email
remember | se souvenir de | person | person place story object event | state plain
repeat | répéter | person | word question
smell | sentir | animate | food flower | plain
speak/spoke/spoken | parler | person | language | without
start | commencer | person | matter text homework
steal/stole/stolen | voler | person | object food vehicle
study | étudier | person | language | generic
thank | remercier | person | person
throw/threw/thrown away | jeter | person | object food
try | essayer | person | clothing
turn off | éteindre | person | lamp television radio computer
turn on | allumer | person | lamp television radio computer
use | utiliser | person | object
win/won/won/winning | gagner | person | game trophy
bite/bit/bitten | mordre | animal | animate
break/broke/broken | casser | animate | object
bring/brought | apporter | person | food drink object
build/built | construire | person | built
buy/bought | acheter | person | food drink object vehicle place
call | appeler | person | person
carry | porter | person | object food
catch/caught | attraper | animate | animal ball
chase | poursuivre | animate | animate vehicle
choose/chose/chosen | choisir | person | food drink object story
clean | nettoyer | person | object place
close | fermer | person | openable container
cross | traverser | animate vehicle | path city forest garden
drink/drank/drunk | boire | animate | drink
drive/drove/driven | conduire | person | vehicle
eat/ate/eaten | manger | animate | food
find/found | trouver | animate | animate object food
follow | suivre | animate | animate vehicle path
forget/forgot/forgotten/forgetting | oublier | person | object text
hate | détester | animate | animate thing | state plain generic
have/had | avoir | person | animal kin object vehicle place | state plain
hear/heard | entendre | animate | animate vehicle song music | plain
help | aider | animate | animate
hide/hid/hidden | cacher | animate | object food
know/knew/known | connaître | person | person place song story | state plain
like | aimer | animate | animate thing | state plain generic
listen to | écouter | person | listen person
look at | regarder | animate | animate thing
look for | chercher | animate | animate object food
lose/lost | perdre | person | object animal
love | adorer | animate | animal thing | state plain generic
love | aimer | person | person | state plain
make/made | préparer | person | cake soup coffee tea pizza
meet/met | rencontrer | person | animate
need | avoir besoin de | person | object vehicle food drink kin | state plain
open | ouvrir | person | openable container
prefer/preferred | préférer | animate | animal food drink story place | state plain generic
pull | tirer | animate | object vehicle
push | pousser | animate | animate object vehicle
read/read | lire | person | text
repair | réparer | person | object vehicle roof
save | sauver | animate | animate
see/saw/seen | voir | animate | animate thing | plain
sell/sold | vendre | person | object vehicle food place
sing/sang/sung | chanter | person | song
take/took/taken | prendre | person | object vehicle path
throw/threw/thrown | lancer | person | ball
touch | toucher | animate | animate object
understand/understood | comprendre | animate | text person story | plain
visit | visiter | person | place ground
wait for | attendre | animate | animate vehicle
want | vouloir | animate | object food drink animal | state plain
wash | laver | person | clothing vehicle animal fruit
watch | regarder | animate | animate watch
wear/wore/worn | porter | person | clothing | state plain
write/wrote/written | écrire | person | text song

agree | être d'accord | person | | state plain
bark | aboyer | dog
climb | grimper | animate
come/came/come back | revenir | animate | | être
come/came/come home | rentrer | person | | être
come/came/come in | entrer | animate | | être
die/died/died/dying | mourir | animate | | être
do/did/done the dishes | faire la vaisselle | person
do/did/done the shopping | faire les courses | person
dream | rêver | animate
fall/fell/fallen asleep | s'endormir | animate
fly/flew/flown | voler | bird plane bee
forget/forgot/forgotten/forgetting | oublier | person
get/got/got/getting dressed | s'habiller | person
get/got/got/getting lost | se perdre | animate
get/got/got/getting married | se marier | person
get/got/got/getting up | se lever | animate
go/went/gone home | rentrer | person | | être
go/went/gone out | sortir | animate | | être
go/went/gone shopping | faire les courses | person
go/went/gone to bed | se coucher | person
go/went/gone to sleep | s'endormir | animate
have/had breakfast | prendre le petit-déjeuner | person
have/had dinner | dîner | person
have/had fun | s'amuser | person
have/had lunch | déjeuner | person
help | aider | person
hurry | se dépêcher | animate
know/knew/known | savoir | person | | state plain
learn | apprendre | person
lie/lied/lied/lying | mentir | person
listen | écouter | animate
look | regarder | animate
lose/lost | perdre | person
paint | peindre | person
pay/paid | payer | person
play football | jouer au football | person
play soccer | jouer au football | person
play tennis | jouer au tennis | person
play the guitar | jouer de la guitare | person
play the piano | jouer du piano | person
play the violin | jouer du violon | person
relax | se détendre | person
rest | se reposer | animate
remember | se souvenir | person | | state plain
shout | crier | person
sit/sat/sat/sitting down | s'asseoir | animate
speak/spoke/spoken | parler | person
stand/stood up | se lever | animate
start | commencer | story event
study | étudier | person
take/took/taken a bath | prendre un bain | person
take/took/taken a shower | prendre une douche | person
travel | voyager | person
understand/understood | comprendre | person | | plain
wash | se laver | animate
win/won/won/winning | gagner | person
arrive | arriver | animate vehicle | | être
come/came/come | venir | animate | | être
cook | cuisiner | person
cry/cried | pleurer | person
dance | danser | animate
drink/drank/drunk | boire | animate
eat/ate/eaten | manger | animate
fall/fell/fallen | tomber | animate object | | être
hide/hid/hidden | se cacher | animate
jump | sauter | animate
laugh | rire | person
leave/left | partir | animate vehicle | | être
live | vivre | animate | | state plain
play | jouer | animate
read/read | lire | person
return | revenir | animate | | être
run/ran/run/running | courir | animate
sing/sang/sung | chanter | person bird
sit/sat/sat/sitting | s'asseoir | animate
sleep/slept | dormir | animate
smile | sourire | person
stay | rester | animate | | être
stop/stopped/stopped/stopping | s'arrêter | animate vehicle
swim/swam/swum/swimming | nager | animate
talk | parler | person
wait | attendre | animate
wake/woke/woken/waking up | se réveiller | animate
walk | marcher | animate
work | travailler | person
work | fonctionner | phone computer radio television lamp car camera

go/went/gone | aller | animate | | être
give/gave/given | donner | person | object food drink | to
lend/lent | prêter | person | object text vehicle | to
read/read | lire | person | text | to
tell/told | raconter | person | story | to
write/wrote/written | écrire | person | letter poem message | to
send/sent | envoyer | person | gift letter flower photo book | to
show/showed/shown | montrer | animate | object place | to
"""

# Things that make you feel: "music makes me happy" -> "la musique me rend heureux".
MAKE = "make/made | rendre | thing animate | animate | plain"
# Before a clause: "I think that he is tired".
BELIEFS = """
think/thought | penser | person | | state plain
know/knew/known | savoir | person | | state plain
hope | espérer | person | | state plain
believe | croire | person | | state plain
say/said | dire | person
"""
BE = "be/was/been/being | être | animate thing | | state plain"
FIT = "fit/fit/fit/fitting | rentrer | object | container vehicle | state plain"


@dataclass(frozen=True)
class Verb:
    base: str
    past: str
    participle: str
    gerund: str
    particle: tuple[str, ...]
    french: str
    reflexive: bool
    links: tuple[str, ...]  # French words between the verb and its object
    subjects: frozenset[str]
    objects: frozenset[str]
    flags: frozenset[str]

    @property
    def transitive(self) -> bool:
        return bool(self.objects)

    @property
    def ditransitive(self) -> bool:
        """Whether it takes a recipient too: "gave a ball to the dog", "gave the dog a ball"."""
        return "to" in self.flags

    @property
    def preposition(self) -> str:
        """The English word before a recipient."""
        return "to"

    @property
    def third_person(self) -> str:
        if self.base == "have":
            return "has"
        return english.third_person(self.base)


def _classes(field: str) -> frozenset[str]:
    names = field.split()
    return frozenset(names + ["animal", "person"] if "animate" in names else names)


def _verb(line: str) -> Verb:
    fields = [field.strip() for field in line.split("|")] + [""] * 3
    forms, *particle = fields[0].split()
    forms = forms.split("/")
    base = forms[0]
    past = forms[1] if len(forms) > 1 else english.regular_past(base)
    infinitive, *links = (
        fields[1].removeprefix("s'").removeprefix("se ").replace("d'", "de ").split()
    )
    return Verb(
        base,
        past,
        forms[2] if len(forms) > 2 else past,
        forms[3] if len(forms) > 3 else english.gerund(base),
        tuple(particle),
        infinitive,
        fields[1].startswith(("s'", "se ")),
        tuple(links),
        _classes(fields[2]),
        _classes(fields[3]),
        frozenset(fields[4].split()),
    )


VERBS = [_verb(line) for line in TABLE.splitlines() if line]
BELIEVING = [_verb(line) for line in BELIEFS.splitlines() if line]
# With an adjective: "you look tired" -> "tu as l'air fatigué".
SEEM = """
look | avoir le air | animate | | state plain
seem | sembler | animate | | state plain
feel/felt | se sentir | person | | state plain
become/became/become | devenir | animate | | être plain
"""
# What one does to a part of one's body: "I wash my hands" -> "je me lave les mains".
BODY = """
break/broke/broken | se casser | person | leg arm nose finger foot
brush | se brosser | person | hair tooth
close | fermer | person | eye mouth
cut/cut/cut/cutting | se couper | person | finger hair
hurt/hurt | se blesser à | person | arm foot hand head knee leg
open | ouvrir | person | eye mouth
raise | lever | person | arm hand
turn | tourner | person | head
wash | se laver | person | face foot hair hand
"""
SEEMING = [_verb(line) for line in SEEM.splitlines() if line]
BODILY = [_verb(line) for line in BODY.splitlines() if line]
# French infinitives of the verbs that occur after "would", and in the imparfait after "if".
CONDITIONAL = set(
    """
    acheter aider aimer aller appeler apprendre arriver attendre avoir boire chercher choisir comprendre
    connaître danser dire donner dormir écouter écrire envoyer être faire fermer finir gagner jouer lire
    manger marcher mentir montrer oublier ouvrir parler partir payer perdre prendre regarder rencontrer
    rentrer rester revenir rire savoir sortir tomber travailler trouver vendre venir visiter vivre voir
    vouloir voyager
    """.split()
)
MAKES, BEING, FITS = _verb(MAKE), _verb(BE), _verb(FIT)


def verb(base: str, transitive: bool = False, particle: str = "") -> Verb:
    """The first verb with this English base form, particle and (in)transitivity."""
    return next(
        v
        for v in VERBS
        if v.base == base and v.transitive == transitive and " ".join(v.particle) == particle
    )
