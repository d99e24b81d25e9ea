"""Trains the English-French model and writes the model folder.

python3 scripts/train/train.py --out web/public/models/en-fr
"""

import argparse
import math
import os
import resource
import time
from copy import deepcopy
from pathlib import Path
from random import Random

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before torch loads: a process a core

import torch
from torch import Tensor, nn

import checkpoint
import parallel
from data import batches, examples
from grammar.sentences import Text
from grammar.vocabulary import sorted_vocabulary
from model import CONFIG, TranslationModel, pad
from split import heldout_pairs, heldout_sentences
from tokenizer import PAD, Tokenizer

SHARD = 5000  # sentences a worker makes at a time
CHECK_SEED = 2_000_000  # the progress figures are not those of the test sets


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument(
        "--sentences", type=int, nargs="+", default=[500_000, 300_000], help="of each cycle"
    )
    parser.add_argument(
        "--from-cycle", type=int, default=0, help="go on from the model that --out holds already"
    )
    parser.add_argument("--batch", type=int, default=40, help="sentences per worker and step")
    parser.add_argument("--rate", type=float, default=1.5e-3, help="peak, halved with each cycle")
    parser.add_argument("--warmup", type=int, default=400)
    parser.add_argument("--average", type=float, default=0.997)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=2)
    return parser.parse_args()


def learning_rate(step: int, steps: int, peak: float, warmup: int) -> float:
    """Linear warm-up, then a cosine down to a hundredth of the peak."""
    if step < warmup:
        return peak * (step + 1) / warmup
    progress = (step - warmup) / max(1, steps - warmup)
    return peak * (0.01 + 0.99 * 0.5 * (1 + math.cos(math.pi * min(1, progress))))


def loss_of(model: TranslationModel, source: Tensor, target: Tensor) -> Tensor:
    """Mean cross-entropy of the next tokens; padding is left out before the projection."""
    hidden = model.decode(model.encode(source), source, target[:, :-1])
    wanted = target[:, 1:]
    kept = wanted != PAD
    return nn.functional.cross_entropy(model.logits(hidden[kept]), wanted[kept])


@torch.no_grad()
def update_average(average: nn.Module, model: nn.Module, decay: float) -> None:
    for mean, value in zip(average.parameters(), model.parameters(), strict=True):
        mean.lerp_(value, 1 - decay)


@torch.no_grad()
def exact_match(model: TranslationModel, source: Tensor, target: Tensor) -> float:
    """Share of sentences whose every token is the best one: what greedy search would find."""
    best = model(source, target[:, :-1]).argmax(-1)
    wanted = target[:, 1:]
    return ((best == wanted) | (wanted == PAD)).all(1).float().mean().item()


def tensors(tokenizer: Tokenizer, texts: list[Text]) -> tuple[Tensor, Tensor]:
    sources = pad([tokenizer.encode(text.english) for text in texts])
    return sources, pad([tokenizer.encode_target(text.french) for text in texts])


def new_model(tokenizer: Tokenizer, seed: int) -> TranslationModel:
    torch.manual_seed(seed)
    return TranslationModel(CONFIG | {"vocab_size": len(tokenizer)})


def train(averager: parallel.Averager, options: argparse.Namespace) -> None:
    """One worker: cosine cycles with warm restarts (Loshchilov and Hutter 2017, SGDR).

    A cycle begins with the averaged model of the one before and a new optimizer, so that it can be run on its own.
    """
    tokenizer = Tokenizer.build(sorted_vocabulary())
    for cycle in range(options.from_cycle, len(options.sentences)):
        if cycle == 0:
            model = new_model(tokenizer, options.seed)
        else:
            model, _ = checkpoint.load(options.out)
        averager.wait()  # before the first worker writes the folder again
        train_cycle(averager, options, cycle, model.train(), tokenizer)
        averager.wait()


def train_cycle(
    averager: parallel.Averager,
    options: argparse.Namespace,
    cycle: int,
    model: TranslationModel,
    tokenizer: Tokenizer,
) -> None:
    """All workers take the same steps; the first one also averages, reports and saves."""
    average = deepcopy(model).eval()
    optimizer = torch.optim.Adam(model.parameters(), lr=0, betas=(0.9, 0.98), eps=1e-9)
    random = Random(options.seed + cycle)  # the same in all workers, so that lengths match
    shards = [math.ceil(count / (SHARD * options.workers)) for count in options.sentences]
    first = sum(shards[:cycle])  # no shard comes twice
    steps = shards[cycle] * math.ceil(SHARD / options.batch)
    peak = options.rate * 0.5**cycle
    report = Report(tokenizer, steps) if averager.rank == 0 else None
    step = 0
    for shard in range(first, first + shards[cycle]):
        seed = options.seed * 100_000 + shard * options.workers + averager.rank
        for source, target in batches(examples(tokenizer, seed, SHARD), options.batch, random):
            rate = learning_rate(step, steps, peak, options.warmup)
            optimizer.param_groups[0]["lr"] = rate
            optimizer.zero_grad()
            loss = loss_of(model, source, target)
            loss.backward()
            averager.average(model)
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            step += 1
            if report:
                update_average(average, model, min(options.average, step / (10 + step)))
                report.add(loss.item())
        if report:
            report.print(step, average)
            checkpoint.save(average, tokenizer, options.out)


class Report:
    """The progress of training, a line a shard."""

    def __init__(self, tokenizer: Tokenizer, steps: int) -> None:
        self.checks = {
            "sentences": tensors(tokenizer, heldout_sentences(CHECK_SEED, 100)),
            "pairs": tensors(tokenizer, heldout_pairs(CHECK_SEED, 100)),
        }
        self.steps, self.started, self.losses = steps, time.time(), []

    def add(self, loss: float) -> None:
        self.losses.append(loss)

    def print(self, step: int, model: TranslationModel) -> None:
        exact = {name: exact_match(model, *check) for name, check in self.checks.items()}
        minutes = (time.time() - self.started) / 60
        print(
            f"step {step}/{self.steps}",
            f"loss {sum(self.losses) / len(self.losses):.4f}",
            *(f"{name} {share:.2f}" for name, share in exact.items()),
            f"{minutes:.1f} min, {minutes * (self.steps / step - 1):.1f} left",
            flush=True,
        )
        self.losses = []


def main() -> None:
    options = arguments()
    started = time.time()
    model = new_model(Tokenizer.build(sorted_vocabulary()), options.seed)
    parameters = sum(value.numel() for value in model.parameters())
    parallel.run(options.workers, parameters, train, options)
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = (children.ru_utime + children.ru_stime) / 60
    minutes = (time.time() - started) / 60
    print(f"{parameters} parameters, {minutes:.1f} minutes, {cpu:.1f} CPU minutes")


if __name__ == "__main__":
    main()
