"""Predicates and clauses, in English and in French."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from . import english, french, words
from .adjectives import SENSATIONS, Adjective
from .aligned import like, mark, own
from .nouns import FEMININE_JOBS, MASCULINE_JOBS, Noun
from .syntax import Agreement, Coordination, NounPhrase, Pair, Phrase, Place, Pronoun, That
from .verb_group import VerbGroup
from .verbs import BEING, MAKES, Verb

Subject = NounPhrase | Coordination | Pronoun | That

SEPARABLE = {"back", "up", "on", "off", "away"}  # "turn it off"
INNER_MANNERS = ("well", "a lot", "too much")


@dataclass(frozen=True)
class Action:
    """A verb with its object, recipient and circumstances."""

    verb: Verb
    group: VerbGroup
    object: NounPhrase | Coordination | Pronoun | None = None
    recipient: NounPhrase | Pronoun | None = None
    shifted: bool = False  # "gave the child a book" for "gave a book to the child"
    place: Place | Phrase | None = None
    manner: str = ""

    def english(self, subject: Subject) -> list[str]:
        return (
            own(self, self.group.english(self.verb, subject.english_person)) + self.english_rest()
        )

    def english_question(self, subject: Subject) -> list[str]:
        auxiliary, rest = self.group.inverted(self.verb, subject.english_person)
        return own(self, auxiliary) + subject.english() + own(self, rest) + self.english_rest()

    def english_rest(self) -> list[str]:
        """What follows the verb."""
        things = english_object(self.object)
        recipient = english_object(self.recipient)
        out = own(self, mark(self.verb.particle, "particle"))
        if isinstance(self.object, Pronoun) and set(self.verb.particle) & SEPARABLE:
            things, out = things + out, []
        if self.shifted:
            out += recipient + things
        else:
            to = own(self, mark([self.verb.preposition], "to")) if recipient else []
            out += things + to + recipient
        out += self.place.english() if self.place else []
        return out + own(self, mark(self.manner, "manner"))

    def clitics(self) -> list[str]:
        """The pronouns before the French verb: me, te, nous, then le, la, les, then lui, leur."""
        recipient, thing = self.recipient, self.object
        first = [recipient.clitic(True)] if isinstance(recipient, Pronoun) else []
        second = [thing.clitic(self.dative)] if isinstance(thing, Pronoun) else []
        swap = first and second and first[0] in ("lui", "leur")
        return second + first if swap else first + second

    @property
    def dative(self) -> bool:
        """Whether the French object is an indirect one: "répondre à"."""
        return self.verb.links == ("à",)

    def french(self, subject: Subject) -> list[str]:
        agreement, clitics = subject.agreement, self.clitics()
        precedes = isinstance(self.object, Pronoun) and not self.dative
        object_agreement = self.object.agreement if precedes else None
        if self.verb.reflexive and self.object and not self.verb.links:
            object_agreement = Agreement(2, False)  # of an object that follows
        out = self.group.french(self.verb, agreement, clitics, object_agreement)
        if self._inner_manner():
            out[-1:-1] = mark(words.MANNERS[self.manner], "manner")
        return own(self, out) + self.french_rest()

    def _inner_manner(self) -> bool:
        """ "bien" and the like go before the participle: "il a bien dormi" """
        return self.manner in INNER_MANNERS and self.group.tense in ("past", "perfect")

    def french_rest(self) -> list[str]:
        """What follows the verb."""
        pronoun = isinstance(self.object, Pronoun)
        verb = self.verb
        links = verb.links
        if self.group.polarity and links[:1] in (("un",), ("une",)):
            links = ("de", *links[1:])
        out = [] if pronoun else mark(links, "particle", "verb")
        manner = words.MANNERS[self.manner] if self.manner and not self._inner_manner() else ""
        out = own(self, mark(manner, "manner") + out)
        if isinstance(self.object, NounPhrase | Coordination):
            negated = self.group.polarity and not verb.links
            without = verb.links[-1:] == ("de",) or "without" in verb.flags
            partitive = "" if without else "de" if negated else "des"
            out += self.object.french("generic" in verb.flags, partitive)
        if isinstance(self.recipient, NounPhrase):
            out += own(self, mark(["à"], "to", "verb")) + self.recipient.french()
        return out + (self.place.french() if self.place else [])

    def pairs(self, subject: Subject) -> Iterator[Pair]:
        for part in (self.object, self.recipient, self.place):
            if part:
                yield from part.pairs()


@dataclass(frozen=True)
class Copula:
    """Being: an adjective, a sensation (hungry), a job, a place or a noun phrase; or seeming, becoming, feeling."""

    complement: "Adjective | str | Noun | Place | Phrase | Comparison"
    group: VerbGroup
    degree: str = ""
    verb: Verb = BEING

    def english(self, subject: Subject) -> list[str]:
        group = own(self, self.group.english(self.verb, subject.english_person))
        return group + self.english_rest(subject)

    def english_question(self, subject: Subject) -> list[str]:
        auxiliary, rest = self.group.inverted(self.verb, subject.english_person)
        return (
            own(self, auxiliary) + subject.english() + own(self, rest) + self.english_rest(subject)
        )

    def english_rest(self, subject: Subject) -> list[str]:
        out = own(self, mark(self.degree, "degree"))
        if isinstance(self.complement, Adjective):
            return out + own(self, mark(self.complement.english, "complement"))
        if isinstance(self.complement, str):
            return out + own(self, mark([self.complement], "complement"))
        if isinstance(self.complement, Noun):
            if subject.agreement.plural:
                return out + own(self, mark([self.complement.english_plural], "complement"))
            article = english.article(self.complement.english)
            noun = mark([self.complement.english], "complement")
            return out + own(self, mark([article], "article") + noun)
        return out + self.complement.english()

    def french(self, subject: Subject) -> list[str]:
        agreement = subject.agreement
        verb = replace(BEING, french="avoir") if isinstance(self.complement, str) else self.verb
        group = self.group.french(verb, agreement) + mark(verb.links, "particle", "verb")
        return own(self, group) + self.french_rest(agreement)

    def french_rest(self, agreement: Agreement) -> list[str]:
        out = own(self, mark(words.DEGREES[self.degree], "degree") if self.degree else [])
        if isinstance(self.complement, Adjective):
            form = self.complement.french(agreement.feminine, agreement.plural)
            return out + own(self, mark(form, "complement"))
        if isinstance(self.complement, str):
            return out + own(self, mark(SENSATIONS[self.complement], "complement"))
        if isinstance(self.complement, Noun):
            return out + own(self, mark([job(self.complement, agreement)], "complement"))
        if isinstance(self.complement, Comparison):
            return out + self.complement.french(agreement)
        return out + self.complement.french()

    def pairs(self, subject: Subject) -> Iterator[Pair]:
        if isinstance(self.complement, Adjective):
            for noun in subject.nouns():
                yield self.complement.english, noun.english
        elif isinstance(self.complement, Place | Comparison):
            yield from self.complement.pairs()


@dataclass(frozen=True)
class Comparison:
    """ "bigger than the dog" -> "plus grand que le chien"; ``than`` None: "the biggest", "le plus grand" """

    adjective: Adjective
    kind: str  # more, less, as or most
    than: NounPhrase | Pronoun | None = None
    scope: Place | Phrase | None = None  # of the superlative: "in the world", "of the family"

    def english(self) -> list[str]:
        word = self.adjective.english
        long = english.is_long(word)
        if self.kind == "most":
            form = ["most", word] if long else [english.comparative(word, "est")]
            scope = self.scope.english() if self.scope else []
            return own(self, mark(["the"], "the") + self._adjective(form, "more")) + scope
        if self.kind == "more":
            form = ["more", word] if long else [english.comparative(word)]
        else:
            form = [self.kind, word]
        link = mark(["as" if self.kind == "as" else "than"], "than")
        return own(self, self._adjective(form, "more") + link) + english_object(self.than)

    @staticmethod
    def _adjective(form: list[str], degree: str) -> list[str]:
        return mark(form[:-1], degree) + mark(form[-1:], "adjective")

    def french(self, agreement: Agreement) -> list[str]:
        form = self.adjective.french(agreement.feminine, agreement.plural)
        if self.kind in ("more", "most") and self.adjective.english in ("good", "bad"):
            better = {"good": "meilleur", "bad": "pire"}[self.adjective.english]
            better = french.feminine(better) if agreement.feminine else better
            out = mark([french.plural(better) if agreement.plural else better], "adjective")
        else:
            degree = {"more": "plus", "most": "plus", "less": "moins", "as": "aussi"}[self.kind]
            out = mark([degree], "more", "adjective") + mark([form], "adjective")
        if not self.than:
            the = ("les" if agreement.plural else "la" if agreement.feminine else "le",)
            return own(self, mark(the, "the") + out) + (self.scope.french() if self.scope else [])
        pronoun = isinstance(self.than, Pronoun)
        than = self.than.stressed() if pronoun else self.than.french()
        return own(self, out + mark(["que"], "than")) + than

    def pairs(self) -> Iterator[Pair]:
        if self.than:
            yield from self.than.pairs()


@dataclass(frozen=True)
class Task:
    """ "to learn French" -> "de apprendre le français", after "it is easy" """

    action: Action

    def english(self) -> list[str]:
        verb = mark(["to"], "to") + mark([self.action.verb.base], "verb")
        return own(self, verb) + self.action.english_rest()

    def french(self) -> list[str]:
        verb = self.action.verb
        reflexive = mark(["se"] if verb.reflexive else [], "verb")
        infinitive = own(self, mark(["de"], "to") + reflexive)
        infinitive += self.action.clitics() + own(self, mark([verb.french], "verb"))
        return infinitive + self.action.french_rest()


def english_object(thing: "NounPhrase | Coordination | Pronoun | None") -> list[str]:
    if isinstance(thing, Pronoun):
        return thing.english_object()
    return thing.english() if thing else []


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
        return own(self, self.group.english(MAKES, subject.english_person)) + self.english_rest()

    def english_question(self, subject: Subject) -> list[str]:
        auxiliary, rest = self.group.inverted(MAKES, subject.english_person)
        return own(self, auxiliary) + subject.english() + own(self, rest) + self.english_rest()

    def english_rest(self) -> list[str]:
        return english_object(self.object) + own(self, mark([self.adjective.english], "adjective"))

    def french(self, subject: Subject) -> list[str]:
        agreement = self.object.agreement
        form = self.adjective.french(agreement.feminine, agreement.plural)
        adjective = own(self, mark([form], "adjective"))
        if isinstance(self.object, Pronoun):
            clitics = [self.object.clitic()]
            group = self.group.french(MAKES, subject.agreement, clitics, agreement)
            return own(self, group) + adjective
        group = own(self, self.group.french(MAKES, subject.agreement))
        return group + self.object.french() + adjective

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
    task: Task | None = None

    def english(self) -> list[str]:
        out = self.subject.english() + self.predicate.english(self.subject)
        time = own(self, mark(self.time[0], "time"))
        if self.fronted:
            return time + own(self, mark([","] * (self.fronted == ","), "comma")) + out
        return out + (self.task.english() if self.task else []) + time

    def french(self) -> list[str]:
        subject = self.subject.french(generic=True)
        if isinstance(self.subject, That) and isinstance(self.predicate, Copula):
            subject = [like("ce", subject[0])]
        out = subject + self.predicate.french(self.subject)
        time = own(self, mark(self.time[1], "time"))
        if self.fronted:
            return time + own(self, mark([","], "comma")) + out
        return out + (self.task.french() if self.task else []) + time

    def pairs(self) -> Iterator[Pair]:
        yield from self.subject.pairs()
        yield from self.predicate.pairs(self.subject)


@dataclass(frozen=True)
class SubjectRelative:
    """ "that chased the mouse" -> "qui a poursuivi la souris" """

    word: str  # that, which or who
    predicate: Predicate

    def english(self, antecedent: NounPhrase) -> list[str]:
        return own(self, mark([self.word], "that")) + self.predicate.english(antecedent.plain())

    def french(self, antecedent: NounPhrase) -> list[str]:
        return own(self, mark(["qui"], "that")) + self.predicate.french(antecedent.plain())

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
        verb = own(self, group + mark(self.verb.particle, "particle"))
        return own(self, mark([self.word], "that")) + self.subject.english() + verb

    def french(self, antecedent: NounPhrase) -> list[str]:
        group = self.group.french(
            self.verb, self.subject.agreement, object_agreement=antecedent.agreement
        )
        return (
            own(self, mark(["que"], "that")) + self.subject.french(generic=True) + own(self, group)
        )

    def pairs(self, antecedent: NounPhrase) -> Iterator[Pair]:
        return self.subject.pairs()
