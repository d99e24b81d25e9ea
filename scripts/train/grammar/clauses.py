"""Verb groups, predicates and clauses, in English and in French."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from . import french, words
from .adjectives import SENSATIONS, Adjective
from .nouns import FEMININE_JOBS, MASCULINE_JOBS, Noun
from .syntax import Agreement, Coordination, NounPhrase, Pair, Phrase, Place, Pronoun, That
from .verbs import BEING, MAKES, Verb

Subject = NounPhrase | Coordination | Pronoun | That

# English auxiliary that French turns into a verb of its own, before an infinitive.
MODALS = {
    "can": ("pouvoir", "present"),
    "could": ("pouvoir", "imparfait"),
    "must": ("devoir", "present"),
    "want": ("vouloir", "present"),
    "wanted": ("vouloir", "imparfait"),
    "going to": ("aller", "present"),
}


@dataclass(frozen=True)
class VerbGroup:
    """Tense, polarity ("", "not" or "never") and adverb of frequency.

    ``tense``: "present", "progressive", "past", "past progressive", "perfect", "future" or a modal.
    """

    tense: str = "present"
    polarity: str = ""
    frequency: str = ""

    def english(self, verb: Verb, person: int) -> list[str]:
        not_ = ["not"] if self.polarity == "not" else []
        adverb = ["never"] if self.polarity == "never" else [self.frequency] * bool(self.frequency)
        third = person == 2
        be = words.BE_PRESENT[person]
        if verb is BEING and self.tense in ("present", "past"):
            return [be if self.tense == "present" else words.BE_PAST[person], *not_, *adverb]
        if self.tense in ("present", "past", "want", "wanted"):
            return self._simple(verb, third, not_, adverb)
        if self.tense == "progressive":
            return [be, *not_, *adverb, verb.gerund]
        if self.tense == "past progressive":
            return [words.BE_PAST[person], *not_, *adverb, verb.gerund]
        if self.tense == "perfect":
            return ["has" if third else "have", *not_, *adverb, verb.participle]
        if self.tense == "going to":
            return [be, *not_, *adverb, "going", "to", verb.base]
        auxiliary = "will" if self.tense == "future" else self.tense
        return [auxiliary, *not_, *adverb, verb.base]

    def _simple(self, verb: Verb, third: bool, not_: list[str], adverb: list[str]) -> list[str]:
        base, past, present = verb.base, verb.past, verb.third_person
        infinitive = []
        if self.tense.startswith("want"):
            base, past, present, infinitive = "want", "wanted", "wants", ["to", verb.base]
        in_past = self.tense in ("past", "wanted")
        if not_:
            return ["did" if in_past else "does" if third else "do", "not", base, *infinitive]
        return [*adverb, past if in_past else present if third else base, *infinitive]

    def french(
        self,
        verb: Verb,
        agreement: Agreement,
        clitic: str = "",
        object_agreement: Agreement | None = None,
    ) -> list[str]:
        """``object_agreement``: of an object before the verb, which a participle agrees with."""
        person = agreement.person
        sitting = verb.base == "sit" and self.tense.endswith("progressive")
        reflexive = verb.reflexive and not sitting
        pronoun = [french.REFLEXIVES[person]] if reflexive else [clitic] if clitic else []
        finite, rest, inner = self._finite(verb, agreement, object_agreement)
        before, after = (pronoun, []) if not inner else ([], pronoun)
        ne, pas = [], []
        if self.polarity:
            ne, pas = ["ne"], ["pas" if self.polarity == "not" else "jamais"]
        adverb = words.FREQUENCIES[self.frequency].split() if self.frequency else []
        return ne + before + [finite] + pas + adverb + after + rest

    def _finite(
        self, verb: Verb, agreement: Agreement, object_agreement: Agreement | None
    ) -> tuple[str, list[str], bool]:
        """The finite verb, the words after it, and whether a clitic goes before the latter."""
        person = agreement.person
        if self.tense in MODALS:
            modal, tense = MODALS[self.tense]
            return french.CONJUGATIONS[tense](modal)[person], [verb.french], True
        if verb.base == "sit" and self.tense.endswith("progressive"):
            tense = "present" if self.tense == "progressive" else "imparfait"
            seated = french.participle("asseoir", agreement.feminine, agreement.plural)
            return french.CONJUGATIONS[tense]("être")[person], [seated], False
        past = self.tense == "past"
        if self.tense == "perfect" or (past and "state" not in verb.flags):
            with_be = "être" in verb.flags or verb.reflexive
            auxiliary = french.present("être" if with_be else "avoir")[person]
            agrees = agreement if with_be else object_agreement or Agreement(2, False)
            done = french.participle(verb.french, agrees.feminine, agrees.plural)
            return auxiliary, [done], False
        tense = {"past": "imparfait", "past progressive": "imparfait", "future": "future"}
        return french.CONJUGATIONS[tense.get(self.tense, "present")](verb.french)[person], [], False

    @property
    def is_past(self) -> bool:
        return self.tense in ("past", "past progressive", "perfect", "could", "wanted")


@dataclass(frozen=True)
class Action:
    """A verb with its object, recipient and circumstances."""

    verb: Verb
    group: VerbGroup
    object: NounPhrase | Coordination | Pronoun | None = None
    recipient: NounPhrase | None = None
    shifted: bool = False  # "gave the child a book" for "gave a book to the child"
    place: Place | Phrase | None = None
    manner: str = ""

    def english(self, subject: Subject) -> list[str]:
        out = self.group.english(self.verb, subject.english_person) + list(self.verb.particle)
        things = []
        if isinstance(self.object, Pronoun):
            things = self.object.english_object()
        elif self.object:
            things = self.object.english()
        recipient = self.recipient.english() if self.recipient else []
        if self.shifted:
            out += recipient + things
        else:
            out += things + (["to"] + recipient if recipient else [])
        return out + (self.place.english() if self.place else []) + self.manner.split()

    def french(self, subject: Subject) -> list[str]:
        agreement, verb = subject.agreement, self.verb
        if isinstance(self.object, Pronoun):
            pronoun = self.object
            out = self.group.french(verb, agreement, pronoun.clitic(), pronoun.agreement)
        else:
            out = self.group.french(verb, agreement) + list(verb.links)
        out += [words.MANNERS[self.manner]] if self.manner else []
        if isinstance(self.object, NounPhrase | Coordination):
            partitive = "" if verb.links else "de" if self.group.polarity else "des"
            out += self.object.french("generic" in verb.flags, partitive)
        if self.recipient:
            out += ["à"] + self.recipient.french()
        return out + (self.place.french() if self.place else [])

    def pairs(self, subject: Subject) -> Iterator[Pair]:
        for part in (self.object, self.recipient, self.place):
            if part:
                yield from part.pairs()


@dataclass(frozen=True)
class Copula:
    """Being: an adjective, a sensation (hungry), a job, a place or a noun phrase."""

    complement: Adjective | str | Noun | Place | Phrase
    group: VerbGroup
    degree: str = ""

    def english(self, subject: Subject) -> list[str]:
        out = self.group.english(BEING, subject.english_person) + self.degree.split()
        if isinstance(self.complement, Adjective):
            return out + [self.complement.english]
        if isinstance(self.complement, str):
            return out + [self.complement]
        if isinstance(self.complement, Noun):
            if subject.agreement.plural:
                return out + [self.complement.english_plural]
            noun = NounPhrase(self.complement, "a")
            return out + noun.english()
        return out + self.complement.english()

    def french(self, subject: Subject) -> list[str]:
        agreement = subject.agreement
        verb = BEING
        if isinstance(self.complement, str):
            verb = replace(BEING, french="avoir")
        out = self.group.french(verb, agreement)
        out += [words.DEGREES[self.degree]] if self.degree else []
        if isinstance(self.complement, Adjective):
            return out + [self.complement.french(agreement.feminine, agreement.plural)]
        if isinstance(self.complement, str):
            return out + [SENSATIONS[self.complement]]
        if isinstance(self.complement, Noun):
            return out + [job(self.complement, agreement)]
        return out + self.complement.french()

    def pairs(self, subject: Subject) -> Iterator[Pair]:
        if isinstance(self.complement, Adjective):
            for noun in subject.nouns():
                yield self.complement.english, noun.english
        elif isinstance(self.complement, Place):
            yield from self.complement.pairs()


def job(noun: Noun, agreement: Agreement) -> str:
    """The name of a job as a predicate, without an article: "elle est boulangère"."""
    if agreement.feminine:
        word = FEMININE_JOBS.get(noun.french, noun.french)
    else:
        word = MASCULINE_JOBS.get(noun.french, noun.french)
    return french.plural(word) if agreement.plural else word


@dataclass(frozen=True)
class Making:
    """ "makes me happy" -> "me rend heureux" """

    adjective: Adjective
    object: NounPhrase | Pronoun
    group: VerbGroup

    def english(self, subject: Subject) -> list[str]:
        out = self.group.english(MAKES, subject.english_person)
        pronoun = isinstance(self.object, Pronoun)
        out += self.object.english_object() if pronoun else self.object.english()
        return out + [self.adjective.english]

    def french(self, subject: Subject) -> list[str]:
        agreement = self.object.agreement
        adjective = self.adjective.french(agreement.feminine, agreement.plural)
        if isinstance(self.object, Pronoun):
            clitic = self.object.clitic()
            return self.group.french(MAKES, subject.agreement, clitic, agreement) + [adjective]
        out = self.group.french(MAKES, subject.agreement)
        return out + self.object.french() + [adjective]

    def pairs(self, subject: Subject) -> Iterator[Pair]:
        yield from self.object.pairs()
        for noun in self.object.nouns():
            yield self.adjective.english, noun.english


Predicate = Action | Copula | Making


@dataclass(frozen=True)
class Clause:
    """Subject and predicate with a time, English and French, after them or (fronted) before."""

    subject: Subject
    predicate: Predicate
    time: tuple[str, str] = ("", "")
    fronted: str = ""  # "," or "no comma", which is a matter of the English alone

    def english(self) -> list[str]:
        out = self.subject.english() + self.predicate.english(self.subject)
        if self.fronted:
            return self.time[0].split() + [","] * (self.fronted == ",") + out
        return out + self.time[0].split()

    def french(self) -> list[str]:
        subject = self.subject.french(generic=True)
        if isinstance(self.subject, That) and isinstance(self.predicate, Copula):
            subject = ["ce"]
        out = subject + self.predicate.french(self.subject)
        if self.fronted:
            return self.time[1].split() + [","] + out
        return out + self.time[1].split()

    def pairs(self) -> Iterator[Pair]:
        yield from self.subject.pairs()
        yield from self.predicate.pairs(self.subject)


@dataclass(frozen=True)
class SubjectRelative:
    """ "that chased the mouse" -> "qui a poursuivi la souris" """

    word: str  # that, which or who
    predicate: Predicate

    def english(self, antecedent: NounPhrase) -> list[str]:
        return [self.word] + self.predicate.english(antecedent.plain())

    def french(self, antecedent: NounPhrase) -> list[str]:
        return ["qui"] + self.predicate.french(antecedent.plain())

    def pairs(self, antecedent: NounPhrase) -> Iterator[Pair]:
        return self.predicate.pairs(antecedent.plain())


@dataclass(frozen=True)
class ObjectRelative:
    """ "that the mouse ate" -> "que la souris a mangé", the participle agreeing."""

    word: str
    subject: NounPhrase | Pronoun
    verb: Verb
    group: VerbGroup

    def english(self, antecedent: NounPhrase) -> list[str]:
        group = self.group.english(self.verb, self.subject.english_person)
        return [self.word, *self.subject.english(), *group, *self.verb.particle]

    def french(self, antecedent: NounPhrase) -> list[str]:
        group = self.group.french(
            self.verb, self.subject.agreement, object_agreement=antecedent.agreement
        )
        return ["que"] + self.subject.french(generic=True) + group

    def pairs(self, antecedent: NounPhrase) -> Iterator[Pair]:
        return self.subject.pairs()
