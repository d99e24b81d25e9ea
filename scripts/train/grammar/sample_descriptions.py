"""Random superlatives, and what concerns the body: washing one's hands, blue eyes, aches."""

from . import words
from .adjectives import ADJECTIVES, UNCOMPARED
from .adjectives import BY_ENGLISH as ADJECTIVE
from .clauses import Action, Clause
from .dialogue import Order, Whereabouts
from .nouns import BY_ENGLISH as NOUNS
from .nouns import CITIES, COUNTRIES, from_country
from .predicates import Ache, BodyAction, Trait
from .sample_constructions import PERSONS, ConstructionSampler
from .sample_phrases import ANYTHING, nouns_of
from .sentences import Identification
from .superlative import Superlative
from .syntax import Coordination, NounPhrase, Phrase, Place, Pronoun
from .verb_group import VerbGroup
from .verbs import BODILY, VERBS, Verb, verb

PAIRED = {"hand", "foot", "eye", "tooth", "leg", "ear", "knee", "arm"}
TRAITS = {
    "eye": ("blue", "brown", "green", "black"),
    "hair": ("long", "short", "black", "white", "gray"),
}
ACHING = ("head", "back", "stomach", "foot", "leg", "arm", "knee", "ear", "tooth", "hand", "eye")


class DescriptionSampler(ConstructionSampler):
    # Superlatives

    def scope(self) -> Place | Phrase:
        kind = self.random.randrange(4)
        if kind == 0:
            country = self.random.choice(COUNTRIES)
            return Phrase(f"in {country.english}", from_country(country))
        if kind == 1:
            city, ville = self.random.choice([*CITIES.items(), ("<unk>", "<unk>")])
            return Phrase(f"in {city}", f"de {ville}")
        if kind == 2:
            place = self.random.choice(nouns_of(frozenset(["place"])))
            return Place("in", "de", NounPhrase(place, self.random.choice(["the", "the", "this"])))
        return Phrase(*self.random.choice(list(words.SCOPES.items())))

    def superlative_phrase(self) -> Superlative:
        while True:
            noun = self.random.choice(nouns_of(ANYTHING))
            choices = [a for a in ADJECTIVES if a.describes(noun) and a.place != "predicate"]
            choices = [a for a in choices if a.english not in UNCOMPARED]
            if not choices or noun.classes & {"mass", "massplural", "name"}:
                continue
            adjective = self.random.choice(choices)
            least = adjective.place == "after" and self.chance(0.12)
            scope = self.scope() if self.chance(0.6) else None
            return Superlative(noun, "the", self.chance(0.2), (adjective,), scope=scope, least=least)

    def superlative(self) -> Identification | Clause | Whereabouts:
        phrase = self.superlative_phrase()
        kind = self.random.random()
        tense = VerbGroup(self.pick({"present": 4, "past": 1}))
        if kind < 0.5:
            singular = ["it", "this", "that"]
            if "person" in phrase.noun.classes:
                singular = [phrase.pronoun, "this"]
            word = self.random.choice(["these", "those"] if phrase.plural else singular)
            return Identification(phrase, word, tense)
        if kind < 0.65:
            person = "person" in phrase.noun.classes
            return Whereabouts(phrase, tense, "who" if person else "what")
        if kind < 0.85:
            return Clause(phrase, self.predicate(phrase, depth=0))
        subject = self.people()
        verbs = [v for v in VERBS if v.objects & phrase.noun.classes and "person" in v.subjects]
        verbs = [v for v in verbs if not v.links]
        if not verbs:
            return self.superlative()
        chosen = self.random.choice(verbs)
        group = self.group(chosen, subject)
        return Clause(subject, Action(chosen, group, phrase))

    # The body

    def body(self) -> Clause | Order | Ache:
        kind = self.random.random()
        if kind < 0.3:
            return self.ache()
        subject = self.people()
        if kind < 0.5:
            return self.trait(subject)
        chosen = self.random.choice(BODILY)
        part = self.part(self.random.choice(nouns_of(chosen.objects)), chosen)
        if self.chance(0.3) and chosen.base not in ("break", "cut", "hurt"):
            us = self.chance(0.15)
            group = VerbGroup("present", "not" if self.chance(0.2) else "")
            action = BodyAction(chosen, group, part, whose="our" if us else "your")
            please = "" if us else self.pick({"": 8, "last": 2})
            return Order(action, group.polarity, us, please)
        tenses = {"past": 5, "present": 2, "future": 2, "going to": 1, "must": 1, "have to": 1}
        tense = self.pick(tenses)
        ambiguous = chosen.past == chosen.base and subject.english_person != 2
        tense = "past" if tense == "present" and ambiguous else tense
        group = VerbGroup(tense, "not" if self.chance(0.15) else "")
        action = BodyAction(chosen, group, part, whose=whose(subject))
        return Clause(subject, action, self.time(group))

    def part(self, noun, chosen: Verb) -> NounPhrase:
        several = noun.english in PAIRED and chosen.base in ("wash", "brush", "open", "close")
        return NounPhrase(noun, "the", several)

    def trait(self, subject) -> Clause:
        name = self.random.choice(list(TRAITS))
        adjective = ADJECTIVE[self.random.choice(TRAITS[name])]
        group = VerbGroup(self.pick({"present": 4, "past": 1}), "not" if self.chance(0.12) else "")
        trait = Trait(NOUNS[name], "a", name == "eye", (adjective,))
        return Clause(subject, Action(verb("have", transitive=True), group, trait))

    def ache(self) -> Ache:
        cold = self.chance(0.15)
        noun = NOUNS[self.random.choice(("foot", "hand", "ear") if cold else ACHING)]
        several = noun.english in PAIRED and (cold or self.chance(0.5))
        owner = Pronoun(self.random.choice(PERSONS))
        if self.chance(0.2):
            determiner = self.random.choice(["my", "my", "his", "her", "your"])
            owner = NounPhrase(self.noun_of("kin"), determiner)
        return Ache(owner, NounPhrase(noun, "the", several), cold)



def whose(subject: Pronoun | NounPhrase | Coordination) -> str:
    """The possessive of what is the subject's own."""
    return words.OWNING[subject.subject if isinstance(subject, Pronoun) else subject.pronoun]
