"""Share of held-out images whose digit is recognised: families of type, styles and hands that training never saw.

python3 scripts/train/vit/evaluate.py [--model FOLDER] [--images N]

A folder in 8 bits is computed with its integers times their scales in float32.
"""

import argparse
from collections import Counter
from pathlib import Path

import torch

import folder
from images import Digits

SETS = {
    "fonts": "printed in held-out fonts",
    "styles": "drawn in held-out styles",
    "hands": "drawn in learned styles by new hands",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, default=folder.FOLDER)
    parser.add_argument("--images", type=int, default=5000, help="of each set")
    options = parser.parse_args()
    torch.set_num_threads(1)
    model = folder.load(options.model)
    for name, about in SETS.items():
        images, labels = Digits(name).images(range(options.images))
        found, sure = folder.recognised(model, images)
        right = found == labels
        mistakes = Counter(zip(labels[~right].tolist(), found[~right].tolist()))
        worst = ", ".join(f"{a} as {b}: {n}" for (a, b), n in mistakes.most_common(4))
        each = " ".join(f"{digit}:{100 * right[labels == digit].mean():.1f}" for digit in range(10))
        print(f"{name} ({about}): {100 * right.mean():.2f} % of {len(right)}")
        print(f"  by digit {each}; most often {worst}")
        confident = sure >= 0.9
        print(
            f"  at least 90 % sure of {100 * confident.mean():.1f} %,"
            f" right about {100 * right[confident].mean():.2f} % of these"
        )


if __name__ == "__main__":
    main()
