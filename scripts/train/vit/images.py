"""Images of digits, 28 x 28, light ink on black, and which of them are held out.

Every image follows from its set, its number and nothing else.
"""

from pathlib import Path

import numpy as np
from numpy.random import Generator, default_rng
from PIL import Image, ImageFilter

import fonts
import strokes

SIDE = 28
FINE = 84  # printed digits are distorted at three times the size
HELD_OUT_STYLE = 3
SETS = ("train", "fonts", "styles", "hands")


def printed(random: Generator, faces: list[list[Path]], digit: int) -> Image.Image:
    """A glyph of a random family: turned, slanted, stretched, bent, fattened, blurred."""
    family = faces[random.integers(len(faces))]
    glyph = fonts.glyph(family[random.integers(len(family))], digit)
    height = FINE * random.uniform(0.55, 0.88)
    stretch = random.uniform(0.8, 1.2)
    scale = min(height / glyph.height, 0.88 * FINE / (glyph.width * stretch))
    turn, slant = random.normal(0, 0.09), random.normal(0, 0.12)
    shape = scale * np.array(
        [[stretch * np.cos(turn), slant - np.sin(turn)], [np.sin(turn), np.cos(turn)]]
    )
    middle = FINE / 2 + random.uniform(-0.09, 0.09, 2) * FINE
    back = np.linalg.inv(shape)
    shift = np.array(glyph.size) / 2 - back @ middle
    rows = (*back[0], shift[0], *back[1], shift[1])
    image = glyph.transform((FINE, FINE), Image.Transform.AFFINE, rows, Image.Resampling.BILINEAR)
    image = bent(random, image)
    fatter = random.random()
    if fatter < 0.25:
        image = image.filter(ImageFilter.MaxFilter(3 if fatter < 0.18 else 5))
    return image


def bent(random: Generator, image: Image.Image) -> Image.Image:
    """Moves the inner corners of a grid of four by four."""
    grid = np.linspace(0, FINE, 5).astype(int)
    moved = np.stack(np.meshgrid(grid, grid), -1).astype(float)
    moved[1:-1, 1:-1] += random.normal(0, random.uniform(0, 2.2), (3, 3, 2))
    mesh = []
    for row in range(4):
        for column in range(4):
            box = (grid[column], grid[row], grid[column + 1], grid[row + 1])
            corners = [
                moved[row, column],
                moved[row + 1, column],
                moved[row + 1, column + 1],
                moved[row, column + 1],
            ]
            mesh.append((box, tuple(float(value) for corner in corners for value in corner)))
    return image.transform(image.size, Image.Transform.MESH, mesh, Image.Resampling.BILINEAR)


def finished(random: Generator, image: Image.Image) -> np.ndarray:
    """[28, 28] of bytes, the ink between 70 and 100 % light."""
    if random.random() < 0.5:
        image = image.filter(ImageFilter.GaussianBlur(random.uniform(0, 0.5) * image.width / SIDE))
    small = np.asarray(image.reduce(image.width // SIDE), np.float32)
    small *= 255 * random.uniform(0.7, 1) / max(1, small.max())
    return np.round(small).clip(0, 255).astype(np.uint8)


class Digits:
    """A set of images; number i shows the digit i % 10."""

    def __init__(self, name: str) -> None:
        self.name = SETS.index(name)
        held_out = name == "fonts"
        self.faces = fonts.faces(fonts.HELD_OUT if held_out else fonts.LEARNED)

    def image(self, number: int) -> np.ndarray:
        random = default_rng([self.name, number])
        digit, is_printed = number % 10, SETS[self.name] == "fonts"
        if SETS[self.name] == "train":
            is_printed = number // 10 % 2 == 0
        if is_printed:
            return finished(random, printed(random, self.faces, digit))
        learned = HELD_OUT_STYLE if SETS[self.name] != "styles" else None
        style = HELD_OUT_STYLE if learned is None else random.integers(learned)
        return finished(random, strokes.picture(random, digit, style))

    def images(self, numbers: range) -> tuple[np.ndarray, np.ndarray]:
        """Images [n, 28, 28] and what they show [n]."""
        return np.stack([self.image(number) for number in numbers]), np.array(numbers) % 10
