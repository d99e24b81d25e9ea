"""The model folder: configuration, weights and tokenizer."""

import json
from pathlib import Path

import torch

import safetensors
from model import CONFIG, TranslationModel
from tokenizer import BOS, EOS, PAD, Tokenizer, write_json

ROOT = Path(__file__).parents[2]
FLOAT32 = ROOT / "build/en-fr-float32"  # what training leaves
FOLDER = ROOT / "web/public/models/en-fr"  # what ships, in 8 bits
FIXTURES = ROOT / "tests/fixtures/en-fr"
GENERATION_CONFIG = {
    "max_new_tokens": 64,
    "num_beams": 1,
    "decoder_start_token_id": BOS,
    "eos_token_id": EOS,
    "pad_token_id": PAD,
}


def save(model: TranslationModel, tokenizer: Tokenizer, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    weights = {name: value.numpy() for name, value in model.state_dict().items()}
    safetensors.save(folder / "model.safetensors", weights)
    write_json(folder / "config.json", CONFIG | {"vocab_size": len(tokenizer)})
    write_json(folder / "generation_config.json", GENERATION_CONFIG)
    tokenizer.save(folder)


def load(folder: Path) -> tuple[TranslationModel, Tokenizer]:
    model = TranslationModel(json.loads((folder / "config.json").read_text()))
    weights = safetensors.load_floats(folder / "model.safetensors")
    model.load_state_dict({name: torch.from_numpy(w.copy()) for name, w in weights.items()})
    return model.eval(), Tokenizer.load(folder)
