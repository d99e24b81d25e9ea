"""What training never sees: sentences and pairs of words, both chosen by a seeded hash."""

import re
from collections.abc import Iterator
from functools import cache
from hashlib import blake2b
from pathlib import Path

from grammar.sample_sentences import SentenceSampler
from grammar.sentences import Text
from grammar.syntax import Pair

SALT = "en-fr 3"
FIXTURES = Path(__file__).parents[2] / "tests/fixtures/en-fr"
SENTENCE_PERCENT = 1
PAIR_PERCENT = {True: 10, False: 5}  # of antecedent pairs, of adjective-noun pairs
EXPANSIONS = (
    (r"\bcan't\b|\bcannot\b", "can not"),
    (r"\bwon't\b", "will not"),
    (r"n't\b", " not"),
    (r"\bi'm\b", "i am"),
    (r"\b(he|she|it|there|what|where|who|how|that|here)'s\b", r"\1 is"),
    (r"'d\b", " would"),
    (r"'ve\b", " have"),
    (r"'re\b", " are"),
    (r"'ll\b", " will"),
)


@cache
def everyday() -> frozenset[str]:
    """The sentences written by hand, which training never sees, in one spelling."""
    files = sorted(FIXTURES.glob("everyday*.tsv"))
    lines = [line for file in files for line in file.read_text().splitlines()]
    return frozenset(canonical(line.split("\t")[0]) for line in lines)


def percentile(key: str) -> int:
    """A number from 0 to 99 that depends on the key alone."""
    return int.from_bytes(blake2b(f"{SALT}|{key}".encode()).digest()[:8], "little") % 100


def canonical(english: str) -> str:
    """One spelling for all variants of a sentence: no capitals, contractions or final mark."""
    text = english.lower().rstrip(".!?")
    for pattern, expansion in EXPANSIONS:
        text = re.sub(pattern, expansion, text)
    return text


def pair_held_out(pair: Pair) -> bool:
    """Pairs are (adjective, noun) or ("antecedent", noun, noun)."""
    percent = PAIR_PERCENT[pair[0] == "antecedent"]
    return "<unk>" not in pair and percentile(" ".join(pair)) < percent


def sentence_held_out(text: Text) -> bool:
    spelling = canonical(text.english)
    return percentile(spelling) < SENTENCE_PERCENT or spelling in everyday()


def training_texts(seed: int, count: int) -> Iterator[Text]:
    """``count`` random sentences without any held-out pair that are not held out themselves."""
    texts = SentenceSampler(seed).texts()
    while count:
        text = next(texts)
        if not any(map(pair_held_out, text.pairs)) and not sentence_held_out(text):
            count -= 1
            yield text


def heldout_sentences(seed: int, count: int, unknown: bool = False) -> list[Text]:
    """Sentences of the reserved part, with pairs that training knows; ``unknown``: also with ``<unk>``."""

    def accept(text: Text) -> bool:
        return sentence_held_out(text) and not any(map(pair_held_out, text.pairs))

    return _distinct(seed, count, accept, unknown)


def heldout_pairs(seed: int, count: int) -> list[Text]:
    """Half with a held-out pair of antecedents, half with a held-out adjective and noun."""

    def has(text: Text, antecedent: bool) -> bool:
        return any(
            pair_held_out(pair) and (pair[0] == "antecedent") == antecedent for pair in text.pairs
        )

    half = count // 2
    antecedents = _distinct(seed, half, lambda text: has(text, True))
    return antecedents + _distinct(seed + 1, count - half, lambda text: has(text, False))


def _distinct(seed: int, count: int, accept, unknown: bool = False) -> list[Text]:
    found: dict[str, Text] = {}
    for text in SentenceSampler(seed).texts():
        if (unknown or "<unk>" not in text.english) and accept(text):
            found.setdefault(canonical(text.english), text)
        if len(found) == count:
            return list(found.values())
