"""Writes tests/fixtures/digits: held-out images, and what PyTorch computes of them with the weights that ship.

python3 scripts/train/vit/reference.py
"""

import gzip
import json

import numpy as np
import torch
from torch import Tensor

import folder
from folder import safetensors
from images import Digits

IMAGES = {"fonts": 200, "styles": 100, "hands": 100}


def rollout(attentions: list[Tensor]) -> np.ndarray:
    """Abnar and Zuidema 2020, in float64: [time, time] of one image."""
    through = np.eye(attentions[0].shape[-1])
    for weights in attentions:
        mixing = weights[0].double().mean(0).numpy() + np.eye(len(through))
        through = mixing / mixing.sum(1, keepdims=True) @ through
    return through.astype(np.float32)


@torch.no_grad()
def main() -> None:
    torch.set_num_threads(1)
    parts = [Digits(name).images(range(count)) for name, count in IMAGES.items()]
    images, labels = (np.concatenate(part) for part in zip(*parts))
    model = folder.load(folder.FOLDER)
    before = folder.load(folder.WORK / "f32")
    logits = torch.cat([model(folder.pixel_values(image[None])) for image in images])
    _, attentions = model.details(folder.pixel_values(images[:1]))
    about = {
        "sets": IMAGES,
        "labels": labels.tolist(),
        "right": int((logits.argmax(-1).numpy() == labels).sum()),
        "right_before_quantisation": int((folder.recognised(before, images)[0] == labels).sum()),
    }
    folder.FIXTURES.mkdir(parents=True, exist_ok=True)
    (folder.FIXTURES / "images.u8.gz").write_bytes(gzip.compress(images.tobytes(), 9, mtime=0))
    (folder.FIXTURES / "expected.json").write_text(json.dumps(about) + "\n")
    tensors = {"logits": logits.numpy(), "rollout": rollout(attentions)}
    safetensors.save(folder.FIXTURES / "expected.safetensors", tensors)


if __name__ == "__main__":
    main()
