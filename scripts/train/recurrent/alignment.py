"""The attention of a recurrent decoder: Bahdanau et al. 2015, Luong et al. 2015."""

import torch
from torch import Tensor, nn


class Alignment(nn.Module):
    """Scores dot, general or concat, over all of the source or, as local-p, in a window around a
    predicted centre.

    concat is v^T tanh(Ws s + Wh h): Bahdanau's additive score, and Luong's with its matrix cut in
    two. none looks at nothing: the context of every step is where the encoder ended, in each of its
    directions (Cho et al. 2014).
    """

    def __init__(self, config: dict, query_size: int, key_size: int) -> None:
        super().__init__()
        self.score, self.window = config["score"], config["window"]
        self.direction = config["hidden_size"]  # numbers of a state in each of its directions
        inner = config["d_attention"]
        if self.score == "general":
            self.W = nn.Linear(key_size, query_size, bias=False)
        if self.score == "concat":
            self.Ws = nn.Linear(query_size, inner, bias=False)
            self.Wh = nn.Linear(key_size, inner, bias=False)
            self.v = vector(inner)
        if self.window:
            self.Wp = nn.Linear(query_size, inner, bias=False)
            self.vp = vector(inner)

    def keys(self, states: Tensor) -> Tensor:
        """[B, S, key_size] -> what the score makes of the source states once."""
        if self.score == "general":
            return self.W(states)
        return self.Wh(states) if self.score == "concat" else states

    def scores(self, query: Tensor, keys: Tensor) -> Tensor:
        """[B, query_size], [B, S, ...] -> [B, S]"""
        if self.score == "concat":
            return torch.tanh(self.Ws(query)[:, None] + keys) @ self.v
        return (keys @ query[:, :, None])[..., 0]

    def ends(self, states: Tensor, mask: Tensor) -> Tensor:
        """[B, S, key_size] -> [B, key_size]: at the last word, and backward at the first."""
        last = states[torch.arange(len(states)), mask.sum(1) - 1]
        return torch.cat([last[:, : self.direction], states[:, 0, self.direction :]], -1)

    def forward(
        self, query: Tensor, states: Tensor, keys: Tensor, mask: Tensor
    ) -> tuple[Tensor, Tensor]:
        """[B, query_size], [B, S, key_size], keys(states), [B, S] true where there is a word
        -> context [B, key_size], weights [B, S]
        """
        if self.score == "none":
            return self.ends(states, mask), torch.zeros(mask.shape)
        scores = self.scores(query, keys)
        if self.window:
            center = mask.sum(1) * torch.sigmoid(torch.tanh(self.Wp(query)) @ self.vp)
            distance = torch.arange(mask.shape[1]) - center[:, None]
            mask = mask & (distance.abs() <= self.window)
        weights = scores.masked_fill(~mask, -torch.inf).softmax(-1)
        if self.window:
            weights = weights * torch.exp(-2 * (distance / self.window) ** 2)  # sigma = D / 2
        return (weights[:, None] @ states)[:, 0], weights


def vector(size: int) -> nn.Parameter:
    return nn.Parameter(torch.empty(size).uniform_(-(size**-0.5), size**-0.5))
