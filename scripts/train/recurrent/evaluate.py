"""The figures of a recurrent model's card: the transformer's, and its alignment error rate.

python3 scripts/train/recurrent/evaluate.py bahdanau [--errors N]
"""

import argparse
import sys
from pathlib import Path

sys.path[0] = str(Path(__file__).parents[1])  # the modules of scripts/train

from evaluate import KINDS_SEED, KINDS_SIZE, SETS, constructions, exact_match, reliability
from recurrent import checkpoint
from recurrent.alignment_error import alignment_error_rate
from recurrent.configs import CONFIGS
from split import heldout_sentences


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", choices=CONFIGS)
    parser.add_argument("--folder", type=Path, help="default: web/public/models/en-fr-MODEL")
    parser.add_argument("--errors", type=int, default=0, help="wrong translations to show per set")
    options = parser.parse_args()
    folder = options.folder or checkpoint.folder_of(options.model)
    model, tokenizer = checkpoint.load(folder)
    judged = []
    for name in SETS:
        judged += exact_match(model, tokenizer, name, options.errors)
    print("reliability, on these three sets:")
    reliability(judged)
    texts = heldout_sentences(KINDS_SEED, KINDS_SIZE, unknown=True)
    print(f"by construction, {KINDS_SIZE} other held-out sentences:")
    constructions(model, tokenizer, texts)
    error = alignment_error_rate(model, tokenizer, texts)
    print(f"alignment error rate: {100 * error:.2f} %")


if __name__ == "__main__":
    main()
