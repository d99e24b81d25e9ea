"""Sentences within sentences: conditions, questions that are wondered about; and two in a row."""

from collections.abc import Iterator
from dataclasses import dataclass

from .aligned import mark, own
from .clauses import Clause
from .dialogue import ASKING, Order
from .syntax import Pair, Phrase, Pronoun
from .verb_group import VerbGroup
from .verbs import Verb


@dataclass(frozen=True)
class Condition:
    """ "If it rains, we will stay" -> "S'il pleut, nous resterons"; ``fronted``: so, not the other way."""

    result: Clause | Order
    condition: Clause | Phrase
    fronted: bool
    word: str = "if"  # or "when"

    def english(self) -> list[str]:
        return self._joined(self.word, self.condition.english(), self.result.english())

    def french(self) -> list[str]:
        word = {"if": "si", "when": "quand"}[self.word]
        return self._joined(word, self.condition.french(), self.result.french())

    def _joined(self, word: str, condition: list[str], result: list[str]) -> list[str]:
        conjunction = own(self, mark([word], "conjunction"))
        if not self.fronted:
            return result + conjunction + condition
        return conjunction + condition + own(self, mark([","], "comma")) + result

    def pairs(self) -> Iterator[Pair]:
        yield from self.result.pairs()
        yield from self.condition.pairs()


@dataclass(frozen=True)
class Wondering:
    """ "I don't know where he is" -> "je ne sais pas où il est" """

    subject: Pronoun
    verb: Verb
    group: VerbGroup
    word: str
    clause: Clause

    def english(self) -> list[str]:
        group = self.group.english(self.verb, self.subject.english_person)
        word = mark([self.word], "word")
        return self.subject.english() + own(self, group + word) + self.clause.english()

    def english_question(self) -> list[str]:
        auxiliary, rest = self.group.inverted(self.verb, self.subject.english_person)
        word = mark([self.word], "word")
        middle = self.subject.english() + own(self, rest + word)
        return own(self, auxiliary) + middle + self.clause.english()

    def french(self) -> list[str]:
        group = self.group.french(self.verb, self.subject.agreement)
        word = mark([ASKING[self.word]], "word")
        return self.subject.french() + own(self, group + word) + self.clause.french()

    def pairs(self) -> Iterator[Pair]:
        return self.clause.pairs()


@dataclass(frozen=True, eq=False)
class Series:
    """Two sentences; ``mark`` ends the first."""

    first: object
    mark: str
    second: object

    def english(self) -> list[str]:
        return self._joined(self.first.english(), self.second.english())

    def french(self) -> list[str]:
        return self._joined(self.first.french(), self.second.french())

    def _joined(self, first: list[str], second: list[str]) -> list[str]:
        return first + own(self, mark([self.mark], "stop")) + second

    def pairs(self) -> Iterator[Pair]:
        yield from self.first.pairs()
        yield from self.second.pairs()
