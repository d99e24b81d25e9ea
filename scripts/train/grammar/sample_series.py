"""Random conditions, and sentences one after the other."""

from dataclasses import replace

from . import templates, words
from .adjectives import ADJECTIVES, SENSATIONS
from .clauses import Action, Clause, Copula
from .conditions import Condition, Series
from .dialogue import HowMany, ObjectQuestion, Order, WhoDid, Whereabouts, YesOrNo
from .sample_constructions import is_supposed
from .sample_descriptions import DescriptionSampler
from .sample_phrases import adjectives_of, subject_classes, verbs_of
from .sentences import Existence, subject_pronoun
from .syntax import NounPhrase, Phrase, Pronoun
from .verb_group import VerbGroup
from .verbs import VERBS

QUESTIONS = (YesOrNo, WhoDid, ObjectQuestion, HowMany)
LONGEST = 22  # English words of two sentences together


class SeriesSampler(DescriptionSampler):
    def condition(self) -> Condition:
        """What will be if something is, would be if something were, or will be once something is."""
        kind = self.pick({"real": 5, "supposed": 5, "once": 2})
        subject = self.people()
        if kind == "once":
            condition = self.state_of(subject, ["once"])
            return Condition(self.outcome(subject, "future"), condition, self.chance(0.6), "when")
        real = kind == "real"
        if self.chance(0.2):
            weather = list(words.SUPPOSED_WEATHER[real].items())
            condition = Phrase(*self.random.choice(weather))
        else:
            tenses = ["present"] if real else ["hypothetical", "subjunctive"]
            condition = self.state_of(subject, tenses)
        other = subject if self.chance(0.4) else self.people()
        other = replace(other) if isinstance(other, Pronoun) else other
        if isinstance(other, NounPhrase) and other is subject:
            other = subject_pronoun(subject)
        if real and self.chance(0.25):
            result = self.order()
            if isinstance(result, Order):
                result = replace(result, please="", time=("", ""))
                return Condition(result, condition, self.chance(0.75))
        tense = self.pick({"future": 6, "can": 1, "must": 0.5}) if real else "would"
        return Condition(self.outcome(other, tense), condition, self.chance(0.55))

    def state_of(self, subject, tenses: list[str]) -> Clause:
        """Something that is done or is so, in one of the tenses."""
        tense = self.random.choice(tenses)
        if self.chance(0.4):
            return Clause(subject, self.being(subject, tense))
        verbs = [v for v in VERBS if v.subjects & subject_classes(subject) and v.past != v.base]
        if tense in ("hypothetical", "subjunctive"):
            verbs = [v for v in verbs if is_supposed(v) or "state" in v.flags]
        return Clause(subject, self.in_tense(self.random.choice(verbs), subject, tense))

    def outcome(self, subject, tense: str) -> Clause:
        if self.chance(0.25) and tense in ("future", "would"):
            return Clause(subject, self.being(subject, tense))
        verbs = [v for v in VERBS if v.subjects & subject_classes(subject) and v.base != "like"]
        if tense == "would":
            verbs = [v for v in verbs if is_supposed(v)]
        else:
            verbs = [v for v in verbs if "state" not in v.flags or tense == "future"]
        return Clause(subject, self.in_tense(self.random.choice(verbs), subject, tense))

    def being(self, subject, tense: str) -> Copula:
        group = VerbGroup(tense, "not" if self.chance(0.15) else "")
        if self.chance(0.25):
            return Copula(self.random.choice(list(SENSATIONS)), group)
        nouns = subject.nouns()
        choices = [a for a in ADJECTIVES if "person" in a.classes and a.english not in SENSATIONS]
        choices = [a for a in choices if all(a.describes(noun) for noun in nouns)]
        return Copula(self.random.choice(choices), group, self.pick({"": 6, "very": 1, "too": 1}))

    # Several sentences

    def series(self) -> Series:
        if self.chance(0.35):
            return self.linked()
        parts = (self.short, self.state, self.identification, self.existence, self.order)
        parts += (self.whereabouts, self.yes_or_no, self.conjugation, self.weather)
        parts += (self.set_phrase, self.set_phrase)
        while True:
            first, second = (self.random.choice(parts)() for _ in range(2))
            if self.fit(first, second):
                return Series(first, self.stop(first), second)

    @staticmethod
    def fit(first, second) -> bool:
        """Short enough, and no number where a decimal could be read."""
        following = second.english()
        return len(first.english()) + len(following) <= LONGEST and not following[0].isdigit()

    def linked(self) -> Series:
        """ "I have a cat. It is black.": the pronoun takes up the thing before it."""
        while True:
            thing = self.noun_phrase(frozenset(["animal", "object", "place", "vehicle"]), depth=0)
            thing = replace(thing, determiner=self.pick({"a": 5, "the": 1, "my": 1}), adjectives=())
            if thing.noun.english == "<unk>" or "name" in thing.noun.classes or thing.mass:
                continue
            subject = self.people()
            verbs = [v for v in VERBS if v.objects & thing.noun.classes and "person" in v.subjects]
            verbs = [v for v in verbs if not v.links and not v.ditransitive]
            if not verbs:
                continue
            verb = self.random.choice(verbs)
            first = Clause(subject, Action(verb, self.group(verb, subject, polarity=False), thing))
            if self.chance(0.2):
                thing = replace(thing, determiner="a")
                first = Existence(thing, VerbGroup(), self.place(thing.noun.classes))
            second = self.about(thing, subject)
            if second and self.fit(first, second):
                return Series(first, ".", second)

    def about(self, thing: NounPhrase, subject) -> Clause | None:
        pronoun = subject_pronoun(thing)
        if self.chance(0.7):
            choices = [a for a in adjectives_of(thing.noun) if a.french(False, False) != "préféré"]
            degree = self.pick({"": 5, "very": 3, "too": 1})
            group = VerbGroup("present", "not" if self.chance(0.1) else "")
            if not choices:
                return None
            return Clause(pronoun, Copula(self.random.choice(choices), group, degree))
        takers = [v for v in verbs_of(frozenset(["person"])) if v.objects & thing.noun.classes]
        takers = [v for v in takers if not v.links and not v.ditransitive]
        again = replace(subject) if isinstance(subject, Pronoun) else subject_pronoun(subject)
        verb = self.random.choice(takers)
        return Clause(again, Action(verb, self.group(verb, again), pronoun))

    def stop(self, sentence) -> str:
        """The mark that ends a sentence."""
        if isinstance(sentence, templates.SetPhrase):
            return sentence.pattern.mark
        if isinstance(sentence, QUESTIONS) or isinstance(sentence, Whereabouts):
            return "?"
        return "!" if isinstance(sentence, Order) and self.chance(0.2) else "."
