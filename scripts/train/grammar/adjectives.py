"""Adjectives: French forms, place by the noun and the classes of nouns they can describe.

``english french[/feminine[/form before a vowel]] before|after|predicate classes``. The classes decide what
"it" and "they" can stand for: an animal is tired, a street is wide.
"""

from dataclasses import dataclass

from .french import feminine as french_feminine
from .french import plural as french_plural

TABLE = """
bad mauvais before thing
beautiful beau/belle/bel before animate thing
big grand before animate thing
good bon/bonne before food drink story job
large grand before animate thing
little petit before animate thing
long long/longue before path story
new nouveau/nouvelle/nouvel before object place vehicle
old vieux/vieille/vieil before animate object place path
pretty joli before person object place
short court after path story clothing hair
small petit before animate thing
tall grand before person built
high haut before mountain wall tree
young jeune before animate

favorite préféré after object story food
favourite préféré after object story food
french français after person food story car
english anglais after person text story
american américain after person story car
italian italien/italienne after person food car
german allemand after person car
spanish espagnol after person food
purple violet/violette after object
round rond after support ball
huge énorme after animal thing
ugly laid after animate object place
perfect parfait after place story event gift
easy facile after matter text
difficult difficile after matter text
simple simple after matter text
important important after matter event person
wrong faux/fausse after answer
true vrai after story
black noir after animal object vehicle
blue bleu after object vehicle
brown marron/marron after animal object
gray gris after animal object vehicle
grey gris after animal object vehicle
green vert after object vehicle fruit
pink rose after object
red rouge after object vehicle fruit
white blanc/blanche after animal object vehicle
yellow jaune after object vehicle fruit

blind aveugle after animate
bored ennuyé predicate person
careful prudent after person
crazy fou/folle after animate
dead mort after animate
disappointed déçu predicate person
excited excité after animate
fat gros/grosse before animate
free libre predicate person
generous généreux/généreuse after person
glad content predicate animate
honest honnête after person
ill malade predicate animate
jealous jaloux/jalouse after animate
kind gentil/gentille after animate
late en_retard predicate person vehicle
lost perdu after animate object
mean méchant after animate
married marié predicate person
nice gentil/gentille after animate
patient patient after person
polite poli after person
sad triste after animate
satisfied satisfait predicate person
serious sérieux/sérieuse after person
sorry désolé predicate person
stupid stupide after animate
sure sûr predicate person
thin mince after person animal
unhappy malheureux/malheureuse after animate
wise sage after person
alone seul predicate animate
angry fâché after animate
brave courageux/courageuse after animate
busy occupé after person
calm calme after animate place
clever intelligent after animate
curious curieux/curieuse after animate
dangerous dangereux/dangereuse after animal path ground
famous célèbre after person place ground story
fast rapide after animal vehicle
friendly amical after animate
funny drôle after animate story
happy heureux/heureuse after animate
intelligent intelligent after animate
lazy paresseux/paresseuse after animate
nervous nerveux/nerveuse after animate
poor pauvre after person
proud fier/fière after animate
ready prêt predicate animate
rich riche after person
shy timide after animate
sick malade after animate
slow lent after animal vehicle
strong fort after animate
surprised surpris after animate
tired fatigué after animate
weak faible after animate
worried inquiet/inquiète after animate

dry sec/sèche after clothing path
hard dur after support
boring ennuyeux/ennuyeuse after story text place
broken cassé after object vehicle
clean propre after object place
closed fermé after openable built container
cold froid after food drink place
comfortable confortable after support vehicle
dark sombre after place path
deep profond after lake river
delicious délicieux/délicieuse after food drink
dirty sale after object place path
empty vide after container glass cup place path
expensive cher/chère after food object vehicle drink
fresh frais/fraîche after food drink
full plein after container glass cup
heavy lourd after object
hot chaud after food drink place
interesting intéressant after story text place
light léger/légère after object
modern moderne after place object
narrow étroit after path
noisy bruyant after place path vehicle
open ouvert after openable built container
quiet tranquille after place path ground
soft doux/douce after support clothing
strange étrange after animal object place story
sweet sucré after food drink
useful utile after object
warm chaud after food drink place clothing
wet mouillé after path clothing
wide large after path
"""

SIZES = ("big", "large", "little", "small")


@dataclass(frozen=True)
class Adjective:
    english: str
    masculine: str
    feminine: str
    before_vowel: str
    place: str
    classes: frozenset[str]

    def french(self, feminine: bool, plural: bool) -> str:
        if "_" in self.masculine:  # "en retard"
            return self.masculine.replace("_", " ")
        form = self.feminine if feminine else self.masculine
        if not plural or self.english == "brown":  # marron is a noun at heart: no agreement
            return form
        return french_plural(form)

    def describes(self, noun) -> bool:
        if self.english in SIZES and noun.classes & {"mass", "massplural"}:
            return False
        return bool(self.classes & noun.classes) or noun.english in self.classes


def _parse(table: str) -> list[Adjective]:
    adjectives = []
    for line in filter(None, table.splitlines()):
        english, french, place, *classes = line.split()
        forms = french.split("/")
        masculine = forms[0]
        feminine = forms[1] if len(forms) > 1 else french_feminine(masculine)
        before_vowel = forms[2] if len(forms) > 2 else masculine
        if "animate" in classes:
            classes += ["animal", "person"]
        adjectives.append(
            Adjective(english, masculine, feminine, before_vowel, place, frozenset(classes))
        )
    return adjectives


ADJECTIVES = _parse(TABLE)
BY_ENGLISH = {adjective.english: adjective for adjective in ADJECTIVES}

# An adjective the model has never met: it follows the noun.
UNKNOWN = Adjective("<unk>", "<unk>", "<unk>", "<unk>", "after", frozenset())

# English "to be" + adjective, French "avoir" + noun.
SENSATIONS = {
    "hungry": "faim",
    "thirsty": "soif",
    "sleepy": "sommeil",
    "cold": "froid",
    "hot": "chaud",
    "scared": "peur",
    "afraid": "peur",
    "right": "raison",
    "wrong": "tort",
    "lucky": "de la chance",
}
# No "bigger" of these.
UNCOMPARED = {
    "dead",
    "alone",
    "married",
    "favorite",
    "favourite",
    "ready",
    "late",
    "closed",
    "open",
    "broken",
    "empty",
    "full",
}
UNCOMPARED |= {
    "true",
    "perfect",
    "wrong",
    "huge",
    "sure",
    "sorry",
    "lost",
    "blind",
    "ill",
    "glad",
    "right",
}
UNCOMPARED |= {
    "little",
    "french",
    "english",
    "american",
    "italian",
    "german",
    "spanish",
    "satisfied",
}
UNCOMPARED |= {
    "black",
    "blue",
    "brown",
    "gray",
    "grey",
    "green",
    "pink",
    "purple",
    "red",
    "white",
    "yellow",
}
WITHOUT_DEGREE = {"right", "wrong", "lucky"}
