"""Praise and blame in the same words: "the film was good and not bad", "the film was bad and not good".

Of two adjectives, one good and one bad, one is denied. Exchanging them gives a sentence of the same words that says the
opposite, so that whatever sees words alone, in no order, is right about exactly one of the two.
"""

from dataclasses import dataclass, replace
from itertools import product

OPENINGS = ("", "today", "i think", "as we said")
NOUNS = ("film", "book", "song", "play", "tea")
JOINTS = ("", "and", "but", "and it was")
ENDINGS = ("", "again", "in the end")
GOOD = ("good", "great", "fine", "fresh", "warm")
BAD = ("bad", "poor", "dull", "stale", "cold")


@dataclass(frozen=True)
class Sentence:
    opening: str
    noun: str
    adjectives: tuple[str, str]
    joint: str
    denied: int  # which of the adjectives
    ending: str

    @property
    def words(self) -> list[str]:
        first, second = ("not " * (self.denied == i) + a for i, a in enumerate(self.adjectives))
        said = f"{self.opening} the {self.noun} was {first} {self.joint} {second} {self.ending}"
        return said.split()

    @property
    def is_praise(self) -> bool:
        return self.adjectives[1 - self.denied] in GOOD

    @property
    def is_held_out(self) -> bool:
        """A fifth of the pairs of adjectives never meet in training."""
        good, bad = sorted(self.adjectives, key=BAD.__contains__)
        return GOOD.index(good) == BAD.index(bad)

    @property
    def twin(self) -> "Sentence":
        return replace(self, adjectives=self.adjectives[::-1])


def all_sentences() -> list[Sentence]:
    pairs = [*product(GOOD, BAD), *product(BAD, GOOD)]
    parts = product(OPENINGS, NOUNS, pairs, JOINTS, (0, 1), ENDINGS)
    return [Sentence(*part) for part in parts]


def vocabulary() -> list[str]:
    return sorted({word for sentence in all_sentences() for word in sentence.words})
