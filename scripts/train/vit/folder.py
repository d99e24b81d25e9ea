"""The model folder as Hugging Face lays it out, read in float32 and in the 8 bits that `transformer-wasm quantize` writes."""

import json
import sys
from pathlib import Path

import numpy as np
import torch

sys.path.append(str(Path(__file__).parents[1]))

import safetensors
from model import CONFIG, DigitModel

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "web/public/models/digits"
FIXTURES = ROOT / "tests/fixtures/digits"
WORK = ROOT / "build/digits"  # what training leaves: images, its state, the model in float32
PREPROCESSOR = {
    "image_processor_type": "ViTImageProcessor",
    "do_resize": True,
    "size": {"height": CONFIG["image_size"], "width": CONFIG["image_size"]},
    "resample": 2,
    "do_rescale": True,
    "rescale_factor": 1 / 255,
    "do_normalize": True,
    "image_mean": [0.5],
    "image_std": [0.5],
}


def write_json(path: Path, value: dict) -> None:
    path.write_text(json.dumps(value, indent=2) + "\n")


def save(model: DigitModel, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    weights = {name: value.numpy() for name, value in model.state_dict().items()}
    safetensors.save(folder / "model.safetensors", weights)
    write_json(folder / "config.json", CONFIG)
    write_json(folder / "preprocessor_config.json", PREPROCESSOR)


def load(folder: Path) -> DigitModel:
    model = DigitModel(json.loads((folder / "config.json").read_text()))
    stored = safetensors.load_floats(folder / "model.safetensors")
    weights = {name: torch.from_numpy(tensor.copy()) for name, tensor in stored.items()}
    for name, value in model.state_dict().items():
        weights[name] = weights[name].reshape(value.shape)
    model.load_state_dict(weights)
    return model.eval()


def pixel_values(images: np.ndarray) -> torch.Tensor:
    """Bytes [n, 28, 28] -> [n, 1, 28, 28], as preprocessor_config.json says."""
    return (torch.from_numpy(images.astype(np.float32))[:, None] / 255 - 0.5) / 0.5


@torch.no_grad()
def recognised(model: DigitModel, images: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Of bytes [n, 28, 28]: the likeliest digits [n], and how likely they are [n]."""
    parts = np.array_split(images, 1 + len(images) // 250)
    sure, found = torch.cat([model(pixel_values(part)) for part in parts]).softmax(-1).max(-1)
    return found.numpy(), sure.numpy()
