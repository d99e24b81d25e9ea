"""The shapes of the recurrent models, each of at most 2 million parameters.

Fields as in src/recurrent/config.h.
"""

from tokenizer import BOS, EOS, PAD, UNK

_BOTH = {
    "model_type": "recurrent",
    "d_embedding": 128,
    "d_attention": 128,
    "d_readout": 128,
    "window": 0,
    "maxout": False,
    "bidirectional": False,
    "num_layers": 1,
    "share_embeddings": True,
    "tie_embeddings": True,
    "projection_bias": False,
    "vocab_size": 0,
    "pad_token_id": PAD,
    "unk_token_id": UNK,
    "bos_token_id": BOS,
    "eos_token_id": EOS,
    "decoder_start_token_id": BOS,
    "copy_unknown": {"layer": 0, "head": 0},  # its only attention
}
_BAHDANAU = _BOTH | {
    "decoder": "bahdanau",
    "cell": "gru",
    "hidden_size": 160,
    "bidirectional": True,
    "maxout": True,
}
_LUONG = _BOTH | {"decoder": "luong", "cell": "lstm", "hidden_size": 160}

CONFIGS = {
    "bahdanau": _BAHDANAU | {"score": "concat"},
    "bottleneck": _BAHDANAU | {"score": "none"},
    "luong-dot": _LUONG | {"score": "dot"},
    "luong-general": _LUONG | {"score": "general"},
    "luong-concat": _LUONG | {"score": "concat"},
    "luong-local": _LUONG | {"score": "general", "window": 3},
}
