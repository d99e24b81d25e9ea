"""Trains a recurrent model on the sentences of the grammar and writes its folder.

python3 scripts/train/recurrent/train.py bahdanau

Begun again after it was broken off, it goes on from the last shard with the same result.
"""

import argparse
import math
import os
import sys
import time
from copy import deepcopy
from pathlib import Path
from random import Random

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before torch loads: a process a core
sys.path[0] = str(Path(__file__).parents[1])  # the modules of scripts/train

import torch
from torch import Tensor, nn

import parallel
from data import batches, examples
from grammar.vocabulary import sorted_vocabulary
from recurrent import checkpoint
from recurrent.configs import CONFIGS
from recurrent.evaluate import alignment_error_rate, exact_match
from recurrent.model import RecurrentModel
from split import heldout_pairs, heldout_sentences
from tokenizer import PAD, Tokenizer

SHARD = 5000  # sentences a worker makes at a time
CHECK_SEED = 2_000_000  # the progress figures are not those of the test sets
MOST_PARAMETERS = 2_000_000


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", choices=CONFIGS)
    parser.add_argument("--out", type=Path, help="default: web/public/models/en-fr-MODEL")
    parser.add_argument("--sentences", type=int, default=800_000)
    parser.add_argument("--batch", type=int, default=128, help="sentences per worker and step")
    parser.add_argument("--rate", type=float, default=3e-3, help="peak")
    parser.add_argument("--warmup", type=int, default=400)
    parser.add_argument("--average", type=float, default=0.998)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    options.out = options.out or checkpoint.folder_of(options.model)
    return options


def learning_rate(step: int, steps: int, peak: float, warmup: int) -> float:
    """Linear warm-up, then a cosine down to a hundredth of the peak."""
    if step < warmup:
        return peak * (step + 1) / warmup
    progress = (step - warmup) / max(1, steps - warmup)
    return peak * (0.01 + 0.99 * 0.5 * (1 + math.cos(math.pi * min(1, progress))))


def loss_of(model: RecurrentModel, source: Tensor, target: Tensor) -> Tensor:
    """Mean cross-entropy of the next tokens; padding is left out before the projection."""
    readout, _ = model(source, target[:, :-1])
    wanted = target[:, 1:]
    kept = wanted != PAD
    return nn.functional.cross_entropy(model.projection(readout[kept]), wanted[kept])


class Training:
    """One worker's model and optimizer; all workers have the same."""

    def __init__(self, options: argparse.Namespace, tokenizer: Tokenizer) -> None:
        torch.manual_seed(options.seed)
        self.model = RecurrentModel(CONFIGS[options.model] | {"vocab_size": len(tokenizer)})
        self.average = deepcopy(self.model).eval()
        self.optimizer = torch.optim.Adam(
            self.model.parameters(), lr=0, betas=(0.9, 0.98), eps=1e-9
        )
        self.step = self.shard = 0
        self.seconds = 0.0

    PARTS = ("model", "average", "optimizer")

    def save(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        parts = {name: getattr(self, name).state_dict() for name in self.PARTS}
        state = parts | {"step": self.step, "shard": self.shard, "seconds": self.seconds}
        torch.save(state, path.with_suffix(".new"))
        path.with_suffix(".new").replace(path)  # at once: never half a file

    def load(self, path: Path) -> None:
        state = torch.load(path)
        for name in self.PARTS:
            getattr(self, name).load_state_dict(state[name])
        self.step, self.shard, self.seconds = state["step"], state["shard"], state["seconds"]

    @torch.no_grad()
    def update_average(self, most: float) -> None:
        decay = min(most, self.step / (10 + self.step))
        for mean, value in zip(self.average.parameters(), self.model.parameters(), strict=True):
            mean.lerp_(value, 1 - decay)


def train(averager: parallel.Averager, options: argparse.Namespace, kept: Path) -> None:
    """All workers take the same steps; the first one also averages, reports and saves."""
    tokenizer = Tokenizer.build(sorted_vocabulary())
    training = Training(options, tokenizer)
    if kept.exists():
        training.load(kept)
    averager.wait()  # before the first worker writes it again
    report = Report() if averager.rank == 0 else None
    shards = math.ceil(options.sentences / (SHARD * options.workers))
    steps = shards * math.ceil(SHARD / options.batch)
    for shard in range(training.shard, shards):
        begun = time.time()
        seed = options.seed * 100_000 + shard * options.workers + averager.rank
        random = Random(shard)  # the same in all workers, so that lengths match
        for source, target in batches(examples(tokenizer, seed, SHARD), options.batch, random):
            rate = learning_rate(training.step, steps, options.rate, options.warmup)
            training.optimizer.param_groups[0]["lr"] = rate
            training.optimizer.zero_grad()
            loss = loss_of(training.model, source, target)
            loss.backward()
            averager.average(training.model)
            nn.utils.clip_grad_norm_(training.model.parameters(), 1.0)
            training.optimizer.step()
            training.step += 1
            if report:
                training.update_average(options.average)
                report.losses.append(loss.item())
        training.shard = shard + 1
        training.seconds += time.time() - begun
        if report:
            report.print(training, shards, tokenizer)
            training.save(kept)
    if report:
        checkpoint.save(training.average, tokenizer, options.out)


class Report:
    """The progress of training, a line a shard."""

    def __init__(self) -> None:
        self.sentences = heldout_sentences(CHECK_SEED, 200)
        self.pairs = heldout_pairs(CHECK_SEED, 100)
        self.losses: list[float] = []

    def print(self, training: Training, shards: int, tokenizer: Tokenizer) -> None:
        model, minutes = training.average, training.seconds / 60
        print(
            f"shard {training.shard}/{shards}",
            f"loss {sum(self.losses) / len(self.losses):.4f}",
            f"sentences {exact_match(model, tokenizer, self.sentences):.3f}",
            f"pairs {exact_match(model, tokenizer, self.pairs):.3f}",
            f"alignment error {alignment_error_rate(model, tokenizer, self.sentences):.3f}",
            f"{minutes:.1f} min, {minutes * (shards / training.shard - 1):.1f} left",
            flush=True,
        )
        self.losses = []


def main() -> None:
    options = arguments()
    model = Training(options, Tokenizer.build(sorted_vocabulary())).model
    parameters = sum(value.numel() for value in model.parameters())
    print(f"{options.model}: {parameters} parameters", flush=True)
    if parameters > MOST_PARAMETERS:
        raise SystemExit(f"more than {MOST_PARAMETERS}")
    kept = checkpoint.ROOT / f"build/training/{options.out.name}.pt"
    parallel.run(options.workers, parameters, train, options, kept)


if __name__ == "__main__":
    main()
