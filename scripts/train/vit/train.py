"""Trains the model of drawn and printed digits: in float32 into build/digits/f32, in 8 bits into web/public/models/digits.

nice python3 scripts/train/vit/train.py     # the package must be built: it quantises

Broken off, it goes on from its last state when it is run again; what comes out is the same.
"""

import argparse
import math
import os
import shutil
import subprocess
import time
from copy import deepcopy

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before NumPy and PyTorch load
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import torch
from torch import Tensor, nn

import folder
from images import Digits
from model import DigitModel

SHARD = 2000  # images made, and steps' worth of progress lost at most, at a time
AVERAGE = 0.998


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--images", type=int, default=60_000)
    parser.add_argument("--steps", type=int, default=5200)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--rate", type=float, default=2e-3)
    parser.add_argument("--warmup", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def learned_images(count: int) -> tuple[np.ndarray, np.ndarray]:
    """The first images of the training set, kept on disk."""
    file = folder.WORK / f"train_{count}.npz"
    if not file.exists():
        digits = Digits("train")
        parts = [digits.images(range(at, at + SHARD)) for at in range(0, count, SHARD)]
        images, labels = (np.concatenate(part) for part in zip(*parts))
        folder.WORK.mkdir(parents=True, exist_ok=True)
        np.savez_compressed(file, images=images, labels=labels)
    stored = np.load(file)
    return stored["images"], stored["labels"]


def moved(images: Tensor, random: torch.Generator) -> Tensor:
    """Each image [batch, 1, 28, 28] turned, stretched and shifted a little, so that no epoch repeats one."""
    count = len(images)
    turn, slant, *sizes = 0.1 * torch.randn(4, count, generator=random)
    shift = 0.14 * (torch.rand(count, 2, generator=random) - 0.5)
    wide, high = (1 + 0.6 * size.clamp(-0.25, 0.25) for size in sizes)
    rows = [
        torch.stack([wide * turn.cos(), slant - turn.sin(), shift[:, 0]], 1),
        torch.stack([turn.sin(), high * turn.cos(), shift[:, 1]], 1),
    ]
    grid = nn.functional.affine_grid(torch.stack(rows, 1), list(images.shape), align_corners=False)
    return nn.functional.grid_sample(images, grid, padding_mode="border", align_corners=False)


class Training:
    """Model, average and optimizer after so many steps; the images of a step follow from its number."""

    def __init__(self, options: argparse.Namespace) -> None:
        torch.manual_seed(options.seed)
        self.options = options
        self.model = DigitModel()
        self.average = deepcopy(self.model).eval()
        matrices = [value for value in self.model.parameters() if value.dim() == 2]
        others = [value for value in self.model.parameters() if value.dim() != 2]
        groups = [{"params": matrices, "weight_decay": 0.05}, {"params": others}]
        self.optimizer = torch.optim.AdamW(groups, lr=0, betas=(0.9, 0.98), weight_decay=0)
        self.step, self.seconds = 0, 0.0
        self.parts = {"model": self.model, "average": self.average, "optimizer": self.optimizer}
        self.file = folder.WORK / f"state_{options.seed}_{options.images}_{options.steps}.pt"

    def resume(self) -> None:
        if self.file.exists():
            state = torch.load(self.file)
            self.step, self.seconds = state["step"], state["seconds"]
            for name, part in self.parts.items():
                part.load_state_dict(state[name])

    def save(self) -> None:
        state = {name: part.state_dict() for name, part in self.parts.items()}
        unfinished = self.file.with_suffix(".part")
        torch.save(state | {"step": self.step, "seconds": self.seconds}, unfinished)
        unfinished.replace(self.file)

    def rate(self) -> float:
        """Linear warm-up, then a cosine down to a hundredth of the peak."""
        peak, warmup = self.options.rate, self.options.warmup
        if self.step < warmup:
            return peak * (self.step + 1) / warmup
        progress = (self.step - warmup) / (self.options.steps - warmup)
        return peak * (0.01 + 0.99 * 0.5 * (1 + math.cos(math.pi * progress)))

    def batch(self, images: np.ndarray, labels: np.ndarray) -> tuple[Tensor, Tensor]:
        size, in_epoch = self.options.batch, len(images) // self.options.batch
        epoch, at = divmod(self.step, in_epoch)
        order = np.random.default_rng([self.options.seed, epoch]).permutation(len(images))
        chosen = order[at * size : (at + 1) * size]
        random = torch.Generator().manual_seed(self.options.seed * 1_000_003 + self.step)
        return moved(folder.pixel_values(images[chosen]), random), torch.from_numpy(labels[chosen])

    def take_step(self, images: Tensor, labels: Tensor) -> float:
        for group in self.optimizer.param_groups:
            group["lr"] = self.rate()
        self.optimizer.zero_grad()
        loss = nn.functional.cross_entropy(self.model(images), labels)
        loss.backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()
        self.step += 1
        decay = min(AVERAGE, self.step / (10 + self.step))
        with torch.no_grad():
            pairs = zip(self.average.parameters(), self.model.parameters(), strict=True)
            for mean, value in pairs:
                mean.lerp_(value, 1 - decay)
        return loss.item()


def accuracy(model: DigitModel, images: np.ndarray, labels: np.ndarray) -> float:
    return float((folder.recognised(model, images)[0] == labels).mean())


def ship() -> None:
    """Quantises what was trained, and puts it beside the card."""
    command = [folder.ROOT / "dist/cli.js", "quantize", "--force"]
    subprocess.run(["node", *command, folder.WORK / "f32", folder.WORK / "int8"], check=True)
    folder.FOLDER.mkdir(parents=True, exist_ok=True)
    for file in (folder.WORK / "int8").iterdir():
        shutil.copy(file, folder.FOLDER)


def main() -> None:
    torch.set_num_threads(1)
    options = arguments()
    images, labels = learned_images(options.images)
    training = Training(options)
    training.resume()
    before, losses = training.seconds - time.process_time(), []
    # Numbers far from those that are evaluated: progress is not measured on the test sets.
    checks = {name: Digits(name).images(range(10**6, 10**6 + 300)) for name in ("fonts", "styles")}
    while training.step < options.steps:
        losses.append(training.take_step(*training.batch(images, labels)))
        if training.step % 200 == 0 or training.step == options.steps:
            training.seconds = before + time.process_time()
            training.save()
            folder.save(training.average, folder.WORK / "f32")
            found = [f"{name} {accuracy(training.average, *c):.3f}" for name, c in checks.items()]
            loss, minutes = sum(losses) / len(losses), training.seconds / 60
            line = (f"step {training.step}", f"loss {loss:.4f}", *found)
            print(*line, f"{minutes:.1f} CPU minutes", flush=True)
            losses = []
    ship()


if __name__ == "__main__":
    main()
