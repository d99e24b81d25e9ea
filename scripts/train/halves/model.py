"""The halves of a transformer: an encoder that fills gaps, as BERT does, and a decoder that goes on, as GPT-2 does.

Both are PyTorch's encoder layers: what makes the decoder one is its mask, since it has no second stack to look at.
"""

import torch
from torch import Tensor, nn

SIZES = {"d_model": 64, "heads": 4, "d_ff": 256, "layers": 2, "positions": 64}
EPS = 1e-5
PAD = 0


def layers_of(norm_first: bool) -> nn.TransformerEncoder:
    layer = nn.TransformerEncoderLayer(
        SIZES["d_model"],
        SIZES["heads"],
        SIZES["d_ff"],
        dropout=0.0,
        activation="gelu",
        layer_norm_eps=EPS,
        batch_first=True,
        norm_first=norm_first,
    )
    return nn.TransformerEncoder(layer, SIZES["layers"], enable_nested_tensor=False)


class Half(nn.Module):
    """Words and learned positions below; the words' own rows above."""

    def __init__(self, vocabulary: int, norm_first: bool) -> None:
        super().__init__()
        width = SIZES["d_model"]
        self.words = nn.Embedding(vocabulary, width)
        self.positions = nn.Embedding(SIZES["positions"], width)
        self.stack = layers_of(norm_first)
        self.norm = nn.LayerNorm(width, EPS)
        for table in (self.words, self.positions):
            nn.init.normal_(table.weight, std=0.05)

    def embed(self, ids: Tensor) -> Tensor:
        """[B, T] ids -> [B, T, d_model]"""
        return self.words(ids) + self.positions.weight[: ids.shape[1]]


class Filling(Half):
    """BERT (Devlin et al. 2019): every word sees all of them; the masked ones are guessed."""

    def __init__(self, vocabulary: int) -> None:
        super().__init__(vocabulary, norm_first=False)
        self.transform = nn.Linear(SIZES["d_model"], SIZES["d_model"])
        self.transform_norm = nn.LayerNorm(SIZES["d_model"], EPS)
        self.bias = nn.Parameter(torch.zeros(vocabulary))

    def forward(self, ids: Tensor) -> Tensor:
        """[B, T] ids -> hidden states [B, T, d_model], which ``logits`` takes."""
        return self.stack(self.norm(self.embed(ids)), src_key_padding_mask=ids == PAD)

    def logits(self, hidden: Tensor) -> Tensor:
        """[N, d_model] -> [N, vocabulary]"""
        x = self.transform_norm(nn.functional.gelu(self.transform(hidden)))
        return x @ self.words.weight.T + self.bias


class Continuing(Half):
    """GPT-2 (Radford et al. 2019): every word sees those before it; the next one is guessed."""

    def __init__(self, vocabulary: int) -> None:
        super().__init__(vocabulary, norm_first=True)

    def forward(self, ids: Tensor) -> Tensor:
        """[B, T] ids -> hidden states [B, T, d_model], which ``logits`` takes."""
        time = ids.shape[1]
        future = torch.ones(time, time, dtype=torch.bool).triu(1)
        return self.norm(self.stack(self.embed(ids), mask=future))

    def logits(self, hidden: Tensor) -> Tensor:
        """[N, d_model] -> [N, vocabulary]"""
        return hidden @ self.words.weight.T
