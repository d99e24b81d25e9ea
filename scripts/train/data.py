"""Training batches: random sentences as ids with their alignment and antecedents, batched by length."""

from collections.abc import Iterator
from random import Random
from typing import NamedTuple

import torch
from torch import Tensor

from grammar.sentences import Text
from model import pad
from split import training_texts
from tokenizer import Tokenizer


class Example(NamedTuple):
    source: list[int]
    target: list[int]
    links: list[int]  # the place in the source of every token to predict, the end's for the end
    references: list[tuple[int, tuple[int, ...]]]  # a pronoun's place, its antecedents' places


class Batch(NamedTuple):
    source: Tensor  # [B, S]
    target: Tensor  # [B, T]
    links: Tensor  # [B, T - 1]
    pronouns: Tensor  # [P, 2]: sentence and place
    antecedents: Tensor  # [P, S]: whether the place is one of the antecedent's


def example(tokenizer: Tokenizer, text: Text) -> Example:
    source = tokenizer.encode(text.english)
    links = [links[0] for links in text.links] + [len(source) - 1]
    target = tokenizer.encode_target(text.french)
    return Example(source, target, links, list(text.references.items()))


def examples(tokenizer: Tokenizer, seed: int, count: int) -> list[Example]:
    return [example(tokenizer, text) for text in training_texts(seed, count)]


def batches(shard: list[Example], size: int, random: Random) -> Iterator[Batch]:
    """Batches of sentences of similar length, in random order."""
    order = sorted(shard, key=lambda example: (len(example.target), len(example.source)))
    starts = list(range(0, len(order), size))
    random.shuffle(starts)
    for start in starts:
        yield batch(order[start : start + size])


def batch(chosen: list[Example]) -> Batch:
    source = pad([example.source for example in chosen])
    found = [(row, *entry) for row, example in enumerate(chosen) for entry in example.references]
    antecedents = torch.zeros(len(found), source.shape[1], dtype=torch.bool)
    for i, (_, _, places) in enumerate(found):
        antecedents[i, list(places)] = True
    return Batch(
        source,
        pad([example.target for example in chosen]),
        pad([example.links for example in chosen]),
        torch.tensor([(row, place) for row, place, _ in found]).reshape(-1, 2),
        antecedents,
    )
