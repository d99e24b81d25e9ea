"""More predicates: the passive, and what one does to a part of one's body."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from . import french, words
from .aligned import like, mark, own
from .clauses import Action, Subject, english_object
from .syntax import NounPhrase, Pair, Phrase, Place, Pronoun
from .verb_group import VerbGroup
from .verbs import BEING, Verb

HAVING = replace(BEING, french="avoir")


@dataclass(frozen=True)
class Passive:
    """ "was opened by the dog" -> "a été ouvert par le chien" """

    verb: Verb
    group: VerbGroup
    agent: NounPhrase | Pronoun | None = None
    place: Place | Phrase | None = None

    def english(self, subject: Subject) -> list[str]:
        group = self.group.english(BEING, subject.english_person)
        return own(self, group) + self.english_rest()

    def english_question(self, subject: Subject) -> list[str]:
        auxiliary, rest = self.group.inverted(BEING, subject.english_person)
        return own(self, auxiliary) + subject.english() + own(self, rest) + self.english_rest()

    def english_rest(self) -> list[str]:
        by = mark(["by"] if self.agent else [], "by")
        done = mark([self.verb.participle, *self.verb.particle], "participle")
        place = self.place.english() if self.place else []
        return own(self, done + by) + english_object(self.agent) + place

    def french(self, subject: Subject) -> list[str]:
        agreement = subject.agreement
        past = self.group.tense == "past"
        group = replace(self.group, tense="perfect") if past else self.group
        done = french.participle(self.verb.french, agreement.feminine, agreement.plural)
        out = group.french(BEING, agreement) + mark([done], "participle")
        out += mark(["par"] if self.agent else [], "by")
        agent = self.agent
        if agent:
            agent = agent.stressed() if isinstance(agent, Pronoun) else agent.french()
        return own(self, out) + (agent or []) + (self.place.french() if self.place else [])

    def pairs(self, subject: Subject) -> Iterator[Pair]:
        for part in (self.agent, self.place):
            if part:
                yield from part.pairs()


@dataclass(frozen=True)
class BodyAction(Action):
    """ "wash my hands" -> "me lave les mains": the object is the part, whose owner is the subject."""

    whose: str = "my"

    def english_rest(self) -> list[str]:
        the, *rest = super().english_rest()
        return [like(self.whose, the), *rest]


@dataclass(frozen=True)
class Trait(NounPhrase):
    """ "blue eyes" -> "les yeux bleus", of somebody who has them."""

    def french(self, generic: bool = False, partitive: str = "des") -> list[str]:
        (adjective,) = self.adjectives
        noun = self.noun.french_plural if self.plural else self.noun.french
        form = adjective.french(self.noun.feminine, True)
        out = mark(["les"], "determiner", "noun") + mark([noun], "noun")
        return own(self, out + mark([form], adjective.english))


@dataclass(frozen=True)
class Ache:
    """ "my head hurts" -> "j'ai mal à la tête"; ``cold``: "my feet are cold" -> "j'ai froid aux pieds" """

    owner: Pronoun | NounPhrase
    part: NounPhrase  # with "the"
    cold: bool = False

    def english(self) -> list[str]:
        the, *part = self.part.english()
        person = self.part.english_person
        if isinstance(self.owner, Pronoun):
            whose = [like(words.OWNING[word], word) for word in self.owner.english()]
        else:
            whose = self.owner.english() + own(self, mark(["'s"], "owner"))
        if self.cold:
            state = VerbGroup().english(BEING, person) + mark(["cold"], "pain")
        else:
            state = mark(["hurts" if person == 2 else "hurt"], "pain")
        return whose + part + own(self, state)

    def french(self) -> list[str]:
        has = mark(VerbGroup().french(HAVING, self.owner.agreement), "verb", "pain")
        pain = mark(["froid" if self.cold else "mal"], "pain")
        return self.owner.french() + own(self, has + pain + mark(["à"], "pain")) + self.part.french()

    def pairs(self) -> Iterator[Pair]:
        return iter(())


