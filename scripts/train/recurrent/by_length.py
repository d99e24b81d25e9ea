"""What one vector for a sentence costs: exact match by length, with attention and without.

python3 scripts/train/recurrent/by_length.py

Writes web/src/views/bottleneck/by_length.json from the weights that ship: Bahdanau's model, and
the same trained without its attention on as many sentences, on the 1,000 held-out sentences of
tests/fixtures/en-fr.
"""

import json
import sys
from pathlib import Path

sys.path[0] = str(Path(__file__).parents[1])  # the modules of scripts/train

from checkpoint import FIXTURES, ROOT
from evaluate import read_set, translate
from recurrent import checkpoint

SETS = ("heldout_sentences", "heldout_pairs")
MODELS = {"attention": "bahdanau", "one_vector": "bottleneck"}
# English words, from and to; chosen before anything was measured.
LENGTHS = ((1, 4), (5, 6), (7, 8), (9, 10), (11, 12), (13, 14), (15, 24))
OUT = ROOT / "web/src/views/bottleneck/by_length.json"


def main() -> None:
    pairs = [pair for name in SETS for pair in read_set(FIXTURES / f"{name}.tsv")]
    words = [len(english.split()) for english, _ in pairs]
    places = [[i for i, n in enumerate(words) if low <= n <= high] for low, high in LENGTHS]
    table: dict[str, list] = {"lengths": LENGTHS}
    for name, model in MODELS.items():
        folder = checkpoint.folder_of(model)
        found = translate(*checkpoint.load(folder), [english for english, _ in pairs])
        right = [
            output.text in accepted for output, (_, accepted) in zip(found, pairs, strict=True)
        ]
        table[name] = [round(sum(right[i] for i in bin_) / len(bin_), 3) for bin_ in places]
        print(f"{name}: {sum(right)} of {len(right)}")
    table["sentences"] = [len(bin_) for bin_ in places]
    OUT.parent.mkdir(parents=True, exist_ok=True)
    rows = ",\n".join(f'  "{key}": {json.dumps(row)}' for key, row in table.items())
    OUT.write_text(f"{{\n{rows}\n}}\n")


if __name__ == "__main__":
    main()
