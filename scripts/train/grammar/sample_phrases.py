"""Random noun phrases and places."""

from dataclasses import replace
from functools import cache
from random import Random

from . import words
from .adjectives import ADJECTIVES, SIZES, Adjective
from .adjectives import UNKNOWN as UNKNOWN_ADJECTIVE
from .clauses import ObjectRelative, Subject, SubjectRelative
from .nouns import CITIES, COUNTRIES, INDEFINITES, NOUNS, PROPER_NAMES, UNKNOWN, UNKNOWN_NAME
from .nouns import Noun, in_country
from .syntax import Coordination, NounPhrase, Phrase, Place, Pronoun
from .verbs import VERBS, Verb

ANIMATE = frozenset(["animal", "person"])
ANYTHING = ANIMATE | {"thing"}
UNKNOWN_RATE = 0.025
# What a personal pronoun without an antecedent may stand for.
PRONOUN_CLASSES = {"it": frozenset(["animal", "object"]), "they": ANIMATE}
COMMON = set(
    "give go have want like eat drink see know read buy come make take live work speak need find".split()
)
DEGREE_WEIGHTS = {"": 50, "very": 18, "too": 13, "so": 8, "really": 7, "a little": 4, "quite": 3}
ORDER = (
    {"beautiful", "pretty", "good", "bad"},
    {*SIZES, "tall", "long"},
    {"old", "new", "young"},
)
MOODS = ("happy", "sad", "angry", "sick", "proud", "strong", "tired")


@cache
def nouns_of(classes: frozenset[str]) -> list[Noun]:
    return [noun for noun in NOUNS if classes & noun.classes or noun.english in classes]


@cache
def adjectives_of(noun: Noun) -> list[Adjective]:
    return [adjective for adjective in ADJECTIVES if adjective.describes(noun)]


@cache
def verbs_of(classes: frozenset[str]) -> list[Verb]:
    """The verbs whose subject can be of one of the classes (or be the noun of that name)."""
    verbs = [verb for verb in VERBS if verb.subjects & classes]
    return [verb for verb in verbs for _ in range(3 if is_common(verb) else 1)]


def rank(adjective: Adjective) -> int:
    """Where it stands among several before the noun, in both languages: beautiful, big, old. -1: nowhere."""
    if adjective.place != "before":
        return -1
    return next((place for place, words_ in enumerate(ORDER) if adjective.english in words_), -1)


def is_common(verb: Verb) -> bool:
    """Drawn three times as often as the others."""
    return not verb.particle and (verb.base in COMMON or verb.ditransitive)


def subject_classes(subject: Subject) -> frozenset[str]:
    nouns = subject.nouns()
    if nouns:
        common = frozenset.intersection(*(noun.classes | {noun.english} for noun in nouns))
        return common or frozenset(["thing"])
    word = subject.english()[0]
    return PRONOUN_CLASSES.get(word, frozenset(["person"]))


class PhraseSampler:
    """Noun phrases; a relative clause takes its predicate from ``PredicateSampler``."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)

    def noun_of(self, name: str) -> Noun:
        """A random noun of a class."""
        return self.random.choice(nouns_of(frozenset([name])))

    def number(self) -> str:
        """More than one, most often small."""
        return str(self.random.randint(2, self.random.choice([12, 99, 99, 999, 9999, 99999])))

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def pick(self, weights: dict) -> object:
        return self.random.choices(list(weights), list(weights.values()))[0]

    # Noun phrases

    def noun_phrase(
        self,
        classes: frozenset[str],
        bare: bool = False,
        plural: float = 0.25,
        depth: int = 1,
    ) -> NounPhrase:
        """``bare``: nouns may go without a determiner. ``depth``: levels of embedding left."""
        if self.chance(UNKNOWN_RATE):
            return NounPhrase(UNKNOWN, self.random.choice(["the", "the", "a", "this", "my"]))
        if "person" in classes and self.chance(0.12):
            return self.name()
        noun = self.random.choice(nouns_of(classes))
        mass = bool(noun.classes & {"mass", "massplural"})
        several = not mass and self.chance(plural)
        determiner = self.determiner(noun, mass, several, bare)
        owner = complement = relative = None
        if depth and determiner == "the":
            if self.chance(0.05):
                family = self.noun_phrase(frozenset(["kin"]), plural=0.1, depth=0)
                owner = self.name() if self.chance(0.4) else family
            elif self.chance(0.06):
                of = Place("of", "de", self.noun_phrase(frozenset(["place", "object"]), depth=0))
                located = noun.classes | {noun.english}
                family = "thing" not in noun.classes or self.chance(0.6)
                complement = self.place(located, depth - 1) if family else of
        core = NounPhrase(noun, determiner, several, self.modifiers(noun), owner, complement)
        if depth and not complement and not owner and self.chance(0.15):
            relative = self.relative(core, depth - 1)
        return replace(core, relative=relative)

    def name(self) -> NounPhrase:
        if self.chance(0.12):
            return NounPhrase(self.random.choice(INDEFINITES["person"]), "")
        unknown = self.chance(4 * UNKNOWN_RATE)
        return NounPhrase(UNKNOWN_NAME if unknown else self.random.choice(PROPER_NAMES), "")

    def determiner(self, noun: Noun, mass: bool, plural: bool, bare: bool) -> str:
        possessive = self.random.choice(list(words.POSSESSIVES))
        if "kin" in noun.classes and self.chance(0.7):
            return possessive
        weights = {"the": 60, possessive: 13, "this": 4, "that": 2}
        if mass:
            several = self.random.choice(["a lot of", "more", "too much", "enough"])
            weights |= {"a": 45, "some": 14, several: 9} if bare else {}
        elif plural:
            numeral = self.random.choice(list(words.NUMERALS))
            several = self.random.choice(
                ["a lot of", "a few", "many", "more", "too many", "enough"]
            )
            weights |= {numeral: 8, self.number(): 7, "all the": 4, several: 5}
            weights |= {"a": 16, "some": 6} if bare else {}
        else:
            weights |= {"a": 18, "every": 2, "your": 3, "my": 5}
        return self.pick(weights)

    def modifiers(self, noun: Noun) -> tuple[Adjective, ...]:
        """No adjective, one, two before the noun in French, or one before and one after."""
        if not self.chance(0.33):
            return ()
        if self.chance(UNKNOWN_RATE):
            return (UNKNOWN_ADJECTIVE,)
        choices = [a for a in adjectives_of(noun) if a.place != "predicate"]
        if not choices:
            return ()
        first = self.random.choice(choices)
        after = [a for a in choices if a.place == "after"]
        later = [a for a in choices if rank(a) > rank(first) >= 0]
        if later and self.chance(0.3):
            return first, self.random.choice(later)
        if first.place == "before" and after and self.chance(0.35):
            return first, self.random.choice(after)
        return (first,)

    def relative(self, antecedent: NounPhrase, depth: int) -> SubjectRelative | ObjectRelative:
        word = "that" if self.chance(0.75) else "which"
        if "person" in antecedent.noun.classes:
            word = "who" if self.chance(0.75) else "that"
        if self.chance(0.55):
            predicate = self.predicate(antecedent, depth, relative=True)
            return SubjectRelative(word, predicate)
        subject = self.subject(depth, pronouns=0.35)
        classes = subject_classes(subject)
        own = antecedent.noun.classes | {antecedent.noun.english}
        verbs = [v for v in verbs_of(classes) if v.objects & own and not v.links]
        if not verbs:
            return SubjectRelative(word, self.predicate(antecedent, depth, relative=True))
        verb = self.random.choice(verbs)
        word = "that" if word == "who" else word
        return ObjectRelative(word, subject, verb, self.group(verb, subject, polarity=False))

    def coordination(self, classes: frozenset[str], bare: bool = False) -> Coordination:
        first, second = (self.noun_phrase(classes, bare, depth=0) for _ in range(2))
        return Coordination(first, second)

    def subject(
        self, depth: int = 1, pronouns: float = 0.3, animate: float = 0.75
    ) -> NounPhrase | Coordination | Pronoun:
        if self.chance(pronouns):
            weights = {"i": 8, "you": 6, "he": 5, "she": 5, "it": 2, "we": 7, "they": 5}
            return Pronoun(self.pick(weights))
        if self.chance(animate):
            classes = frozenset(["animal"] if self.chance(0.55) else ["person"])
        else:
            classes = frozenset(["thing"])
        if self.chance(0.07):
            return self.coordination(classes)
        return self.noun_phrase(classes, depth=depth)

    # Places

    def place(self, located: frozenset[str], depth: int = 0) -> Place | Phrase:
        """A place for something of the classes ``located``."""
        if located & ANIMATE and self.chance(0.18):
            return self.adverbial_place("in")
        preposition = self.random.choice(list(words.PLACES) + ["in", "in", "on"])
        french, classes = words.PLACES[preposition]
        noun_phrase = self.noun_phrase(frozenset(classes.split()), plural=0.15, depth=depth)
        if preposition == "on" and noun_phrase.noun.english in words.INSIDES:
            french = "dans"
        return Place(preposition, french, noun_phrase)

    def adverbial_place(self, preposition: str) -> Phrase:
        kind = self.random.randrange(3)
        if kind == 0:
            english, french = self.random.choice([*CITIES.items(), ("<unk>", "<unk>")])
            return Phrase(f"{preposition} {english}", "à " + french)
        if kind == 1:
            country = self.random.choice(COUNTRIES)
            return Phrase(f"{preposition} {country.english}", in_country(country))
        places = words.ADVERBIAL_PLACES
        if preposition == "to":
            places = {place: places[place] for place in ("here", "there", "outside", "upstairs")}
        return Phrase(*self.random.choice(list(places.items())))

    def company(self, subject: Subject) -> Place:
        relations = words.COMPANIONS | words.BENEFICIARIES
        preposition = self.random.choice(list(relations))
        french, _ = relations[preposition]
        if self.chance(0.4):
            return Place(preposition, french, Pronoun(self.random.choice(self.others(subject))))
        return Place(preposition, french, self.noun_phrase(ANIMATE, plural=0.15, depth=0))
