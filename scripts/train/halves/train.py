"""Trains the halves of a transformer on the English side of the grammar's sentences: a quarter of an hour a core.

python3 scripts/train/halves/train.py        # the package must be built: it quantises

Float32 goes into build/halves, 8 bits into web/public/models/en-fill and en-continue.
"""

import argparse
import math
import os
import shutil
import subprocess
import time
from pathlib import Path
from random import Random

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import torch
import torch.multiprocessing as processes
from torch import Tensor, nn

import folder
from folder import KINDS, MASK_TOKEN, ROOT, WORK, build_tokenizer
from model import PAD, Half
from split import training_texts
from tokenizer import BOS, EOS, UNK, Tokenizer

MASKED = 0.15  # of the words, as in BERT; at least one of each sentence
WARMUP = 200
REPORT = 500  # steps
SHARD = 10_000  # sentences


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sentences", type=int, default=120_000)
    parser.add_argument("--steps", type=int, default=30_000)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--rate", type=float, default=2e-3)
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def shard_file(seed: int) -> Path:
    """English sentences, a line each; made once."""
    file = WORK / f"sentences_{seed}.txt"
    if not file.exists():
        WORK.mkdir(parents=True, exist_ok=True)
        lines = [text.english for text in training_texts(5_000_000 + seed, SHARD)]
        part = file.with_suffix(".part")
        part.write_text("\n".join(lines) + "\n")
        part.replace(file)
    return file


def sentences(count: int) -> list[str]:
    with processes.get_context("spawn").Pool(2) as pool:
        files = pool.map(shard_file, range(math.ceil(count / SHARD)), chunksize=1)
    return [line for file in files for line in file.read_text().splitlines()][:count]


def batch(rows: list[list[int]]) -> Tensor:
    out = torch.full((len(rows), max(map(len, rows))), PAD)
    for i, row in enumerate(rows):
        out[i, : len(row)] = torch.tensor(row)
    return out


def is_guessed(ids: Tensor, generator: torch.Generator) -> Tensor:
    """Whether a word is masked: words that are known, 15 % of them, and at least one of a sentence."""
    chance = torch.rand(ids.shape, generator=generator)
    chance[(ids == PAD) | (ids == BOS) | (ids == EOS) | (ids == UNK)] = 2
    return (chance < MASKED) | ((chance == chance.min(1, keepdim=True).values) & (chance < 1))


def loss_of(name: str, model: Half, ids: Tensor, generator: torch.Generator, mask: int) -> Tensor:
    if name == "en-fill":
        guessed = is_guessed(ids, generator)
        hidden = model(ids.masked_fill(guessed, mask))
        return nn.functional.cross_entropy(model.logits(hidden[guessed]), ids[guessed])
    wanted = ids[:, 1:]
    kept = (wanted != PAD) & (wanted != UNK)
    return nn.functional.cross_entropy(model.logits(model(ids[:, :-1])[kept]), wanted[kept])


def rate_at(step: int, options: argparse.Namespace) -> float:
    """Linear warm-up, then a cosine down to a hundredth of the peak."""
    if step < WARMUP:
        return options.rate * (step + 1) / WARMUP
    progress = (step - WARMUP) / (options.steps - WARMUP)
    return options.rate * (0.01 + 0.99 * 0.5 * (1 + math.cos(math.pi * progress)))


def batches(rows: list[list[int]], options: argparse.Namespace):
    """Batches of sentences of similar length, epoch after epoch."""
    random = Random(options.seed)
    while True:
        random.shuffle(rows)
        ordered = sorted(rows, key=len)
        starts = list(range(0, len(ordered), options.batch))
        random.shuffle(starts)
        yield from (batch(ordered[start : start + options.batch]) for start in starts)


def train(name: str, tokenizer: Tokenizer, rows: list[list[int]], options: argparse.Namespace) -> None:
    torch.set_num_threads(1)
    torch.manual_seed(options.seed)
    generator = torch.Generator().manual_seed(options.seed)
    model = KINDS[name](len(tokenizer)).train()
    optimizer = torch.optim.Adam(model.parameters(), lr=0, betas=(0.9, 0.98), eps=1e-9)
    losses = []
    for step, ids in zip(range(options.steps), batches(rows, options)):
        optimizer.param_groups[0]["lr"] = rate_at(step, options)
        optimizer.zero_grad()
        loss = loss_of(name, model, ids, generator, tokenizer.ids[MASK_TOKEN])
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.item())
        if (step + 1) % REPORT == 0:
            mean, minutes = sum(losses) / len(losses), time.process_time() / 60
            print(f"{name} step {step + 1} loss {mean:.4f} {minutes:.1f} CPU minutes", flush=True)
            losses = []
    folder.save(name, model.eval(), tokenizer, WORK / name)


def ship(name: str) -> None:
    """Quantises what was trained, and puts it beside the card."""
    command = [ROOT / "dist/cli.js", "quantize", "--force"]
    subprocess.run(["node", *command, WORK / name, WORK / f"{name}-int8"], check=True)
    shipped = ROOT / f"web/public/models/{name}"
    shipped.mkdir(parents=True, exist_ok=True)
    for file in (WORK / f"{name}-int8").iterdir():
        shutil.copy(file, shipped)


def main() -> None:
    options = arguments()
    tokenizer = build_tokenizer()
    rows = [[BOS, *tokenizer.encode(line)] for line in sentences(options.sentences)]
    work = [
        processes.get_context("spawn").Process(target=train, args=(name, tokenizer, rows, options))
        for name in KINDS
    ]
    for process in work:
        process.start()
    for process in work:
        process.join()
        if process.exitcode != 0:
            raise SystemExit(process.exitcode)
    for name in KINDS:
        ship(name)


if __name__ == "__main__":
    main()
