"""Writes tests/fixtures/en-fr-MODEL: what PyTorch computes with a recurrent model.

python3 scripts/train/recurrent/reference.py bahdanau
"""

import argparse
import json
import sys
from pathlib import Path

sys.path[0] = str(Path(__file__).parents[1])  # the modules of scripts/train

import torch

import safetensors
from recurrent import checkpoint
from recurrent.configs import CONFIGS
from reference import DETAILED, SENTENCES, expectation


@torch.no_grad()
def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", choices=CONFIGS)
    parser.add_argument("--folder", type=Path, help="default: web/public/models/en-fr-MODEL")
    options = parser.parse_args()
    model, tokenizer = checkpoint.load(options.folder or checkpoint.folder_of(options.model))
    out = checkpoint.ROOT / f"tests/fixtures/en-fr-{options.model}"
    out.mkdir(parents=True, exist_ok=True)
    expected = [expectation(model, tokenizer, english) for english in [DETAILED, *SENTENCES]]
    text = json.dumps({"sentences": expected}, ensure_ascii=False, indent=1)
    (out / "expected.json").write_text(text + "\n")
    source = torch.tensor([expected[0]["source_ids"]])
    target = torch.tensor([expected[0]["target_ids"]])
    memory = model.encode(source)
    readout, looks = model.decode_with_head(memory, source, target[:, :-1])
    tensors = {
        "source_ids": source[0],
        "target_ids": target[0],
        "encoder_output": memory.states[0],
        "attention": looks.exp()[0],
        "logits": model.logits(readout)[0],
    }
    arrays = {name: tensor.contiguous().numpy() for name, tensor in tensors.items()}
    safetensors.save(out / "expected.safetensors", arrays)


if __name__ == "__main__":
    main()
