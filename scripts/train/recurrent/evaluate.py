"""Exact match of greedy translations on the held-out sets, and the error rate of the alignments.

python3 scripts/train/recurrent/evaluate.py bahdanau [--errors N]
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).parents[1])  # the modules of scripts/train

import torch

from grammar.sentences import Text
from model import pad
from recurrent.model import RecurrentModel, greedy
from split import heldout_pairs, heldout_sentences
from tokenizer import BOS, EOS, PAD, Tokenizer

TEST_SEED = 1_000_000
SET_SIZE = 500
BATCH = 50


def translate(model: RecurrentModel, tokenizer: Tokenizer, texts: Sequence[Text]) -> list[str]:
    out = []
    for start in range(0, len(texts), BATCH):
        sources = pad([tokenizer.encode(text.english) for text in texts[start : start + BATCH]])
        found = greedy(model, sources, {"bos": BOS, "eos": EOS})
        out += [tokenizer.decode(ids) for ids in found.tolist()]
    return out


def exact_match(model: RecurrentModel, tokenizer: Tokenizer, texts: Sequence[Text]) -> float:
    found = translate(model, tokenizer, texts)
    return sum(a == text.french_text for a, text in zip(found, texts, strict=True)) / len(texts)


@torch.no_grad()
def alignment_error_rate(
    model: RecurrentModel, tokenizer: Tokenizer, texts: Sequence[Text]
) -> float:
    """1 - (|A and S| + |A and P|) / (|A| + |S|) (Och and Ney 2003) of the grammar's sure and possible links.

    A links each French word with the English one that most weight is on when it is written, given those before it.
    """
    hits = links = 0
    for start in range(0, len(texts), BATCH):
        chosen = texts[start : start + BATCH]
        source = pad([tokenizer.encode(text.english) for text in chosen])
        target = pad([tokenizer.encode_target(text.french) for text in chosen])
        _, weights = model(source, target[:, :-1])
        for text, places in zip(chosen, weights.argmax(-1).tolist(), strict=True):
            for (sure, *possible), place in zip(text.links, places):
                hits += 2 * (place == sure) + (place in possible)
                links += 2
    return 1 - hits / links


def main() -> None:
    from recurrent import checkpoint

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", help="a name as in train.py, or a folder")
    parser.add_argument("--errors", type=int, default=0, help="wrong translations to show per set")
    options = parser.parse_args()
    folder = Path(options.model)
    model, tokenizer = checkpoint.load(
        folder if folder.is_dir() else checkpoint.folder_of(options.model)
    )
    sets = {
        "sentences": heldout_sentences(TEST_SEED, SET_SIZE),
        "pairs": heldout_pairs(TEST_SEED, SET_SIZE),
    }
    for name, texts in sets.items():
        found = translate(model, tokenizer, texts)
        wrong = [(text, out) for text, out in zip(texts, found, strict=True) if text.french_text != out]
        right = len(texts) - len(wrong)
        print(f"held-out {name}: {right} of {len(texts)} exact, {100 * right / len(texts):.1f} %")
        for text, out in wrong[: options.errors]:
            print(f"  {text.english}\n    expected {text.french_text}\n    found    {out}")
    error = alignment_error_rate(model, tokenizer, sets["sentences"])
    print(f"alignment error rate on the held-out sentences: {100 * error:.1f} %")


if __name__ == "__main__":
    main()
