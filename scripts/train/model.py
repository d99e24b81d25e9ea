"""The model: nn.Transformer with one tied embedding and sinusoidal positions."""

import math
from typing import NamedTuple

import torch
from torch import Tensor, nn

from tokenizer import BOS, EOS, PAD

CONFIG = {
    "model_type": "transformer",
    "d_model": 128,
    "num_heads": 4,
    "d_ff": 512,
    "num_encoder_layers": 2,
    "num_decoder_layers": 2,
    "norm": "post",
    "activation": "relu",
    "layer_norm_eps": 1e-5,
    "positions": "sinusoidal",
    "max_length": 128,
    "vocab_size": 0,
    "tie_embeddings": True,
    "scale_embedding": True,
    "final_norm": True,
    "bias": True,
    "pad_token_id": 0,
    "unk_token_id": 1,
    "bos_token_id": 2,
    "eos_token_id": 3,
    "decoder_start_token_id": 2,
    "copy_unknown": {"layer": 1, "head": 0},
    "taught_heads": {
        "alignment": {"layer": 1, "head": 0},  # of the cross-attention
        "antecedent": {"layer": 1, "head": 0},  # of the encoder
    },
}


def sinusoids(length: int, width: int) -> Tensor:
    """[length, width]: sine and cosine interleaved, wavelengths from 2 pi to 10000 * 2 pi."""
    position = torch.arange(length, dtype=torch.float64)[:, None]
    frequency = torch.exp(torch.arange(0, width, 2, dtype=torch.float64) * -math.log(1e4) / width)
    angle = position * frequency
    return torch.stack([angle.sin(), angle.cos()], dim=-1).reshape(length, width).float()


class TranslationModel(nn.Module):
    def __init__(self, config: dict) -> None:
        super().__init__()
        width = config["d_model"]
        self.scale = math.sqrt(width)
        self.embedding = nn.Embedding(config["vocab_size"], width)
        nn.init.normal_(self.embedding.weight, std=width**-0.5)
        transformer = nn.Transformer(
            width,
            config["num_heads"],
            config["num_encoder_layers"],
            config["num_decoder_layers"],
            config["d_ff"],
            dropout=0.0,
            activation=config["activation"],
            layer_norm_eps=config["layer_norm_eps"],
            batch_first=True,
        )
        self.encoder, self.decoder = transformer.encoder, transformer.decoder
        self.encoder.enable_nested_tensor = False  # it would shorten padded batches
        self.register_buffer("positions", sinusoids(config["max_length"], width), persistent=False)

    def embed(self, ids: Tensor) -> Tensor:
        """[B, L] ids -> [B, L, d_model]"""
        return self.embedding(ids) * self.scale + self.positions[: ids.shape[1]]

    def encode(self, source: Tensor) -> Tensor:
        """[B, S] ids -> [B, S, d_model]"""
        return self.encode_with_head(source)[0]

    def encode_with_head(self, source: Tensor) -> tuple[Tensor, Tensor]:
        """Also the log-attention [B, S, S] of the taught head of the last layer."""
        padding = source == PAD
        x = self.embed(source)
        for layer in self.encoder.layers:
            inner = x
            x = layer(x, src_key_padding_mask=padding)
        attention = self.encoder.layers[-1].self_attn
        return self.encoder.norm(x), log_attention(attention, inner, inner, padding)[:, 0]

    def decode(self, memory: Tensor, source: Tensor, target: Tensor) -> Tensor:
        """[B, S, d_model], [B, S] and [B, T] ids -> hidden states [B, T, d_model]"""
        return self.decode_with_head(memory, source, target)[0]

    def decode_with_head(
        self, memory: Tensor, source: Tensor, target: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Also the log-attention [B, T, S] of the taught cross-attention head of the last layer."""
        hidden, heads = self.decode_with_heads(memory, source, target)
        return hidden, heads[:, 0]

    def decode_with_heads(
        self, memory: Tensor, source: Tensor, target: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Also the log-attention [B, heads, T, S] of the cross-attention of the last layer, the taught head first."""
        length = target.shape[1]
        future = torch.ones(length, length, dtype=torch.bool).triu(1)
        padding = source == PAD
        x = self.embed(target)
        for layer in self.decoder.layers:
            attended = layer.self_attn(x, x, x, attn_mask=future, need_weights=False)[0]
            inner = layer.norm1(x + attended)
            attended = layer.multihead_attn(
                inner, memory, memory, key_padding_mask=padding, need_weights=False
            )[0]
            x = layer.norm2(inner + attended)
            x = layer.norm3(x + layer.linear2(layer.linear1(x).relu()))
        attention = self.decoder.layers[-1].multihead_attn
        return self.decoder.norm(x), log_attention(attention, inner, memory, padding)

    def logits(self, hidden: Tensor) -> Tensor:
        """[..., d_model] -> [..., vocab]"""
        return hidden @ self.embedding.weight.T

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        return self.logits(self.decode(self.encode(source), source, target))


def log_attention(
    attention: nn.MultiheadAttention, queries: Tensor, keys: Tensor, padding: Tensor
) -> Tensor:
    """The logarithm of the weights: [B, Q, d_model], [B, K, d_model] -> [B, heads, Q, K]"""
    width, size = attention.embed_dim, attention.head_dim
    weight, bias = attention.in_proj_weight, attention.in_proj_bias
    q = nn.functional.linear(queries, weight[:width], bias[:width])
    k = nn.functional.linear(keys, weight[width : 2 * width], bias[width : 2 * width])
    q, k = (x.unflatten(2, (-1, size)).transpose(1, 2) for x in (q, k))
    scores = q @ k.transpose(2, 3) / math.sqrt(size)
    return scores.masked_fill(padding[:, None, None], -math.inf).log_softmax(-1)


class Found(NamedTuple):
    """A greedy translation."""

    ids: list[int]  # ``<s>`` first and ``</s>`` (if reached) last
    confidence: float  # the probability of the whole translation
    looks: Tensor  # [T, S]: where the taught cross-attention head looked in each step


@torch.no_grad()
def search(model: TranslationModel, sources: list[list[int]], max_length: int = 65) -> list[Found]:
    source = pad(sources)
    memory = model.encode(source)
    target = torch.full((len(sources), 1), BOS)
    done = torch.zeros(len(sources), dtype=torch.bool)
    score = torch.zeros(len(sources))
    while target.shape[1] < max_length and not done.all():
        hidden, looks = model.decode_with_head(memory, source, target)
        chances, best = model.logits(hidden[:, -1]).log_softmax(-1).max(-1)
        score += chances.masked_fill(done, 0)
        best = best.masked_fill(done, PAD)
        target = torch.cat([target, best[:, None]], dim=1)
        done |= best == EOS
    return [
        Found([token for token in row if token != PAD], math.exp(chance), look.exp())
        for row, chance, look in zip(target.tolist(), score.tolist(), looks, strict=True)
    ]


def greedy(model: TranslationModel, sources: list[list[int]]) -> list[list[int]]:
    """Greedy translations, ``<s>`` first and ``</s>`` (if reached) last."""
    return [found.ids for found in search(model, sources)]


def pad(rows: list[list[int]]) -> Tensor:
    """Rows of ids -> [B, longest], padded on the right."""
    length = max(map(len, rows))
    return torch.tensor([row + [PAD] * (length - len(row)) for row in rows])
