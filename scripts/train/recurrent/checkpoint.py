"""The folder of a recurrent model: configuration, weights and tokenizer."""

import json
from pathlib import Path

import torch

import safetensors
from checkpoint import GENERATION_CONFIG, ROOT
from recurrent.model import RecurrentModel
from tokenizer import Tokenizer, write_json


def folder_of(name: str) -> Path:
    """What ships, in 8 bits."""
    return ROOT / f"web/public/models/en-fr-{name}"


def float32_of(name: str) -> Path:
    """What training leaves."""
    return ROOT / f"build/en-fr-{name}-float32"


def save(model: RecurrentModel, tokenizer: Tokenizer, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    weights = {name: value.numpy() for name, value in model.state_dict().items()}
    if model.config["tie_embeddings"]:
        del weights["projection.weight"]
    safetensors.save(folder / "model.safetensors", weights)
    write_json(folder / "config.json", model.config)
    write_json(folder / "generation_config.json", GENERATION_CONFIG)
    tokenizer.save(folder)


def load(folder: Path) -> tuple[RecurrentModel, Tokenizer]:
    model = RecurrentModel(json.loads((folder / "config.json").read_text()))
    weights = safetensors.load_floats(folder / "model.safetensors")
    state = {name: torch.from_numpy(value.copy()) for name, value in weights.items()}
    if model.config["tie_embeddings"]:
        state["projection.weight"] = model.projection.weight  # the target's table, which is loaded
    model.load_state_dict(state)
    return model.eval(), Tokenizer.load(folder)
