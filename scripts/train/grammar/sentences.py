"""Whole sentences and their text: contraction, capital letter and final mark."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from . import english, french, words
from .clauses import Clause, Predicate, VerbGroup
from .syntax import Coordination, NounPhrase, Pair, Pronoun
from .verbs import BEING


class Text(NamedTuple):
    """A sentence pair: the English as it is typed, the French as tokens to be generated."""

    english: str
    french: tuple[str, ...]
    pairs: frozenset[Pair]

    @property
    def french_text(self) -> str:
        return french.join(list(self.french))


class Style(NamedTuple):
    """How the English is written: didn't, it's (or isn't), the final mark."""

    fold_not: bool = True
    fold_be: bool = False
    mark: str = "."


@dataclass(frozen=True)
class Compound:
    """Two clauses and a conjunction. "because" goes with a pronoun that needs its antecedent."""

    first: Clause
    conjunction: str
    second: "Clause | Weather"
    candidates: tuple[str, ...] = ()  # English nouns the pronoun may stand for

    def english(self) -> list[str]:
        return self.first.english() + [self.conjunction] + self.second.english()

    def french(self) -> list[str]:
        conjunction = words.CONJUNCTIONS[self.conjunction].split()
        return self.first.french() + conjunction + self.second.french()

    def pairs(self) -> Iterator[Pair]:
        yield from self.first.pairs()
        yield from self.second.pairs()
        if self.candidates:
            yield "antecedent", *sorted(self.candidates)


@dataclass(frozen=True)
class SharedSubject:
    """One subject, two predicates: "The cat saw the mouse and chased it." """

    clause: Clause
    conjunction: str
    predicate: Predicate

    def english(self) -> list[str]:
        second = self.predicate.english(self.clause.subject)
        return self.clause.english() + [self.conjunction] + second

    def french(self) -> list[str]:
        second = self.predicate.french(self.clause.subject)
        return self.clause.french() + [words.CONJUNCTIONS[self.conjunction]] + second

    def pairs(self) -> Iterator[Pair]:
        yield from self.clause.pairs()
        yield from self.predicate.pairs(self.clause.subject)


@dataclass(frozen=True)
class Identification:
    """ "This is a cat" -> "c'est un chat" """

    noun_phrase: NounPhrase
    word: str  # it, this, that; they, these, those in the plural
    group: VerbGroup

    def english(self) -> list[str]:
        person = self.noun_phrase.english_person
        return [self.word] + self.group.english(BEING, person) + self.noun_phrase.english()

    def french(self) -> list[str]:
        group = self.group.french(BEING, self.noun_phrase.agreement)
        return ["ce"] + group + self.noun_phrase.french()

    def pairs(self) -> Iterator[Pair]:
        return self.noun_phrase.pairs()


@dataclass(frozen=True)
class Existence:
    """ "There is a cat in the garden" -> "il y a un chat dans le jardin" """

    noun_phrase: NounPhrase
    group: VerbGroup
    place: object

    def english(self) -> list[str]:
        person = self.noun_phrase.english_person
        out = ["there"] + self.group.english(BEING, person) + self.noun_phrase.english()
        return out + (self.place.english() if self.place else [])

    def french(self) -> list[str]:
        tense = {"past": french.imparfait, "future": french.future}
        has = tense.get(self.group.tense, french.present)("avoir")[2]
        negated = self.group.polarity == "not"
        out = ["il", "n'", "y", has, "pas"] if negated else ["il", "y", has]
        out += self.noun_phrase.french(partitive="de" if negated else "des")
        return out + (self.place.french() if self.place else [])

    def pairs(self) -> Iterator[Pair]:
        yield from self.noun_phrase.pairs()
        if self.place:
            yield from self.place.pairs()


@dataclass(frozen=True)
class Whereabouts:
    """ "Where is the cat?" -> "Où est le chat ?" """

    noun_phrase: NounPhrase
    group: VerbGroup

    def english(self) -> list[str]:
        person = self.noun_phrase.english_person
        return ["where"] + self.group.english(BEING, person) + self.noun_phrase.english()

    def french(self) -> list[str]:
        group = self.group.french(BEING, self.noun_phrase.agreement)
        return ["où"] + group + self.noun_phrase.french()

    def pairs(self) -> Iterator[Pair]:
        return self.noun_phrase.pairs()


@dataclass(frozen=True)
class Weather:
    """ "It is raining" -> "il pleut", with a time or nothing after it."""

    english_words: str
    time: tuple[str, str] = ("", "")

    def english(self) -> list[str]:
        return self.english_words.split() + self.time[0].split()

    def french(self) -> list[str]:
        return words.WEATHER[self.english_words].split() + self.time[1].split()

    def pairs(self) -> Iterator[Pair]:
        return iter(())


Fragment = NounPhrase | Coordination
Sentence = (
    Clause
    | Compound
    | SharedSubject
    | Identification
    | Existence
    | Whereabouts
    | Weather
    | Fragment
)


def render(sentence: Sentence, style: Style = Style()) -> Text:
    """The text of a sentence. A noun phrase without a final mark stays in lower case."""
    sources = english.contract(sentence.english(), style.fold_not, style.fold_be)
    targets = french.spell(sentence.french())
    if style.mark:
        sources.append(style.mark)
        targets.append(style.mark)
    text = english.join(["I" if word == "i" else word for word in sources])
    if style.mark or not isinstance(sentence, Fragment):
        text = text[0].upper() + text[1:]
        targets[0] = targets[0][0].upper() + targets[0][1:]
    return Text(text, tuple(targets), frozenset(sentence.pairs()))


def subject_pronoun(noun_phrase: NounPhrase | Coordination) -> Pronoun:
    """The pronoun that takes up a noun phrase."""
    return Pronoun(noun_phrase.pronoun, noun_phrase)
