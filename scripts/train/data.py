"""Training batches: random sentences as ids, batched by length."""

from collections.abc import Iterator
from random import Random

from torch import Tensor

from model import pad
from split import training_texts
from tokenizer import Tokenizer

Example = tuple[list[int], list[int]]  # source ids, target ids


def examples(tokenizer: Tokenizer, seed: int, count: int) -> list[Example]:
    return [
        (tokenizer.encode(text.english), tokenizer.encode_target(text.french))
        for text in training_texts(seed, count)
    ]


def batches(shard: list[Example], size: int, random: Random) -> Iterator[tuple[Tensor, Tensor]]:
    """(source [B, S], target [B, T]) batches of sentences of similar length, in random order."""
    order = sorted(shard, key=lambda example: (len(example[1]), len(example[0])))
    starts = list(range(0, len(order), size))
    random.shuffle(starts)
    for start in starts:
        chosen = order[start : start + size]
        yield pad([source for source, _ in chosen]), pad([target for _, target in chosen])
