"""The figures of the cards: how well each half guesses the words of held-out sentences, before and after quantisation.

python3 scripts/train/halves/evaluate.py [--sentences N]
"""

import argparse
import math

import torch
from torch import Tensor

import folder
from folder import MASK_TOKEN, ROOT, WORK, build_tokenizer
from model import Half
from split import heldout_sentences
from tokenizer import BOS

SEED = 1_000_000
ENDS = 2  # <s> and </s>, which nobody is asked to fill in


@torch.no_grad()
def filled(model: Half, ids: list[int], mask: int) -> Tensor:
    """Log-probabilities [words, vocabulary] of each word with it alone masked."""
    places = range(1, len(ids) - 1)
    rows = torch.tensor(ids).repeat(len(places), 1)
    for row, place in enumerate(places):
        rows[row, place] = mask
    hidden = model(rows)[range(len(places)), list(places)]
    return model.logits(hidden).log_softmax(-1)


@torch.no_grad()
def continued(model: Half, ids: list[int]) -> Tensor:
    """Log-probabilities [words, vocabulary] of each word after those before it."""
    hidden = model(torch.tensor([ids[:-ENDS]]))[0]
    return model.logits(hidden).log_softmax(-1)


def figures(name: str, model: Half, rows: list[list[int]], mask: int) -> str:
    losses, ranks = [], []
    for ids in rows:
        scores = filled(model, ids, mask) if name == "en-fill" else continued(model, ids)
        own = torch.tensor(ids[1:-1])
        found = scores.gather(1, own[:, None])
        losses += (-found[:, 0]).tolist()
        ranks += (scores > found).sum(1).tolist()
    count = len(ranks)
    first = 100 * sum(rank == 0 for rank in ranks) / count
    five = 100 * sum(rank < 5 for rank in ranks) / count
    perplexity = math.exp(sum(losses) / count)
    return f"{count} words, first {first:.1f} %, among five {five:.1f} %, perplexity {perplexity:.1f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sentences", type=int, default=1000)
    options = parser.parse_args()
    torch.set_num_threads(1)
    tokenizer = build_tokenizer()
    texts = heldout_sentences(SEED, options.sentences)
    rows = [[BOS, *tokenizer.encode(text.english)] for text in texts]
    mask = tokenizer.ids[MASK_TOKEN]
    for name in folder.KINDS:
        for where in (ROOT / "web/public/models", WORK):
            model = folder.load(name, where / name)
            print(f"{where / name}: {figures(name, model, rows, mask)}")


if __name__ == "__main__":
    main()
