"""The figures of a recurrent model's card, in Markdown: the transformer's, but antecedents.

python3 scripts/train/recurrent/evaluate.py bahdanau [--errors N]
"""

import argparse
import sys
from pathlib import Path

sys.path[0] = str(Path(__file__).parents[1])  # the modules of scripts/train

from evaluate import SETS, figures
from recurrent import checkpoint
from recurrent.configs import CONFIGS


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", choices=CONFIGS)
    parser.add_argument("--folder", type=Path, help="default: web/public/models/en-fr-MODEL")
    parser.add_argument("--errors", type=int, default=0, help="wrong translations to show per set")
    options = parser.parse_args()
    folder = options.folder or checkpoint.folder_of(options.model)
    figures(*checkpoint.load(folder), options.errors, SETS[:-1])  # those of their cards


if __name__ == "__main__":
    main()
