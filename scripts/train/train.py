"""Trains the English-French model and writes the model folder.

python3 scripts/train/train.py
"""

import argparse
import math
import os
import resource
import time
from copy import deepcopy
from itertools import accumulate
from pathlib import Path
from random import Random

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before torch loads: a process a core

import torch
from torch import Tensor, nn

import checkpoint
import parallel
from data import Batch, batch, batches, example, examples
from grammar.vocabulary import digits, french_words, sorted_vocabulary
from model import CONFIG, TranslationModel
from split import heldout_pairs, heldout_sentences
from tokenizer import BOS, EOS, PAD, UNK, Tokenizer

SENTENCES = (700_000, 200_000, 280_000, 400_000)  # of each part
PEAKS = (1, 0.5, 0.25, 0.5)  # of the rate, where each part begins; further parts begin as the last of these
STATE = Path(__file__).parent / "state/en-fr.pt"

SHARD = 4000  # sentences a worker makes at a time
CHECK_SEED = 2_000_000  # the progress figures are not those of the test sets
ALIGNMENT_WEIGHT = 0.1  # of the cross-attention head's loss (Garg et al. 2019)
FOUND_SHARE = 0.3  # of what that head is to look at: where the layer's other heads, which nobody teaches, look
ANTECEDENT_WEIGHT = 0.1  # of the encoder head's loss (after Strubell et al. 2018)
# Of the words that are not wanted in a batch, one in so many takes part in its softmax: of the
# French ones while the rate is constant and while it falls, and of those that are English alone.
SAMPLED_FRENCH, SAMPLED_AT_THE_END, SAMPLED_ENGLISH = 6, 2, 12


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=checkpoint.FLOAT32)
    parser.add_argument(
        "--sentences",
        type=int,
        nargs="+",
        default=SENTENCES,
        help="of each part; a part that is added later goes on where the last one ended",
    )
    parser.add_argument(
        "--decay", type=float, default=0.4, help="the share of the steps that end it"
    )
    parser.add_argument("--batch", type=int, default=48, help="sentences per worker and step")
    parser.add_argument("--rate", type=float, default=1.5e-3)
    parser.add_argument("--warmup", type=int, default=400)
    parser.add_argument("--average", type=float, default=0.998)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument(
        "--start", type=Path, help="a model folder to begin with, whose vocabulary may be smaller"
    )
    parser.add_argument(
        "--state", type=Path, default=STATE, help="where an interrupted training goes on"
    )
    return parser.parse_args()


def learning_rate(step: int, ends: list[int], options: argparse.Namespace) -> float:
    """Warm-up, constant, down in a straight line; in each later part down again, from less.

    ends: the step after the last one of each part. As long as the rate is constant, nothing depends on the number of
    steps: training that was stopped can go on for longer or shorter than planned.
    """
    part = sum(step >= end for end in ends)
    end = ends[part]
    if part > 0:
        left = (end - step) / (end - ends[part - 1])
        return options.rate * PEAKS[min(part, len(PEAKS) - 1)] * max(0.03, left)
    if step < options.warmup:
        return options.rate * (step + 1) / options.warmup
    left = (end - step) / (options.decay * end)
    return options.rate * max(0.01, min(1, left))


class Loss:
    """Cross-entropy of the next tokens, and what the two taught heads should look at."""

    def __init__(self, tokenizer: Tokenizer, seed: int) -> None:
        ids = tokenizer.ids
        french = {ids[word] for word in french_words() | digits()} | {UNK, BOS, EOS}
        self.is_french = torch.tensor([i in french for i in range(len(tokenizer))])
        self.generator = torch.Generator().manual_seed(seed)
        self.sampled_french = SAMPLED_FRENCH

    def __call__(self, model: TranslationModel, batch: Batch) -> tuple[Tensor, Tensor, Tensor]:
        source, target, links, pronouns, antecedents = batch
        memory, looks = model.encode_with_head(source)
        hidden, heads = model.decode_with_heads(memory, source, target[:, :-1])
        wanted = target[:, 1:]
        kept = wanted != PAD
        words = self.translation(model, hidden[kept], wanted[kept])
        alignment = self.alignment(heads.transpose(1, 2)[kept], links[kept])
        if len(pronouns) == 0:
            return words, alignment, torch.zeros(())
        rows = looks[pronouns[:, 0], pronouns[:, 1]]
        found = rows.masked_fill(~antecedents, -math.inf).logsumexp(-1)
        return words, alignment, -found.mean()

    @staticmethod
    def alignment(heads: Tensor, links: Tensor) -> Tensor:
        """[N, heads, S] log-weights, the taught head first, [N] the place of the English word -> cross-entropy.

        The target is soft: most of it on that word, the rest where the other heads look by themselves.
        """
        taught = heads[:, 0].clamp(min=-100)  # padding is -inf, and 0 of the target
        sure = taught.gather(1, links[:, None])[:, 0]
        found = (heads[:, 1:].detach().exp().mean(1) * taught).sum(-1)
        return -((1 - FOUND_SHARE) * sure + FOUND_SHARE * found).mean()

    def translation(self, model: TranslationModel, hidden: Tensor, wanted: Tensor) -> Tensor:
        """A sampled softmax (Jean et al. 2015): a word that is one in n to take part counts n times."""
        times = torch.where(self.is_french, float(self.sampled_french), float(SAMPLED_ENGLISH))
        drawn = torch.rand(len(times), generator=self.generator) * times < 1
        drawn[wanted] = True
        times[wanted] = 1
        rows = drawn.nonzero()[:, 0]
        column = torch.zeros(len(times), dtype=torch.long)
        column[rows] = torch.arange(len(rows))
        logits = hidden @ model.embedding(rows).T + times[rows].log()
        return nn.functional.cross_entropy(logits, column[wanted])


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


def new_model(tokenizer: Tokenizer, seed: int) -> TranslationModel:
    torch.manual_seed(seed)
    return TranslationModel(CONFIG | {"vocab_size": len(tokenizer)})


@torch.no_grad()
def begin_with(model: TranslationModel, tokenizer: Tokenizer, folder: Path) -> None:
    """Takes the weights of a model of this shape; words that it did not have keep their fresh rows."""
    other, known = checkpoint.load(folder)
    state = other.state_dict()
    rows = model.embedding.weight.clone()
    for token, place in known.ids.items():
        if token in tokenizer.ids:
            rows[tokenizer.ids[token]] = state["embedding.weight"][place]
    model.load_state_dict(state | {"embedding.weight": rows})


def train(averager: parallel.Averager, options: argparse.Namespace) -> None:
    """One worker. All take the same steps; the first one also averages, reports and saves."""
    tokenizer = Tokenizer.build(sorted_vocabulary())
    model = new_model(tokenizer, options.seed).train()
    if options.start:
        begin_with(model, tokenizer, options.start)
    average = deepcopy(model).eval()
    optimizer = torch.optim.Adam(model.parameters(), lr=0, betas=(0.9, 0.98), eps=1e-9)
    loss_of = Loss(tokenizer, options.seed)
    first = resume(options.state, model, average, optimizer) if options.state.exists() else 0
    averager.wait()
    counts = [math.ceil(count / (SHARD * options.workers)) for count in options.sentences]
    per_shard = math.ceil(SHARD / options.batch)
    ends = [shards * per_shard for shards in accumulate(counts)]
    report = Report(tokenizer, ends[-1]) if averager.rank == 0 else None
    for shard in range(first, sum(counts)):
        step = shard * per_shard
        # The same in all workers, so that lengths match.
        random = Random(options.seed * 100_000 + shard)
        loss_of.generator.manual_seed(options.seed * 100_000 + shard)
        seed = options.seed * 100_000 + shard * options.workers + averager.rank
        for chosen in batches(examples(tokenizer, seed, SHARD), options.batch, random):
            decaying = step >= (1 - options.decay) * ends[0]
            loss_of.sampled_french = SAMPLED_AT_THE_END if decaying else SAMPLED_FRENCH
            optimizer.param_groups[0]["lr"] = learning_rate(step, ends, options)
            optimizer.zero_grad()
            words, alignment, antecedent = loss_of(model, chosen)
            loss = words + ALIGNMENT_WEIGHT * alignment + ANTECEDENT_WEIGHT * antecedent
            loss.backward()
            averager.average(model)
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            step += 1
            if report:
                update_average(average, model, min(options.average, step / (10 + step)))
                report.add(words.item(), alignment.item(), antecedent.item())
        if report:
            report.print(step, average)
            save_state(options.state, shard + 1, model, average, optimizer)
            checkpoint.save(average, tokenizer, options.out)
    averager.wait()


def save_state(path: Path, shard: int, model: nn.Module, average: nn.Module, optimizer) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    state = {"model": model.state_dict(), "average": average.state_dict()}
    state |= {"optimizer": optimizer.state_dict(), "shard": shard}
    torch.save(state, path.with_suffix(".new"))
    path.with_suffix(".new").replace(path)


def resume(path: Path, model: nn.Module, average: nn.Module, optimizer) -> int:
    """The shard to go on with."""
    state = torch.load(path)
    model.load_state_dict(state["model"])
    average.load_state_dict(state["average"])
    optimizer.load_state_dict(state["optimizer"])
    return state["shard"]


class Report:
    """The progress of training, a line a shard."""

    def __init__(self, tokenizer: Tokenizer, steps: int) -> None:
        self.checks = {
            name: batch([example(tokenizer, text) for text in texts])
            for name, texts in (
                ("sentences", heldout_sentences(CHECK_SEED, 100)),
                ("pairs", heldout_pairs(CHECK_SEED, 100)),
            )
        }
        self.steps, self.started, self.losses = steps, time.time(), []
        self.first = 0

    def add(self, *losses: float) -> None:
        self.losses.append(losses)

    def print(self, step: int, model: TranslationModel) -> None:
        exact = {name: exact_match(model, *check[:2]) for name, check in self.checks.items()}
        minutes = (time.time() - self.started) / 60
        means = [sum(column) / len(column) for column in zip(*self.losses, strict=True)]
        self.first = self.first or step - len(self.losses)
        left = minutes * (self.steps - step) / (step - self.first)
        print(
            f"step {step}/{self.steps}",
            "loss {:.4f} alignment {:.3f} antecedent {:.3f}".format(*means),
            *(f"{name} {share:.2f}" for name, share in exact.items()),
            f"{minutes:.1f} min, {left:.1f} left",
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
