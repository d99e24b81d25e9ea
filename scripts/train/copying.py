"""Words that the model never learned: copied from where the taught cross-attention head looks.

An English word outside the vocabulary is ``<unk>``, and so is its French. For every ``<unk>`` of the translation, in
the step that generated it, head 0 of the last decoder layer's cross-attention looks at the English words; of those
that are ``<unk>`` themselves, the one it looks at most is written in the French, as it was typed.
"""

from torch import Tensor

from grammar.sentences import Text
from tokenizer import BOS, EOS, PAD, UNK, Tokenizer

# Words that do not exist, for tests.
TEST_NAMES = (
    "Zorglub",
    "blicket",
    "Wexley",
    "dax",
    "tove",
    "Quillon",
    "snark",
    "Brixen",
    "wug",
    "fep",
)


def copied(tokenizer: Tokenizer, english: str, ids: list[int], looks: Tensor) -> str:
    """``looks`` [T, S]: the head's attention in the step that generated each of ``ids[1:]``."""
    pieces = tokenizer.surface(english)
    source = tokenizer.encode(english)
    unknown = [place for place, token in enumerate(source) if token == UNK]
    tokens = []
    for step, token in enumerate(ids[1:]):
        if token in (PAD, BOS, EOS):
            continue
        if token == UNK:
            places = unknown or range(len(pieces))
            tokens.append(pieces[max(places, key=lambda place: float(looks[step, place]))])
        else:
            tokens.append(tokenizer.tokens[token])
    return tokenizer.join(tokens)


def named(text: Text, names: tuple[str, ...]) -> tuple[str, str]:
    """English and French with a made-up word for every ``<unk>``."""
    english, french = text.english, list(text.french)
    if "<unk>" not in english:
        return english, text.french_text
    places: dict[int, str] = {}
    for i, (word, links) in enumerate(zip(text.french, text.links, strict=True)):
        if word == "<unk>":
            name = places.setdefault(links[0], names[(len(english) + len(places)) % len(names)])
            french[i] = name
    for place in sorted(places):
        english = english.replace("<unk>", places[place], 1)
    return english, text._replace(french=tuple(french)).french_text
