"""Random noun phrases, verb groups and predicates."""

from dataclasses import replace
from functools import cache
from random import Random

from . import words
from .adjectives import ADJECTIVES, SENSATIONS, UNKNOWN as UNKNOWN_ADJECTIVE, WITHOUT_DEGREE, Adjective
from .clauses import Action, Comparison, Copula, Making, ObjectRelative, Predicate, Subject, SubjectRelative
from .clauses import VerbGroup
from .nouns import CITIES, COUNTRIES, INDEFINITES, NOUNS, PROPER_NAMES, UNKNOWN, UNKNOWN_NAME, Noun
from .syntax import Coordination, NounPhrase, Phrase, Place, Pronoun
from .verbs import VERBS, Verb

ANIMATE = frozenset(["animal", "person"])
ANYTHING = ANIMATE | {"thing"}
UNKNOWN_RATE = 0.025
# What a personal pronoun without an antecedent may stand for.
PRONOUN_CLASSES = {"it": frozenset(["animal", "object"]), "they": ANIMATE}
TENSES = {
    "past": 40,
    "present": 24,
    "progressive": 8,
    "past progressive": 5,
    "future": 9,
    "perfect": 3,
    "going to": 3,
    "can": 4,
    "could": 1.2,
    "must": 2,
    "should": 1.2,
    "have to": 1.8,
    "want to": 3,
    "wanted to": 1,
    "would like to": 1.4,
    "like to": 1.4,
    "love to": 0.6,
    "need to": 1,
    "know how to": 0.6,
    "hope to": 0.4,
}
STATE_TENSES = ("present", "past", "future")
FOR_PEOPLE = {"should", "have to", "would like to", "like to", "love to", "need to", "know how to", "hope to"}
COPULA_TENSES = {"present": 44, "past": 45, "future": 7, "going to": 1.5, "must": 1.5, "want to": 1}
DEGREE_WEIGHTS = {"": 50, "very": 18, "too": 13, "so": 8, "really": 7, "a little": 4, "quite": 3}
UNCOMPARED = {"dead", "alone", "married", "favorite", "ready", "closed", "open", "broken", "empty", "full"}
UNCOMPARED |= {"true", "perfect", "wrong", "huge", "sure", "sorry", "lost", "blind", "ill", "glad", "right"}
UNCOMPARED |= {"little", "french", "english", "american", "italian", "german", "spanish", "satisfied"}
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
    return [verb for verb in VERBS if verb.subjects & classes]


def subject_classes(subject: Subject) -> frozenset[str]:
    nouns = subject.nouns()
    if nouns:
        common = frozenset.intersection(*(noun.classes | {noun.english} for noun in nouns))
        return common or frozenset(["thing"])
    word = subject.english()[0]
    return PRONOUN_CLASSES.get(word, frozenset(["person"]))


class PhraseSampler:
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
                family = self.noun_phrase(frozenset(["family"]), plural=0.1, depth=0)
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
        if "family" in noun.classes and self.chance(0.7):
            return possessive
        weights = {"the": 60, possessive: 13, "this": 4, "that": 2}
        if mass:
            weights |= {"a": 45, "some": 12} if bare else {}
        elif plural:
            numeral = self.random.choice(list(words.NUMERALS))
            several = self.random.choice(["a lot of", "a few", "many"])
            weights |= {numeral: 8, self.number(): 7, "all the": 4, several: 5}
            weights |= {"a": 16, "some": 6} if bare else {}
        else:
            weights |= {"a": 18, "every": 2, "your": 3, "my": 5}
        return self.pick(weights)

    def modifiers(self, noun: Noun) -> tuple[Adjective, ...]:
        """No adjective, one, or one before and one after the noun in French."""
        if not self.chance(0.33):
            return ()
        if self.chance(UNKNOWN_RATE):
            return (UNKNOWN_ADJECTIVE,)
        choices = [a for a in adjectives_of(noun) if a.place != "predicate"]
        if not choices:
            return ()
        first = self.random.choice(choices)
        after = [a for a in choices if a.place == "after"]
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
            weights = {"i": 10, "you": 4, "he": 5, "she": 5, "it": 2, "we": 5, "they": 4}
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
            return self.adverbial_place("à ", "en ", "in")
        preposition = self.random.choice(list(words.PLACES) + ["in", "in", "on"])
        french, classes = words.PLACES[preposition]
        noun_phrase = self.noun_phrase(frozenset(classes.split()), plural=0.15, depth=depth)
        if preposition == "on" and noun_phrase.noun.english in words.INSIDES:
            french = "dans"
        return Place(preposition, french, noun_phrase)

    def adverbial_place(self, to_city: str, to_country: str, preposition: str) -> Phrase:
        kind = self.random.randrange(3)
        if kind == 0:
            english, french = self.random.choice([*CITIES.items(), ("<unk>", "<unk>")])
            return Phrase(f"{preposition} {english}", to_city + french)
        if kind == 1:
            english, french = self.random.choice(list(COUNTRIES.items()))
            return Phrase(f"{preposition} {english}", to_country + french)
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

    # Predicates

    def group(
        self, verb: Verb, subject: Subject, polarity: bool = True, past: bool | None = None
    ) -> VerbGroup:
        """``past``: only tenses of the past, or only of the present and future."""
        person = "person" in subject_classes(subject)
        weights = {
            tense: weight
            for tense, weight in TENSES.items()
            if (past is None or VerbGroup(tense).is_past == past)
            and (person or tense not in FOR_PEOPLE)
        }
        if "state" in verb.flags:
            weights = {tense: weights[tense] for tense in STATE_TENSES if tense in weights}
        elif "plain" in verb.flags:
            weights = {t: w for t, w in weights.items() if "progressive" not in t}
        tense = self.pick(weights)
        negation = "not" if polarity and self.chance(0.22) else ""
        frequency = ""
        if tense in ("present", "past", "perfect") and polarity and not negation:
            if self.chance(0.04):
                negation = "never"
            elif self.chance(0.06):
                frequency = self.random.choice(list(words.FREQUENCIES))
        ambiguous = verb.past == verb.base and subject.english_person != 2 and not negation
        if tense == "present" and ambiguous:  # "I read" alone is taken as a past
            tense = "past" if past is not False else "future"
        return VerbGroup(tense, negation, frequency)

    def predicate(
        self, subject: Subject, depth: int = 1, past: bool | None = None, relative: bool = False
    ) -> Predicate:
        classes = subject_classes(subject)
        verbs = verbs_of(classes)
        if not verbs or self.chance(0.22):
            return self.copula(subject, past, relative)
        if self.chance(0.02) and not relative:
            return self.making(subject, past)
        return self.action(self.random.choice(verbs), subject, depth, past)

    def action(
        self, verb: Verb, subject: Subject, depth: int = 1, past: bool | None = None
    ) -> Action:
        group = self.group(verb, subject, past=past)
        object_ = recipient = place = None
        shifted, manner = False, ""
        if verb.transitive:
            object_ = self.object(verb, group, subject, depth)
        if "to" in verb.objects and verb.base != "go":
            recipient, shifted = self.recipient(subject, object_)
        elif verb.base == "go":
            if self.chance(0.25):
                place = self.adverbial_place("à ", "en ", "to")
            else:
                goal = self.noun_phrase(
                    frozenset(["place", "beach", "mountain"]), plural=0.1, depth=0
                )
                place = Place("to", "à", goal)
        elif verb.base == "live" or self.chance(0.12 if verb.transitive else 0.5):
            located = subject_classes(subject)
            place = self.company(subject) if self.chance(0.15) else self.place(located, depth=0)
        elif not verb.transitive and "state" not in verb.flags and self.chance(0.15):
            manner = self.random.choice(list(words.MANNERS))
        return Action(verb, group, object_, recipient, shifted, place, manner)

    def recipient(self, subject: Subject, thing: object) -> tuple[NounPhrase | Pronoun, bool]:
        """Who is given something, and whether English says it before the thing."""
        shifted = self.chance(0.5)
        if not self.chance(0.45) or isinstance(thing, Pronoun):
            return self.noun_phrase(ANIMATE, plural=0.15, depth=0), shifted
        return Pronoun(self.random.choice(self.others(subject))), shifted or self.chance(0.4)

    @staticmethod
    def others(subject: Subject) -> list[str]:
        """The people who are not the subject."""
        word = subject.english()[0]
        barred = {"i": {"i", "we"}, "we": {"i", "we"}, "you": {"you"}}.get(word, set())
        return [p for p in ("i", "you", "he", "she", "we", "they") if p not in barred]

    def object(
        self, verb: Verb, group: VerbGroup, subject: Subject, depth: int
    ) -> NounPhrase | Coordination | Pronoun:
        classes = verb.objects - {"to"}
        generic = "generic" in verb.flags
        if classes == {"language"}:
            return NounPhrase(self.noun_of("language"), "a")
        if verb.objects & {"object", "food", "thing"} and not verb.links and self.chance(0.03):
            return NounPhrase(self.random.choice(INDEFINITES["thing"]), "")
        free = not verb.links and "to" not in verb.objects
        if free and self.chance(0.12):
            people = ["i", "you", "he", "she", "we"] if "person" in classes else []
            others = [] if classes == {"person"} else ["it", "they"]
            third = subject.english_person in (2, 4)
            choices = [p for p in people + others if third or Pronoun(p).english_person in (2, 4)]
            if subject.english() == ["i"] and people:
                choices += ["you"] * 2
            if subject.english() == ["you"] and people:
                choices += ["i"] * 2
            return Pronoun(self.random.choice(choices))
        if free and not group.polarity and not generic and self.chance(0.05):
            return self.coordination(classes, bare=True)
        if generic and self.chance(0.5):
            return self.kind(classes)
        phrase = self.noun_phrase(classes, bare=not generic, depth=depth)
        any_ = group.polarity and not verb.links and (phrase.bare or phrase.determiner == "some")
        return replace(phrase, determiner="any") if any_ and self.chance(0.6) else phrase

    def kind(self, classes: frozenset[str]) -> NounPhrase:
        """A bare plural or mass noun: "cats", "black coffee"."""
        noun = self.random.choice(nouns_of(classes))
        if "family" in noun.classes or noun.classes & {"path", "place"}:
            noun = self.random.choice(nouns_of(frozenset(["animal", "food", "drink", "idea"])))
        mass = bool(noun.classes & {"mass", "massplural"})
        return NounPhrase(noun, "a", not mass, self.modifiers(noun) if self.chance(0.4) else ())

    def copula(self, subject: Subject, past: bool | None = None, relative: bool = False) -> Copula:
        tense = self.pick(COPULA_TENSES)
        if past is not None:
            tense = "past" if past else "present"
        group = VerbGroup(tense, "not" if self.chance(0.15) else "")
        degree = self.pick(DEGREE_WEIGHTS)
        classes = subject_classes(subject)
        bare_it = subject.english() == ["it"] and not subject.nouns()
        if classes & ANIMATE and self.chance(0.2):
            sensations = [s for s in SENSATIONS if not bare_it or s not in ("cold", "hot")]
            sensation = self.random.choice(sensations)
            return Copula(sensation, group, "" if sensation in WITHOUT_DEGREE else degree)
        if "person" in classes and not relative and self.chance(0.2):
            jobs = nouns_of(frozenset(["job"]))
            return Copula(self.random.choice(jobs), group)
        if self.chance(0.2) and not bare_it:
            return Copula(self.place(classes, depth=0), group)
        if self.chance(UNKNOWN_RATE) and not bare_it:
            return Copula(UNKNOWN_ADJECTIVE, group, degree)
        nouns = subject.nouns() or self.random.choices(nouns_of(classes))
        choices = [a for a in adjectives_of(nouns[0]) if all(a.describes(n) for n in nouns)]
        choices = [a for a in choices if a.english != "favorite"]
        if not choices or self.chance(0.03):
            choices = [a for a in ADJECTIVES if a.english not in SENSATIONS]
        if bare_it:  # others would be the weather, or "c'est"
            animate = {"animate", "animal", "person"}
            choices = [a for a in ADJECTIVES if "animal" in a.classes and a.classes <= animate]
        if self.chance(0.1):
            return Copula(self.comparison(self.random.choice(choices), subject), group)
        return Copula(self.random.choice(choices), group, degree)

    def comparison(self, adjective: Adjective, subject: Subject) -> Adjective | Comparison:
        """ "bigger than the dog", "as big as me", "the biggest" """
        if adjective.english in UNCOMPARED or adjective is UNKNOWN_ADJECTIVE:
            return adjective
        kind = self.pick({"more": 6, "as": 2, "less": 1.5, "most": 2})
        if kind == "most":
            return Comparison(adjective, kind)
        if subject_classes(subject) & ANIMATE and self.chance(0.35):
            word = subject.english()[0]
            others = [p for p in ("i", "you", "he", "she", "we", "they") if p != word]
            return Comparison(adjective, kind, Pronoun(self.random.choice(others)))
        nouns = [n for n in NOUNS if adjective.describes(n) and "massplural" not in n.classes]
        noun = self.random.choice(nouns or nouns_of(ANIMATE))
        determiner = "the" if noun.classes & {"mass"} else self.random.choice(["the", "the", "my", "this", "a"])
        if "person" in noun.classes and self.chance(0.4):
            return Comparison(adjective, kind, self.name())
        return Comparison(adjective, kind, NounPhrase(noun, determiner))

    def making(self, subject: Subject, past: bool | None = None) -> Making:
        adjectives = [a for a in ADJECTIVES if a.english in MOODS]
        tense = self.random.choice(["present", "future", "can", "past"]) if not past else "past"
        group = VerbGroup(tense, "not" if self.chance(0.15) else "")
        object_ = self.noun_phrase(ANIMATE, depth=0)
        if self.chance(0.6) and subject.english_person in (2, 4):
            object_ = Pronoun(self.random.choice(["i", "you", "he", "she", "we", "they"]))
        return Making(self.random.choice(adjectives), object_, group)
