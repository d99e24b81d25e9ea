"""Verbs: English and French forms and the classes of their subjects and objects.

``base[/past[/participle[/-ing form]]] [particle] | infinitive [preposition] | subject classes |
object classes | flags``. Flags: ``state`` (the past is an imparfait), ``plain`` (no progressive),
``generic`` (a bare object is a whole kind: I like cats -> J'aime les chats).
"""

from dataclasses import dataclass

from . import english

TABLE = """
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
have/had | avoir | person | animal family object vehicle place | state plain
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
need | avoir besoin de | person | object vehicle food drink family | state plain
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
wake/woke/woken up | se réveiller | animate
walk | marcher | animate
work | travailler | person

go/went/gone | aller | animate | to | être
give/gave/given | donner | person | object food drink | to
send/sent | envoyer | person | gift letter flower photo book | to
show/showed/shown | montrer | animate | object place | to
"""

# Things that make you feel: "music makes me happy" -> "la musique me rend heureux".
MAKE = "make/made | rendre | thing animate | animate | plain"
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
        return bool(self.objects - {"to"})

    @property
    def third_person(self) -> str:
        return "has" if self.base == "have" else english.third_person(self.base)


def _classes(field: str) -> frozenset[str]:
    names = field.split()
    return frozenset(names + ["animal", "person"] if "animate" in names else names)


def _verb(line: str) -> Verb:
    fields = [field.strip() for field in line.split("|")] + [""] * 3
    forms, *particle = fields[0].split()
    forms = forms.split("/")
    base = forms[0]
    past = forms[1] if len(forms) > 1 else english.regular_past(base)
    infinitive, *links = fields[1].removeprefix("s'").removeprefix("se ").split()
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
MAKES, BEING, FITS = _verb(MAKE), _verb(BE), _verb(FIT)


def verb(base: str, transitive: bool = False) -> Verb:
    """The first verb with this English base form and (in)transitivity."""
    return next(v for v in VERBS if v.base == base and v.transitive == transitive)
