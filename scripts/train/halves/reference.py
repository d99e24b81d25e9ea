"""Writes tests/fixtures/halves: what PyTorch computes in float32 with the 8 bits that ship.

python3 scripts/train/halves/reference.py
"""

import json

import torch

import folder
from evaluate import continued, filled
from folder import MASK_TOKEN, ROOT, build_tokenizer
from split import heldout_sentences
from tokenizer import BOS

SEED, COUNT, SHOWN = 1_100_000, 40, 5
FIXTURES = ROOT / "tests/fixtures/halves"


def main() -> None:
    torch.set_num_threads(1)
    tokenizer = build_tokenizer()
    models = {name: folder.load(name, ROOT / "web/public/models" / name) for name in folder.KINDS}
    cases = []
    for i, text in enumerate(heldout_sentences(SEED, COUNT)):
        ids = [BOS, *tokenizer.encode(text.english)]
        word = i % (len(ids) - 2)
        case = {"text": text.english, "ids": ids, "word": word}
        scores = filled(models["en-fill"], ids, tokenizer.ids[MASK_TOKEN])[word]
        case["fill"] = best(scores)
        case["continue"] = best(continued(models["en-continue"], ids)[word])
        cases.append(case)
    FIXTURES.mkdir(parents=True, exist_ok=True)
    lines = ",\n".join(json.dumps(case) for case in cases)
    (FIXTURES / "expected.json").write_text(f"[\n{lines}\n]\n")


def best(scores: torch.Tensor) -> list[list[float]]:
    """The likeliest tokens: pairs of an id and a probability."""
    values, ids = scores.exp().topk(SHOWN)
    return [[token, round(value, 6)] for token, value in zip(ids.tolist(), values.tolist())]


if __name__ == "__main__":
    main()
