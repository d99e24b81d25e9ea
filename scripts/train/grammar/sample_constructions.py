"""Random sentences in which person, tense and verb come evenly; what lasts, what nobody does, passives."""

from dataclasses import replace

from . import words
from .adjectives import BY_ENGLISH
from .clauses import Action, Clause
from .conditions import Wondering
from .dialogue import YesOrNo
from .nouns import NOBODY
from .predicates import Passive
from .sample_dialogue import DialogueSampler
from .sample_phrases import subject_classes
from .syntax import Coordination, NounPhrase, Phrase, Pronoun
from .verb_group import VerbGroup
from .verbs import BELIEVING, CONDITIONAL, VERBS, Verb

PERSONS = ("i", "you", "he", "she", "we", "they")
EVEN_TENSES = {
    "present": 3,
    "past": 3,
    "future": 5,
    "progressive": 3,
    "past progressive": 5,
    "perfect": 1,
    "would": 2,
    "going to": 1.5,
    "can": 1,
    "could": 1,
    "must": 1,
    "should": 1,
    "have to": 1,
    "want to": 1,
    "would like to": 1,
    "need to": 0.7,
}
EVEN_STATES = ("present", "past", "future", "would", "want to", "would like to", "going to", "must")
UNPASSIVE = {"get", "miss", "pay", "tell", "learn", "study", "believe", "try", "start"}
LASTING = ("live", "work", "wait", "know", "have", "study", "play")


def is_supposed(verb: Verb) -> bool:
    """Whether it has a conditional, and an imparfait after "if"."""
    return verb.french in CONDITIONAL and not verb.reflexive


def has_passive(verb: Verb) -> bool:
    plain = verb.transitive and not verb.links and "state" not in verb.flags
    return plain and not set(verb.particle) & {"at", "for", "to"} and verb.base not in UNPASSIVE


class ConstructionSampler(DialogueSampler):
    def with_me(self) -> Coordination:
        """ "my brother and I", "you and I" """
        if self.chance(0.25):
            return Coordination(Pronoun(self.random.choice(["you", "he", "she"])), Pronoun("i"))
        if self.chance(0.3):
            return Coordination(self.name(), Pronoun("i"))
        noun = self.noun_of("kin")
        return Coordination(NounPhrase(noun, "my", self.chance(0.15)), Pronoun("i"))

    def people(self) -> Pronoun | NounPhrase | Coordination:
        """A subject: every pronoun as often as the others, and now and then somebody."""
        if self.chance(0.8):
            return Pronoun(self.random.choice(PERSONS))
        if self.chance(0.6):
            return self.with_me()
        return self.noun_phrase(frozenset(["person"]), depth=0)

    def in_tense(self, verb: Verb, subject, tense: str) -> Action:
        """What somebody does, in this tense."""
        while True:
            action = self.action(verb, subject, depth=0)
            if action.group.polarity != "never" or tense in ("present", "past", "perfect"):
                break
        ambiguous = verb.past == verb.base and subject.english_person != 2
        if tense == "present" and ambiguous and not action.group.polarity:
            tense = "future"
        return replace(action, group=VerbGroup(tense, action.group.polarity))

    def even_tense(self, verb: Verb) -> str:
        weights = {
            tense: weight
            for tense, weight in EVEN_TENSES.items()
            if (tense != "would" or (is_supposed(verb) and verb.base != "like"))
            and ("state" not in verb.flags or tense in EVEN_STATES)
            and not ("plain" in verb.flags and "progressive" in tense)
        }
        return self.pick(weights)

    def conjugation(self) -> Clause | YesOrNo:
        """Any verb of people, in any person and tense."""
        subject = self.people()
        chosen = self.random.choice([v for v in VERBS if "person" in v.subjects])
        action = self.in_tense(chosen, subject, self.even_tense(chosen))
        group = action.group
        if self.chance(0.2) and group.polarity != "no":
            question = replace(action, group=VerbGroup(group.tense), manner="")
            if isinstance(question.object, NounPhrase) and question.object.determiner == "any":
                question = replace(question, object=replace(question.object, determiner="the"))
            return YesOrNo(Clause(subject, question))
        return Clause(subject, action, self.time(group))

    def lasting(self) -> Clause:
        """ "I have lived here for two years" """
        subject = self.people()
        chosen = [v for v in VERBS if v.base in LASTING and "person" in v.subjects]
        action = self.in_tense(self.random.choice(chosen), subject, "lasting")
        while action.group.polarity:
            action = self.in_tense(self.random.choice(chosen), subject, "lasting")
        return Clause(subject, action, self.random.choice(list(words.DURATIONS.items())))

    def nobody(self) -> Clause:
        subject = NounPhrase(NOBODY, "")
        predicate = self.predicate(subject, depth=0)
        while predicate.group.polarity or predicate.group.frequency:
            predicate = self.predicate(subject, depth=0)
        group = replace(predicate.group, polarity="nobody")
        return Clause(subject, replace(predicate, group=group))

    def wondering(self) -> Wondering | YesOrNo:
        know = next(v for v in BELIEVING if v.base == "know")
        word = self.pick({"where": 5, "why": 4, "when": 3, "how": 2})
        subject = self.subject(depth=0, pronouns=0.6)
        if word == "where" and self.chance(0.7):
            there = Phrase("", "")
            tense = self.pick({"present": 7, "past": 3})
            clause = Clause(subject, replace(self.copula(subject), complement=there, degree=""))
            clause = replace(clause, predicate=replace(clause.predicate, group=VerbGroup(tense)))
        else:
            clause = Clause(subject, self.plain_action(subject))
        if self.chance(0.35):
            asked = Pronoun(self.pick({"you": 5, "he": 1, "she": 1, "they": 1}))
            return YesOrNo(Wondering(asked, know, VerbGroup(), word, clause))
        knower = Pronoun(self.pick({"i": 5, "we": 2, "she": 1, "he": 1, "they": 1}))
        tense = "past" if self.chance(0.1) else "present"
        group = VerbGroup(tense, "not" if self.chance(0.7) else "")
        return Wondering(knower, know, group, word, clause)

    def plain_action(self, subject) -> Action:
        """Something done, without a place, a manner or a negation."""
        while True:
            verbs = [v for v in VERBS if v.subjects & subject_classes(subject)]
            verbs = [v for v in verbs if "state" not in v.flags] or VERBS
            action = self.action(self.random.choice(verbs), subject, depth=0)
            if not action.group.polarity and not action.group.frequency:
                goes = action.verb.french == "aller"
                return replace(action, place=action.place if goes else None, manner="")

    def passive(self) -> Clause | YesOrNo:
        chosen = self.random.choice([v for v in VERBS if has_passive(v)])
        subject = self.noun_phrase(chosen.objects, depth=0, plural=0.3)
        while subject.noun.english == "<unk>" and self.chance(0.5):
            subject = self.noun_phrase(chosen.objects, depth=0, plural=0.3)
        tenses = {"past": 60, "future": 12, "perfect": 7, "must": 5, "can": 5, "going to": 3}
        tense = self.pick(tenses)
        group = VerbGroup(tense, "not" if self.chance(0.15) else "")
        agent = None
        if chosen.participle in BY_ENGLISH or self.chance(0.55):
            agent = self.noun_phrase(chosen.subjects, depth=0)
            if self.chance(0.1):
                agent = Pronoun(self.random.choice(["i", "he", "she", "we", "they"]))
        clause = Clause(subject, Passive(chosen, group, agent), self.time(group))
        if self.chance(0.12):
            return YesOrNo(Clause(subject, Passive(chosen, VerbGroup(tense), agent)))
        return clause
