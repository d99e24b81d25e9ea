"""Trains the smallest classifier that needs attention, and a bag of words beside it, in some seconds.

python3 scripts/train/smallest/train.py [--guide 0]

``--guide 0`` leaves the attention to itself, and writes nothing.
"""

import argparse
import json
import math
import os
import time
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import torch
from torch import Tensor, nn

from sentences import Sentence, all_sentences, vocabulary

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "web/public/models/smallest"
FIXTURES = ROOT / "tests/fixtures/smallest"
D_MODEL = 8
BASE = 100  # of the positions: sentences are short
STEPS, BATCH, RATE, SEED = 1500, 256, 0.03, 1
GUIDE = 0.05  # weight of the loss that has "not" look at the word after it
DECIMALS = 3  # of the weights that are written
WORDS = vocabulary()
PAD, NOT = len(WORDS), WORDS.index("not")


def positions(length: int, d_model: int) -> Tensor:
    """Sinusoidal, sine and cosine interleaved: [length, d_model]"""
    angles = torch.arange(length)[:, None] / BASE ** (torch.arange(0, d_model, 2) / d_model)
    return torch.stack([angles.sin(), angles.cos()], -1).flatten(1)


class Attention(nn.Module):
    """x = embedding + positions, weights = softmax(x W x^T / sqrt(d)), praise = sigmoid(mean(weights x readout)).

    One matrix stands for both W_Q and W_K: x W_Q (x W_K)^T = x (W_Q W_K^T) x^T. W_V is in the readout.
    """

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Parameter(0.5 * torch.randn(len(WORDS), D_MODEL))
        self.W = nn.Parameter(0.5 * torch.randn(D_MODEL, D_MODEL))
        self.readout = nn.Parameter(0.5 * torch.randn(D_MODEL, 1))

    def forward(self, ids: Tensor) -> tuple[Tensor, Tensor]:
        """Ids [batch, time] -> logits [batch], weights [batch, time, time]"""
        is_word = ids != PAD
        x = self.embedding[ids.clamp(max=PAD - 1)] + positions(ids.shape[1], D_MODEL)
        scores = x @ self.W @ x.transpose(1, 2) / math.sqrt(D_MODEL)
        weights = scores.masked_fill(~is_word[:, None], -math.inf).softmax(-1)
        seen = (weights @ x * is_word[..., None]).sum(1) / is_word.sum(1, keepdim=True)
        return (seen @ self.readout)[:, 0], weights


class BagOfWords(nn.Module):
    """A number for each word, added up: logistic regression on the counts."""

    def __init__(self) -> None:
        super().__init__()
        self.worth = nn.Parameter(0.1 * torch.randn(len(WORDS)))

    def forward(self, ids: Tensor) -> tuple[Tensor, None]:
        return (self.worth[ids.clamp(max=PAD - 1)] * (ids != PAD)).sum(1), None


def encode(sentences: list[Sentence]) -> tuple[Tensor, Tensor]:
    """Ids [n, time] with padding, and whether each is praise [n]."""
    rows = [[WORDS.index(word) for word in sentence.words] for sentence in sentences]
    longest = max(map(len, rows))
    ids = torch.tensor([row + [PAD] * (longest - len(row)) for row in rows])
    return ids, torch.tensor([float(sentence.is_praise) for sentence in sentences])


def after_not(weights: Tensor, ids: Tensor) -> Tensor:
    """How much of what each "not" sees is the word after it."""
    row, place = (ids == NOT).nonzero(as_tuple=True)
    return weights[row, place, place + 1]


def train(model: nn.Module, guide: float, ids: Tensor, praise: Tensor) -> None:
    """The guide is the cross-entropy of one row of attention (as Strubell et al. 2018 teach a head)."""
    random = torch.Generator().manual_seed(SEED)
    optimizer = torch.optim.Adam(model.parameters())
    for step in range(STEPS):
        optimizer.param_groups[0]["lr"] = RATE * 0.5 * (1 + math.cos(math.pi * step / STEPS))
        chosen = torch.randint(len(ids), (BATCH,), generator=random)
        logits, weights = model(ids[chosen])
        loss = nn.functional.binary_cross_entropy_with_logits(logits, praise[chosen])
        loss = loss + 1e-4 * sum(value.square().sum() for value in model.parameters())
        if weights is not None:
            loss = loss - guide * after_not(weights, ids[chosen]).clamp(min=1e-6).log().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


@torch.no_grad()
def accuracy(model: nn.Module, ids: Tensor, praise: Tensor) -> float:
    return ((model(ids)[0] > 0) == praise.bool()).double().mean().item()


def numbers(value: Tensor) -> list:
    """Nested lists, as few digits as there are decimals."""
    if value.dim() > 0:
        return [numbers(part) for part in value]
    return round(value.item(), DECIMALS)


@torch.no_grad()
def write(model: Attention) -> None:
    """What is written is what the model has from now on: rounded numbers."""
    for value in model.parameters():
        value.copy_((value.double() * 10**DECIMALS).round() / 10**DECIMALS)
    rows = zip(WORDS, numbers(model.embedding), strict=True)
    words = ",\n".join(f"    {json.dumps(word)}: {row}" for word, row in rows)
    matrix = ",\n".join(f"    {row}" for row in numbers(model.W))
    FOLDER.mkdir(parents=True, exist_ok=True)
    (FOLDER / "smallest.json").write_text(
        f'{{\n  "readout": {numbers(model.readout)},\n  "W": [\n{matrix}\n  ],\n'
        f'  "embedding": {{\n{words}\n  }}\n}}\n'
    )


@torch.no_grad()
def write_expected(model: Attention, sentences: list[Sentence]) -> None:
    """What PyTorch computes of sentences alone, without padding."""
    lines = []
    for sentence in sentences:
        ids, _ = encode([sentence])
        logits, weights = model(ids)
        entry = {
            "sentence": " ".join(sentence.words),
            "is_praise": sentence.is_praise,
            "praise": round(logits.sigmoid().item(), 7),
            "weights": [[round(w, 7) for w in row] for row in weights[0].tolist()],
        }
        lines.append(json.dumps(entry))
    FIXTURES.mkdir(parents=True, exist_ok=True)
    (FIXTURES / "expected.json").write_text("[\n" + ",\n".join(lines) + "\n]\n")


def report(name: str, model: nn.Module, parts: dict[str, list[Sentence]]) -> None:
    parameters = sum(value.numel() for value in model.parameters())
    print(f"{name}, {parameters} numbers")
    for part, sentences in parts.items():
        ids, praise = encode(sentences)
        with torch.no_grad():
            logits, weights = model(ids)
        right = ((logits > 0) == praise.bool()).double().mean().item()
        print(f"  {part}: right about {100 * right:.2f} % of {len(sentences)} sentences")
        if weights is not None:
            seen = after_not(weights, ids)
            print(f"    \"not\" gives the word after it {seen.mean():.3f}, {seen.min():.3f} at least")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--guide", type=float, default=GUIDE)
    guide = parser.parse_args().guide
    torch.set_num_threads(1)
    torch.manual_seed(SEED)
    started = time.process_time()
    parts = {
        "learned": [sentence for sentence in all_sentences() if not sentence.is_held_out],
        "held out": [sentence for sentence in all_sentences() if sentence.is_held_out],
    }
    models = {"attention": Attention(), "bag of words": BagOfWords()}
    for name, model in models.items():
        train(model, guide, *encode(parts["learned"]))
        if name == "attention" and guide == GUIDE:
            write(model)
        report(name, model, parts)
    print(f"{time.process_time() - started:.0f} CPU seconds")
    if guide == GUIDE:
        chosen = parts["held out"][::397]
        write_expected(models["attention"], chosen + [sentence.twin for sentence in chosen])


if __name__ == "__main__":
    main()
