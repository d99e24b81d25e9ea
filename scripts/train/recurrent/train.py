"""Trains a recurrent model on the sentences of the grammar and writes its folder.

python3 scripts/train/recurrent/train.py bahdanau

Nothing teaches its attention where to look. Begun again after it was broken off, it goes on from
the last shard with the same result; with more --sentences as well, as long as its rate has not
begun to fall.
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
from torch import nn

import parallel
from alignment_error import alignment_error_rate
from data import Batch, batch, batches, example, examples
from grammar.vocabulary import sorted_vocabulary
from recurrent import checkpoint
from recurrent.configs import CONFIGS
from recurrent.model import RecurrentModel
from split import heldout_pairs, heldout_sentences
from tokenizer import PAD, Tokenizer
from train import (
    CHECK_SEED,
    SAMPLED_FRENCH,
    SHARD,
    Loss,
    exact_match,
    learning_rate,
    resume,
    save_state,
    update_average,
)

MOST_PARAMETERS = 2_000_000
STATES = Path(__file__).parents[1] / "state"


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", choices=CONFIGS)
    parser.add_argument("--out", type=Path, help="default: build/en-fr-MODEL-float32")
    parser.add_argument("--sentences", type=int, default=200_000)
    parser.add_argument(
        "--decay", type=float, default=0.4, help="the share of the steps that end it"
    )
    parser.add_argument("--batch", type=int, default=96, help="sentences per worker and step")
    parser.add_argument("--rate", type=float, default=3e-3)
    parser.add_argument("--warmup", type=int, default=200)
    parser.add_argument("--average", type=float, default=0.998)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--state", type=Path, help="where an interrupted training goes on")
    options = parser.parse_args()
    options.out = options.out or checkpoint.float32_of(options.model)
    options.state = options.state or STATES / f"en-fr-{options.model}.pt"
    return options


def new_model(options: argparse.Namespace, tokenizer: Tokenizer) -> RecurrentModel:
    torch.manual_seed(options.seed)
    return RecurrentModel(CONFIGS[options.model] | {"vocab_size": len(tokenizer)})


def loss_of(model: RecurrentModel, chosen: Batch, sampled: Loss) -> torch.Tensor:
    """Cross-entropy of the next tokens under the sampled softmax of the transformer's training."""
    memory = model.encode(chosen.source)
    readout, _ = model.decode_with_head(memory, chosen.source, chosen.target[:, :-1])
    wanted = chosen.target[:, 1:]
    kept = wanted != PAD
    return sampled.translation(model, readout[kept], wanted[kept])


def train(averager: parallel.Averager, options: argparse.Namespace) -> None:
    """One worker. All take the same steps; the first one also averages, reports and saves."""
    tokenizer = Tokenizer.build(sorted_vocabulary())
    model = new_model(options, tokenizer)
    average = deepcopy(model).eval()
    optimizer = torch.optim.Adam(model.parameters(), lr=0, betas=(0.9, 0.98), eps=1e-9)
    sampled = Loss(tokenizer, options.seed)
    first = resume(options.state, model, average, optimizer) if options.state.exists() else 0
    averager.wait()  # before the first worker writes it again
    shards = math.ceil(options.sentences / (SHARD * options.workers))
    per_shard = math.ceil(SHARD / options.batch)
    steps = shards * per_shard
    report = Report(tokenizer, steps) if averager.rank == 0 else None
    for shard in range(first, shards):
        step = shard * per_shard
        same = options.seed * 100_000 + shard  # in all workers, so that lengths match
        random = Random(same)
        sampled.generator.manual_seed(same)
        seed = options.seed * 100_000 + shard * options.workers + averager.rank
        for chosen in batches(examples(tokenizer, seed, SHARD), options.batch, random):
            is_decaying = step >= (1 - options.decay) * steps
            sampled.sampled_french = 1 if is_decaying else SAMPLED_FRENCH
            optimizer.param_groups[0]["lr"] = learning_rate(step, [steps], options)
            optimizer.zero_grad()
            loss = loss_of(model, chosen, sampled)
            loss.backward()
            averager.average(model)
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            step += 1
            if report:
                update_average(average, model, min(options.average, step / (10 + step)))
                report.losses.append(loss.item())
        if report:
            report.print(step, average)
            save_state(options.state, shard + 1, model, average, optimizer)
            checkpoint.save(average, tokenizer, options.out)
    averager.wait()


class Report:
    """The progress of training, a line a shard."""

    def __init__(self, tokenizer: Tokenizer, steps: int) -> None:
        self.tokenizer, self.steps = tokenizer, steps
        self.texts = {
            "sentences": heldout_sentences(CHECK_SEED, 100),
            "pairs": heldout_pairs(CHECK_SEED, 100),
        }
        self.checks = {
            name: batch([example(tokenizer, text) for text in texts])
            for name, texts in self.texts.items()
        }
        self.started, self.first = time.time(), 0
        self.losses: list[float] = []

    def print(self, step: int, model: RecurrentModel) -> None:
        exact = {name: exact_match(model, *check[:2]) for name, check in self.checks.items()}
        error = alignment_error_rate(model, self.tokenizer, self.texts["sentences"])
        minutes = (time.time() - self.started) / 60
        self.first = self.first or step - len(self.losses)
        left = minutes * (self.steps - step) / (step - self.first)
        print(
            f"step {step}/{self.steps}",
            f"loss {sum(self.losses) / len(self.losses):.4f}",
            *(f"{name} {share:.2f}" for name, share in exact.items()),
            f"alignment error {error:.2f}",
            f"{minutes:.1f} min, {left:.1f} left",
            flush=True,
        )
        self.losses = []


def main() -> None:
    options = arguments()
    model = new_model(options, Tokenizer.build(sorted_vocabulary()))
    parameters = sum(value.numel() for value in model.parameters())
    print(f"{options.model}: {parameters} parameters", flush=True)
    if parameters > MOST_PARAMETERS:
        raise SystemExit(f"more than {MOST_PARAMETERS}")
    parallel.run(options.workers, parameters, train, options)


if __name__ == "__main__":
    main()
