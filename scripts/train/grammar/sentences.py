"""Whole sentences and their text: contraction, capital letter and final mark."""

from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import NamedTuple

from . import english, french, words
from .aligned import Links, align, like, mark, own, references, word_with
from .clauses import Action, Clause, Predicate, Subject
from .syntax import Agreement, Coordination, NounPhrase, Pair, Pronoun
from .verb_group import VerbGroup
from .verbs import BEING, Verb


class Text(NamedTuple):
    """A sentence pair: the English as it is typed, the French as tokens to be generated."""

    english: str
    french: tuple[str, ...]
    pairs: frozenset[Pair]
    links: tuple[Links, ...] = ()  # the English tokens that each French one renders
    references: dict[int, Links] = {}  # of a pronoun's token: those of its antecedent's nouns
    # For the figures: the construction, and whether somebody is given or told something.
    kind: str = ""
    recipient: bool = False

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
        conjunction = own(self, mark([self.conjunction], "conjunction"))
        return self.first.english() + conjunction + self.second.english()

    def french(self) -> list[str]:
        conjunction = own(self, mark(words.CONJUNCTIONS[self.conjunction], "conjunction"))
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
        return self.clause.english() + own(self, mark([self.conjunction], "conjunction")) + second

    def french(self) -> list[str]:
        second = self.predicate.french(self.clause.subject)
        conjunction = mark([words.CONJUNCTIONS[self.conjunction]], "conjunction")
        return self.clause.french() + own(self, conjunction) + second

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
        group = self.group.english(BEING, person)
        return own(self, mark([self.word], "this") + group) + self.noun_phrase.english()

    def english_question(self) -> list[str]:
        auxiliary, rest = self.group.inverted(BEING, self.noun_phrase.english_person)
        words_ = own(self, auxiliary + mark([self.word], "this") + rest)
        return words_ + self.noun_phrase.english()

    def french(self) -> list[str]:
        group = self.group.french(BEING, self.noun_phrase.agreement)
        return own(self, mark(["ce"], "this") + group) + self.noun_phrase.french()

    def pairs(self) -> Iterator[Pair]:
        return self.noun_phrase.pairs()


@dataclass(frozen=True)
class Existence:
    """ "There is a cat in the garden" -> "il y a un chat dans le jardin" """

    noun_phrase: NounPhrase
    group: VerbGroup
    place: object

    def english(self) -> list[str]:
        group = self.group.english(BEING, self.noun_phrase.english_person)
        there = own(self, mark(["there"], "there") + group)
        return there + self.noun_phrase.english() + (self.place.english() if self.place else [])

    def english_question(self) -> list[str]:
        auxiliary, rest = self.group.inverted(BEING, self.noun_phrase.english_person)
        there = own(self, auxiliary + mark(["there"], "there") + rest)
        return there + self.noun_phrase.english() + (self.place.english() if self.place else [])

    def french(self) -> list[str]:
        has = self.group.french(replace(BEING, french="avoir"), Agreement(2, False))
        negated = has[0] == "ne"
        there = mark("il", "there") + has[:negated] + mark("y", "there") + has[negated:]
        out = own(self, there) + self.noun_phrase.french(partitive="de" if negated else "des")
        return out + (self.place.french() if self.place else [])

    def pairs(self) -> Iterator[Pair]:
        yield from self.noun_phrase.pairs()
        if self.place:
            yield from self.place.pairs()


@dataclass(frozen=True)
class Weather:
    """ "It is raining" -> "il pleut", with a time or nothing after it."""

    english_words: str
    time: tuple[str, str] = ("", "")

    def english(self) -> list[str]:
        return own(self, mark(self.english_words, "weather") + mark(self.time[0], "time"))

    def french(self) -> list[str]:
        weather = words.WEATHER[self.english_words]
        return own(self, mark(weather, "weather") + mark(self.time[1], "time"))

    def pairs(self) -> Iterator[Pair]:
        return iter(())


@dataclass(frozen=True)
class Belief:
    """ "I think that he is tired" -> "je pense qu'il est fatigué" """

    subject: Subject
    verb: Verb
    group: VerbGroup
    clause: Clause | Weather
    said: bool  # whether the English says "that"

    def english(self) -> list[str]:
        group = self.group.english(self.verb, self.subject.english_person)
        that = mark(["that"] * self.said, "that")
        return self.subject.english() + own(self, group + that) + self.clause.english()

    def french(self) -> list[str]:
        group = self.group.french(self.verb, self.subject.agreement)
        that = mark(["que"], "that", "verb")
        return self.subject.french() + own(self, group + that) + self.clause.french()

    def pairs(self) -> Iterator[Pair]:
        return self.clause.pairs()


Fragment = NounPhrase | Coordination
# Every node with english(), french() and pairs(): statements here, questions and orders in dialogue.py.
Sentence = (
    Clause | Compound | SharedSubject | Identification | Existence | Weather | Belief | Fragment
)
PROPER = (
    {"american"}
    | words.LANGUAGES.keys()
    | words.WEEKDAYS.keys()
    | {day + "s" for day in words.WEEKDAYS}
    | words.MONTHS.keys()
)


def render(sentence: Sentence, style: Style = Style()) -> Text:
    """The text of a sentence. A noun phrase without a final mark stays in lower case."""
    sources = english.contract(sentence.english(), style.fold_not, style.fold_be)
    sources, targets = english.digits(sources), english.digits(french.spell(sentence.french()))
    if style.mark:
        sources.append(word_with(style.mark, ("mark",)))
        targets.append(word_with(style.mark, ("mark",)))
    sources, targets = capitals(sources), capitals(targets)
    text = english.join([written(word) for word in sources])
    if style.mark or not isinstance(sentence, Fragment):
        text = text[0].upper() + text[1:]
        targets[0] = capitalised(targets[0])
    links, antecedents = align(sources, targets), references(sources)
    recipient = any(isinstance(node, Action) and node.recipient for node in nodes(sentence))
    pairs = frozenset(sentence.pairs())
    return Text(text, tuple(targets), pairs, links, antecedents, recipient=recipient)


def capitals(words_: list[str]) -> list[str]:
    """With a capital after a mark that ends a sentence."""
    following = zip(["", *words_], words_)
    return [capitalised(word) if before in set(".?!") else word for before, word in following]


def capitalised(word: str) -> str:
    return like(word[0].upper() + word[1:], word)


def nodes(node: object) -> Iterator[object]:
    """The node and all that it is built from."""
    yield node
    if is_dataclass(node):
        for field in fields(node):
            yield from nodes(getattr(node, field.name))


def written(word: str) -> str:
    """The word as it is typed: "I", "French"."""
    return "I" if word == "i" else word.capitalize() if word in PROPER else word


def subject_pronoun(noun_phrase: NounPhrase | Coordination) -> Pronoun:
    """The pronoun that takes up a noun phrase."""
    return Pronoun(noun_phrase.pronoun, noun_phrase)
