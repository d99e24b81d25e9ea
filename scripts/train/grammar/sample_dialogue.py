"""Random questions, orders and beliefs."""

from dataclasses import replace

from . import words
from .adjectives import ADJECTIVES
from .clauses import Action, Clause, Copula
from .dialogue import BeOrder, HowMany, ObjectQuestion, Order, WhoDid, Whereabouts, YesOrNo
from .nouns import NOUNS
from .sample_phrases import ANIMATE, ANYTHING, nouns_of, subject_classes, verbs_of
from .sample_predicates import PredicateSampler
from .sentences import Belief, Existence
from .syntax import NounPhrase, Pronoun
from .verb_group import VerbGroup
from .verbs import BELIEVING, Verb

UNORDERED = {
    "fall",
    "die",
    "forget",
    "lose",
    "know",
    "rain",
    "arrive",
    "breathe",
    "miss",
    "steal",
    "hit",
    "kill",
    "bite",
}
ORDERED_MOODS = {
    "polite",
    "careful",
    "kind",
    "patient",
    "serious",
    "brave",
    "calm",
    "sad",
    "angry",
    "honest",
}
ORDERED_MOODS |= {
    "nervous",
    "jealous",
    "lazy",
    "shy",
    "nice",
    "generous",
    "happy",
    "mean",
    "stupid",
    "worried",
}


class DialogueSampler(PredicateSampler):
    def addressee(self, depth: int = 0):
        """The subject of a question: most often you."""
        if self.chance(0.55):
            return Pronoun(self.pick({"you": 12, "he": 3, "she": 3, "they": 3, "i": 2, "we": 3}))
        return self.subject(depth, pronouns=0.0)

    def asked_clause(self) -> Clause:
        subject = self.addressee()
        predicate = self.predicate(subject, depth=0)
        group = self.positive(predicate.group)
        thing = getattr(predicate, "object", None)
        if isinstance(thing, NounPhrase) and thing.determiner == "no":
            predicate = replace(
                predicate,
                object=replace(thing, determiner="any" if thing.plural or thing.mass else "a"),
            )
        if isinstance(thing, NounPhrase) and thing.determiner == "some" and self.chance(0.5):
            predicate = replace(predicate, object=replace(thing, determiner="any"))
        clause = Clause(subject, replace(predicate, group=group))
        return replace(clause, time=self.time(group))

    @staticmethod
    def positive(group: VerbGroup) -> VerbGroup:
        return VerbGroup(group.tense)

    def yes_or_no(self) -> YesOrNo:
        kind = self.random.random()
        if kind < 0.12:
            there = self.existence()
            several = there.noun_phrase.plural or there.noun_phrase.mass
            determiner = "any" if several and self.chance(0.5) else "a"
            plain = NounPhrase(there.noun_phrase.noun, determiner, there.noun_phrase.plural)
            return YesOrNo(Existence(plain, self.positive(there.group), there.place))
        if kind < 0.22:
            this = self.identification()
            return YesOrNo(replace(this, group=VerbGroup(this.group.tense)))
        return YesOrNo(self.asked_clause())

    def wh_question(self) -> YesOrNo | ObjectQuestion:
        if self.chance(0.5):
            return self.object_question()
        word = self.pick({"why": 4, "when": 2, "how": 1, "where": 3})
        clause = self.asked_clause()
        if word == "why":
            return YesOrNo(clause, word)
        while not isinstance(clause.predicate, Action) or "state" in clause.predicate.verb.flags:
            clause = self.asked_clause()
        action = replace(
            clause.predicate,
            place=None
            if clause.predicate.verb.french != "aller" or word == "where"
            else clause.predicate.place,
            manner="",
        )
        return YesOrNo(replace(clause, predicate=action, time=("", "")), word)

    def object_question(self) -> ObjectQuestion:
        subject = self.addressee()
        verbs = [v for v in verbs_of(subject_classes(subject)) if v.transitive and not v.links]
        if not verbs:
            return self.object_question()
        verb = self.random.choice(verbs)
        group = self.positive(self.group(verb, subject))
        time = self.time(group)
        people = verb.objects & ANIMATE
        kind = self.pick(
            {
                "what": 5 * bool(verb.objects - ANIMATE),
                "who": 2 * ("person" in people),
                "which": 2,
                "how many": 2,
            }
        )
        if kind in ("what", "who"):
            return ObjectQuestion(kind, subject, verb, group, time)
        nouns = [n for n in nouns_of(verb.objects) if not n.classes & {"massplural", "language"}]
        if not nouns:
            return self.object_question()
        noun = self.random.choice(nouns)
        mass = "mass" in noun.classes
        if mass and kind == "how many":
            kind = "how much"
        asked = NounPhrase(noun, kind, not mass and (kind == "how many" or self.chance(0.15)))
        return ObjectQuestion(asked, subject, verb, group, time)

    def who_question(self) -> WhoDid:
        third = NounPhrase(self.noun_of("person"))
        predicate = self.predicate(third, depth=0)
        if getattr(predicate.group, "polarity", "") == "no":
            return self.who_question()
        return WhoDid(replace(predicate, group=self.positive(predicate.group)))

    def how_many(self) -> HowMany:
        noun = self.random.choice([n for n in NOUNS if not n.classes & {"massplural", "language"}])
        if "mass" in noun.classes:
            kind = "how much"
            return HowMany(NounPhrase(noun, kind), VerbGroup("present"), self.place(noun.classes))
        tense = "past" if self.chance(0.2) else "present"
        place = self.place(noun.classes) if self.chance(0.6) else None
        return HowMany(NounPhrase(noun, "how many", True), VerbGroup(tense), place)

    def whereabouts(self) -> Whereabouts:
        tense = "past" if self.chance(0.15) else "present"
        if self.chance(0.3):
            word = self.random.choice(["i", "you", "he", "she", "it", "we", "they"])
            return Whereabouts(Pronoun(word), VerbGroup(tense))
        phrase = self.noun_phrase(ANYTHING, depth=0)
        if self.chance(0.4):
            phrase = replace(
                phrase,
                determiner="my" if phrase.determiner and not phrase.mass else phrase.determiner,
            )
        return Whereabouts(phrase, VerbGroup(tense))

    def order(self) -> Order | BeOrder:
        if self.chance(0.08):
            mood = self.random.choice([a for a in ADJECTIVES if a.english in ORDERED_MOODS])
            degree = self.pick({"": 8, "so": 1, "too": 1})
            polarity = "not" if degree or self.chance(0.5) else ""
            return BeOrder(Copula(mood, VerbGroup(), degree), polarity)
        people = frozenset(["person"])
        verb = self.random.choice([v for v in verbs_of(people) if self.can_be_ordered(v)])
        us = self.chance(0.15)
        action = self.action(verb, Pronoun("we" if us else "you"), depth=0)
        polarity = "not" if self.chance(0.3) else ""
        if verb.transitive and not verb.ditransitive and not verb.links and self.chance(0.2):
            others = ["it", "they", "he", "she"] if verb.objects & ANIMATE else ["it", "they"]
            others += [] if us or "person" not in verb.objects else ["i", "i", "we"]
            action = replace(action, object=Pronoun(self.random.choice(others)))
        if verb.ditransitive and self.chance(0.5):
            action = replace(
                action,
                recipient=Pronoun(
                    self.random.choice(
                        ["i", "i", "he", "she", "they", "we"] if not us else ["he", "they"]
                    )
                ),
                shifted=self.chance(0.8),
            )
        if action.group.polarity == "no":
            return self.order()
        group = VerbGroup("present", polarity)
        action = replace(action, group=group)
        time = (
            self.random.choice(list(words.TIMES["future"].items()))
            if self.chance(0.06)
            else ("", "")
        )
        time = ("now", "maintenant") if self.chance(0.04) else time
        please = "" if us else self.pick({"": 80, "first": 8, "last": 12})
        return Order(action, polarity, us, please, time)

    @staticmethod
    def can_be_ordered(verb: Verb) -> bool:
        return "state" not in verb.flags and verb.base not in UNORDERED and verb.french != "avoir"

    def belief(self) -> Belief:
        subject = self.subject(depth=0, pronouns=0.75, animate=1.0)
        while "person" not in subject_classes(subject):
            subject = self.subject(depth=0, pronouns=0.75, animate=1.0)
        verb = self.random.choice(BELIEVING)
        tense = "past" if verb.base == "say" or self.chance(0.2) else "present"
        said = self.subject(depth=0, pronouns=0.6)
        predicate = self.predicate(said, depth=0)
        clause = Clause(said, predicate, self.time(predicate.group))
        if self.chance(0.08):
            clause = self.weather()
        polarity = "not" if verb.base == "know" and self.chance(0.1) else ""
        group = VerbGroup(tense, polarity)
        said_that = verb.base in ("know", "say") or self.chance(0.6)
        return Belief(subject, verb, group, clause, said_that)
