"""The two model folders as Hugging Face lays them out: BertForMaskedLM and GPT2LMHeadModel, and their tokenizer.json."""

import json
import re
import sys
from pathlib import Path

import numpy as np
import torch

sys.path.append(str(Path(__file__).parents[1]))

import safetensors
from grammar.vocabulary import digits, english_words
from model import EPS, PAD, SIZES, Continuing, Filling, Half
from tokenizer import BOS, EOS, TOKENIZER_CONFIG, UNK, Tokenizer, replace, write_json

ROOT = Path(__file__).parents[3]
MASK_TOKEN = "<mask>"
KINDS = {"en-fill": Filling, "en-continue": Continuing}
WORK = ROOT / "build/halves"  # what training leaves: sentences, and the models in float32

# The names of PyTorch's layer, and those of the families; GPT-2 keeps its matrices as [in, out].
BERT_LAYER = {
    "self_attn.out_proj": "attention.output.dense",
    "norm1": "attention.output.LayerNorm",
    "linear1": "intermediate.dense",
    "linear2": "output.dense",
    "norm2": "output.LayerNorm",
}
BERT_TOP = {
    "words": "bert.embeddings.word_embeddings",
    "positions": "bert.embeddings.position_embeddings",
    "norm": "bert.embeddings.LayerNorm",
    "transform": "cls.predictions.transform.dense",
    "transform_norm": "cls.predictions.transform.LayerNorm",
}
GPT_LAYER = {
    "self_attn.in_proj_": "attn.c_attn.",
    "self_attn.out_proj": "attn.c_proj",
    "norm1": "ln_1",
    "linear1": "mlp.c_fc",
    "linear2": "mlp.c_proj",
    "norm2": "ln_2",
}
GPT_TOP = {"words": "transformer.wte", "positions": "transformer.wpe", "norm": "transformer.ln_f"}
COMMON = {"pad_token_id": PAD, "unk_token_id": UNK, "bos_token_id": BOS, "eos_token_id": EOS}
GENERATION_CONFIG = {"max_new_tokens": 24, "eos_token_id": EOS, "pad_token_id": PAD}
CONFIGS = {
    "en-fill": {
        "architectures": ["BertForMaskedLM"],
        "model_type": "bert",
        "hidden_size": SIZES["d_model"],
        "num_hidden_layers": SIZES["layers"],
        "num_attention_heads": SIZES["heads"],
        "intermediate_size": SIZES["d_ff"],
        "hidden_act": "gelu",
        "layer_norm_eps": EPS,
        "max_position_embeddings": SIZES["positions"],
        "type_vocab_size": 1,
    },
    "en-continue": {
        "architectures": ["GPT2LMHeadModel"],
        "model_type": "gpt2",
        "n_embd": SIZES["d_model"],
        "n_layer": SIZES["layers"],
        "n_head": SIZES["heads"],
        "n_inner": SIZES["d_ff"],
        "activation_function": "gelu",
        "layer_norm_epsilon": EPS,
        "n_positions": SIZES["positions"],
    },
}


def build_tokenizer() -> Tokenizer:
    return Tokenizer.build([MASK_TOKEN, *sorted(english_words() | digits())])


def save(name: str, model: Half, tokenizer: Tokenizer, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    weights = {
        theirs: np.ascontiguousarray(value)
        for ours, tensor in model.state_dict().items()
        for theirs, value in their_tensors(name, ours, tensor.numpy())
    }
    if name == "en-fill":
        weights["bert.embeddings.token_type_embeddings.weight"] = np.zeros(
            (1, SIZES["d_model"]), np.float32
        )
    safetensors.save(folder / "model.safetensors", weights)
    write_json(folder / "config.json", CONFIGS[name] | {"vocab_size": len(tokenizer)} | COMMON)
    # For the encoder, too, which generates nothing: a page looks for the file, and what is missing is an error in its log.
    write_json(folder / "generation_config.json", GENERATION_CONFIG)
    write_tokenizer(name, tokenizer, folder)


def load(name: str, folder: Path) -> Half:
    """Of a folder that ``save`` wrote, or that ``transformer-wasm quantize`` made of one."""
    stored = safetensors.load_floats(folder / "model.safetensors")
    model = KINDS[name](json.loads((folder / "config.json").read_text())["vocab_size"])
    state = {}
    for ours, tensor in model.state_dict().items():
        parts = [
            stored[theirs].T if is_turned(name, ours) else stored[theirs]
            for theirs, _ in their_tensors(name, ours, tensor.numpy())
        ]
        state[ours] = torch.from_numpy(np.concatenate(parts).reshape(tensor.shape).copy())
    model.load_state_dict(state)
    return model.eval()


def is_turned(name: str, ours: str) -> bool:
    return name == "en-continue" and ours.startswith("stack.") and not re.search(r"norm|bias", ours)


def their_tensors(name: str, ours: str, value: np.ndarray) -> list[tuple[str, np.ndarray]]:
    """The family's names of a parameter, with its values: one tensor, or BERT's three of queries, keys and values."""
    if not ours.startswith("stack.layers."):
        if ours == "bias":
            return [("cls.predictions.bias", value)]
        module, kind = ours.split(".")
        return [(f"{(BERT_TOP if name == 'en-fill' else GPT_TOP)[module]}.{kind}", value)]
    layer, rest = ours.removeprefix("stack.layers.").split(".", 1)
    if name == "en-continue":
        turned = value.T if is_turned(name, ours) else value
        return [(f"transformer.h.{layer}.{renamed(rest, GPT_LAYER)}", turned)]
    prefix = f"bert.encoder.layer.{layer}."
    if rest.startswith("self_attn.in_proj_"):
        kind = rest.removeprefix("self_attn.in_proj_")
        parts = zip(("query", "key", "value"), np.split(value, 3), strict=True)
        return [(f"{prefix}attention.self.{part}.{kind}", piece) for part, piece in parts]
    return [(prefix + renamed(rest, BERT_LAYER), value)]


def renamed(name: str, table: dict[str, str]) -> str:
    ours = next(key for key in table if name.startswith(key))
    return table[ours] + name[len(ours) :]


def write_tokenizer(name: str, tokenizer: Tokenizer, folder: Path) -> None:
    """The word-level tokenizer of the translation models, for English alone; both halves begin with ``<s>``."""
    data = tokenizer.to_json()
    data["added_tokens"].append(
        {
            "id": tokenizer.ids[MASK_TOKEN],
            "content": MASK_TOKEN,
            "single_word": False,
            "lstrip": True,
            "rstrip": False,
            "normalized": False,
            "special": True,
        }
    )
    special = {"<s>": BOS} | ({"</s>": EOS} if name == "en-fill" else {})
    sentence = [{"Sequence": {"id": "A", "type_id": 0}}]
    single = [part(token) for token in ("<s>",)] + sentence
    single += [part("</s>")] if name == "en-fill" else []
    data["post_processor"] |= {
        "single": single,
        "pair": [*single, {"Sequence": {"id": "B", "type_id": 0}}],
        "special_tokens": {
            token: {"id": token, "ids": [place], "tokens": [token]}
            for token, place in special.items()
        },
    }
    data["decoder"]["decoders"] = [
        {"type": "WordPiece", "prefix": "##", "cleanup": False},
        {"type": "Fuse"},
        *(replace(f" {mark}", mark) for mark in ("n't", "'", ".", ",", "?", "!")),
    ]
    write_json(folder / "tokenizer.json", data)
    mask = {"mask_token": MASK_TOKEN} if name == "en-fill" else {}
    config = TOKENIZER_CONFIG | mask | {"model_max_length": SIZES["positions"]}
    write_json(folder / "tokenizer_config.json", config)


def part(token: str) -> dict:
    return {"SpecialToken": {"id": token, "type_id": 0}}
