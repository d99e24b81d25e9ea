"""Random verb groups and predicates."""

from dataclasses import replace

from . import words
from .adjectives import ADJECTIVES, SENSATIONS, UNCOMPARED, WITHOUT_DEGREE, Adjective
from .adjectives import UNKNOWN as UNKNOWN_ADJECTIVE
from .clauses import Action, Comparison, Copula, Making, Predicate, Subject
from .nouns import INDEFINITES, NOUNS
from .sample_phrases import ANIMATE, DEGREE_WEIGHTS, MOODS, UNKNOWN_RATE, PhraseSampler
from .sample_phrases import adjectives_of, nouns_of, subject_classes, verbs_of
from .syntax import Coordination, NounPhrase, Phrase, Place, Pronoun
from .verb_group import VerbGroup
from .verbs import SEEMING, Verb

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
FOR_PEOPLE = {
    "should",
    "have to",
    "would like to",
    "like to",
    "love to",
    "need to",
    "know how to",
    "hope to",
}
UNSEEMLY = {"late", "dead", "married", "sure", "lost", "sorry"}
COPULA_TENSES = {"present": 44, "past": 45, "future": 7, "going to": 1.5, "must": 1.5, "want to": 1}


class PredicateSampler(PhraseSampler):
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
            if isinstance(object_, NounPhrase) and object_.determiner == "no":
                group = replace(group, polarity="no", frequency="")
        if verb.ditransitive and self.chance(0.8):
            recipient, shifted = self.recipient(subject, object_)
        elif verb.french == "aller":
            if self.chance(0.25):
                place = self.adverbial_place("to")
            else:
                goal = self.noun_phrase(
                    frozenset(["place", "beach", "mountain"]), plural=0.1, depth=0
                )
                place = Place("to", "à", goal)
        elif verb.base == "live" or self.chance(0.12 if verb.transitive else 0.5):
            located = subject_classes(subject)
            place = self.company(subject) if self.chance(0.15) else self.place(located, depth=0)
            if verb.base in ("look", "wait") and getattr(place, "preposition", "") in ("at", "for"):
                place = None  # "looks at the dog" is another verb
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
        barred = {0: {"i", "we"}, 3: {"i", "we"}, 1: {"you"}}.get(subject.agreement.person, set())
        return [p for p in ("i", "you", "he", "she", "we", "they") if p not in barred]

    def object(
        self, verb: Verb, group: VerbGroup, subject: Subject, depth: int
    ) -> NounPhrase | Coordination | Pronoun:
        classes = verb.objects
        generic = "generic" in verb.flags
        if classes == {"language"}:
            return NounPhrase(self.noun_of("language"), "a")
        if verb.objects & {"object", "food", "thing"} and not verb.links and self.chance(0.03):
            return NounPhrase(self.random.choice(INDEFINITES["thing"]), "")
        free = not verb.links and not verb.ditransitive
        if free and self.chance(0.12):
            people = ["i", "you", "he", "she", "we"] if "person" in classes else []
            others = [] if classes == {"person"} else ["it", "they"]
            third = subject.agreement.person in (2, 4)
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
        if (
            phrase.determiner in ("a", "some")
            and not group.polarity
            and not verb.links
            and self.chance(0.05)
        ):
            return replace(phrase, determiner="no")
        any_ = group.polarity and not verb.links and (phrase.bare or phrase.determiner == "some")
        return replace(phrase, determiner="any") if any_ and self.chance(0.6) else phrase

    def kind(self, classes: frozenset[str]) -> NounPhrase:
        """A bare plural or mass noun: "cats", "black coffee"."""
        noun = self.random.choice(nouns_of(classes))
        if "kin" in noun.classes or noun.classes & {"path", "place"}:
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
            impersonal = ("cold", "hot", "right", "wrong")
            sensations = [s for s in SENSATIONS if not bare_it or s not in impersonal]
            sensation = self.random.choice(sensations)
            return Copula(sensation, group, "" if sensation in WITHOUT_DEGREE else degree)
        if "person" in classes and not relative and self.chance(0.2):
            jobs = nouns_of(frozenset(["job"]))
            return Copula(self.random.choice(jobs), group)
        if self.chance(0.2) and not bare_it:
            return Copula(self.place(classes, depth=0), group)
        if "object" in classes and not bare_it and self.chance(0.08):
            return Copula(Phrase(*self.random.choice(list(words.OWNED.items()))), group)
        if self.chance(UNKNOWN_RATE) and not bare_it:
            return Copula(UNKNOWN_ADJECTIVE, group, degree)
        nouns = subject.nouns() or self.random.choices(nouns_of(classes))
        choices = [a for a in adjectives_of(nouns[0]) if all(a.describes(n) for n in nouns)]
        choices = [a for a in choices if a.french(False, False) != "préféré"]
        if not choices or self.chance(0.03):
            choices = [a for a in ADJECTIVES if a.english not in SENSATIONS]
        if bare_it:  # others would be the weather, or "c'est"
            animate = {"animate", "animal", "person"}
            choices = [a for a in ADJECTIVES if "animal" in a.classes and a.classes <= animate]
        if self.chance(0.1):
            return Copula(self.comparison(self.random.choice(choices), subject), group)
        adjective = self.random.choice(choices)
        if classes & ANIMATE and adjective.english not in SENSATIONS and self.chance(0.08):
            verb = self.random.choice(SEEMING)
            if tense in ("present", "past", "future") and adjective.english not in UNSEEMLY:
                return Copula(adjective, group, degree, verb)
        return Copula(adjective, group, degree)

    def comparison(self, adjective: Adjective, subject: Subject) -> Adjective | Comparison:
        """ "bigger than the dog", "as big as me", "the biggest" """
        if adjective.english in UNCOMPARED or adjective is UNKNOWN_ADJECTIVE:
            return adjective
        kind = self.pick({"more": 6, "as": 2, "less": 1.5, "most": 2})
        if kind == "most":
            return Comparison(adjective, kind, scope=self.scope() if self.chance(0.4) else None)
        if subject_classes(subject) & ANIMATE and self.chance(0.35):
            word = subject.english()[0]
            others = [p for p in self.others(subject) if p != word]
            return Comparison(adjective, kind, Pronoun(self.random.choice(others)))
        nouns = [n for n in NOUNS if adjective.describes(n) and "massplural" not in n.classes]
        noun = self.random.choice(nouns or nouns_of(ANIMATE))
        determiner = (
            "the"
            if noun.classes & {"mass"}
            else self.random.choice(["the", "the", "my", "this", "a"])
        )
        if "person" in noun.classes and self.chance(0.4):
            return Comparison(adjective, kind, self.name())
        return Comparison(adjective, kind, NounPhrase(noun, determiner))

    def making(self, subject: Subject, past: bool | None = None) -> Making:
        adjectives = [a for a in ADJECTIVES if a.english in MOODS]
        tense = self.random.choice(["present", "future", "can", "past"]) if not past else "past"
        group = VerbGroup(tense, "not" if self.chance(0.15) else "")
        object_ = self.noun_phrase(ANIMATE, depth=0)
        if self.chance(0.6) and subject.agreement.person in (2, 4):
            object_ = Pronoun(self.random.choice(["i", "you", "he", "she", "we", "they"]))
        return Making(self.random.choice(adjectives), object_, group)
