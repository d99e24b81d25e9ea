"""Exact match of greedy translations on the two held-out sets.

python3 scripts/train/evaluate.py [--model FOLDER] [--errors N]
"""

import argparse
from pathlib import Path

import checkpoint
from model import TranslationModel, greedy
from tokenizer import Tokenizer

SETS = ("heldout_sentences", "heldout_pairs")
BATCH = 50


def read_pairs(path: Path) -> list[tuple[str, str]]:
    """(English, French) of every line."""
    lines = path.read_text().splitlines()
    return [tuple(line.split("\t")) for line in lines]


def translate(model: TranslationModel, tokenizer: Tokenizer, sentences: list[str]) -> list[str]:
    out = []
    for start in range(0, len(sentences), BATCH):
        sources = [tokenizer.encode(text) for text in sentences[start : start + BATCH]]
        out += [tokenizer.decode(ids) for ids in greedy(model, sources)]
    return out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, default=checkpoint.FOLDER)
    parser.add_argument("--errors", type=int, default=0, help="wrong translations to show per set")
    options = parser.parse_args()
    model, tokenizer = checkpoint.load(options.model)
    for name in SETS:
        pairs = read_pairs(checkpoint.FIXTURES / f"{name}.tsv")
        found = translate(model, tokenizer, [english for english, _ in pairs])
        wrong = [
            (english, french, output)
            for (english, french), output in zip(pairs, found, strict=True)
            if output != french
        ]
        right = len(pairs) - len(wrong)
        print(f"{name}: {right} of {len(pairs)} exact, {100 * right / len(pairs):.1f} %")
        for english, french, output in wrong[: options.errors]:
            print(f"  {english}\n    expected {french}\n    found    {output}")


if __name__ == "__main__":
    main()
