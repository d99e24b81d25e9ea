"""Digits as a hand draws them with a mouse: skeletons of our own, shaken, sampled as a mouse is, drawn with a round pen.

A style is written as strokes apart by ";", points apart by spaces, "|" where the pen turns a corner; x and y run over 0 .. 100,
y downwards. The last style of each digit is held out.
"""

from functools import cache

import numpy as np
from numpy.random import Generator
from PIL import Image, ImageDraw

STYLES = {
    0: [
        "50,2 22,15 10,50 22,85 50,98 78,85 90,50 78,15 50,2",
        "60,2 35,20 22,55 30,88 50,97 70,80 80,45 75,15 55,3",
        "85,30 60,3 25,15 12,55 30,92 65,95 88,65 86,35 70,12",
        "65,8 40,4 15,30 12,68 38,97 70,90 90,58 82,22 58,6 45,10",
    ],
    1: [
        "50,2 50,98",
        "28,25 55,2 | 55,98",
        "28,25 52,2 | 52,98; 25,98 80,98",
        "15,42 40,25 56,3 | 54,50 50,98",
    ],
    2: [
        "15,25 30,5 60,2 82,20 75,45 45,72 12,98 | 90,98",
        "15,22 38,3 70,5 82,28 65,55 30,85 15,92 12,80 28,78 55,95 90,92",
        "10,30 20,8 50,1 78,10 82,32 60,60 10,97 | 50,94 92,97",
        "20,15 50,2 78,14 80,38 50,68 18,95 | 55,90 75,95 92,86",
    ],
    3: [
        "15,15 45,2 75,12 75,35 45,47 | 80,60 85,82 50,99 12,88",
        "15,4 85,4 | 45,42 | 80,55 85,82 50,99 12,88",
        "18,18 48,2 80,22 52,46 38,48 52,50 86,74 52,98 14,84",
        "15,10 50,1 80,14 74,38 40,48 78,56 90,78 60,98 25,96 10,86",
    ],
    4: [
        "30,2 12,62 | 90,62; 68,30 66,98",
        "70,98 70,2 | 8,68 | 95,68",
        "25,3 18,50 | 85,52; 78,5 74,98",
        "60,2 10,70 | 92,68; 66,38 64,98",
    ],
    5: [
        "80,4 25,4 | 20,45 | 50,38 82,52 84,80 52,98 14,88",
        "25,4 20,45 | 50,36 82,52 84,80 52,98 14,88; 25,4 85,4",
        "80,8 45,3 25,15 25,40 55,48 82,65 75,90 45,99 14,90",
        "78,3 30,6 | 26,42 | 60,40 86,62 76,90 45,98 15,85",
    ],
    6: [
        "72,4 40,22 16,60 25,92 55,99 82,82 78,58 50,50 25,62 18,72",
        "60,2 25,40 15,75 35,98 70,96 85,75 70,55 40,57 20,75",
        "80,10 55,2 25,30 12,70 35,98 72,94 84,70 62,52 30,60 16,78",
        "75,2 20,60 18,85 45,99 80,85 75,60 48,52 20,68",
    ],
    7: [
        "10,5 90,5 | 40,98",
        "10,5 90,5 | 40,98; 28,50 78,50",
        "12,18 12,5 | 88,5 | 58,45 42,98",
        "10,8 50,4 88,5 | 62,35 48,65 44,98; 30,48 72,46",
    ],
    8: [
        "75,15 50,2 25,12 25,32 50,47 78,65 80,85 50,99 20,85 22,65 50,47 75,32 75,15",
        "50,2 27,12 27,35 50,46 73,35 73,12 50,2; 50,46 20,58 18,85 50,99 82,85 80,58 50,46",
        "80,12 45,2 20,18 40,42 75,60 82,85 50,99 18,85 25,62 62,40 80,14",
        "50,48 25,30 35,5 65,5 75,28 50,48 22,70 30,97 70,97 80,70 52,49",
    ],
    9: [
        "78,22 50,3 22,15 22,42 50,52 76,35 80,12 | 78,98",
        "80,20 50,2 20,18 25,45 55,50 80,28 | 80,65 60,95 25,92",
        "75,30 55,50 25,42 20,18 45,2 75,12 78,40 70,98",
        "76,12 45,2 18,22 30,48 60,46 78,18 | 74,60 58,98",
    ],
}
CANVAS = 280  # what a visitor draws on; events of a mouse have whole pixels
SCALE = 0.4  # of the canvas while it is drawn here


@cache
def skeleton(digit: int, style: int) -> list[list[np.ndarray]]:
    """Strokes, each a list of smooth pieces, each its points [n, 2]."""
    return [
        [np.array([point.split(",") for point in piece.split()], float) for piece in joined(stroke)]
        for stroke in STYLES[digit][style].split(";")
    ]


def joined(stroke: str) -> list[str]:
    """The pieces between corners; each begins where the one before ended."""
    pieces = [piece.strip() for piece in stroke.split("|")]
    return pieces[:1] + [f"{a.split()[-1]} {b}" for a, b in zip(pieces, pieces[1:])]


def smooth(points: np.ndarray, steps: int = 8) -> np.ndarray:
    """A Catmull-Rom spline through the points."""
    if len(points) == 2:
        return points[0] + np.linspace(0, 1, steps)[:, None] * (points[1] - points[0])
    ends = np.concatenate([2 * points[:1] - points[1:2], points, 2 * points[-1:] - points[-2:-1]])
    a, b, c, d = (ends[i : len(ends) - 3 + i, None] for i in range(4))
    t = np.linspace(0, 1, steps, endpoint=False)[None, :, None]
    curve = b + 0.5 * t * (c - a + t * (2 * a - 5 * b + 4 * c - d + t * (3 * (b - c) + d - a)))
    return np.concatenate([curve.reshape(-1, 2), points[-1:]])


def hand(random: Generator) -> np.ndarray:
    """How one hand writes: slant, turn, width and height of its digits, as a matrix [2, 2]."""
    turn, slant = random.normal(0, 0.08), random.normal(0.1, 0.18)
    width, height = random.uniform(0.5, 1.05), random.uniform(0.85, 1.05)
    rotation = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    return np.diag([width, height]) @ np.array([[1, 0], [-slant, 1]]) @ rotation


def drawn(random: Generator, digit: int, style: int) -> list[np.ndarray]:
    """Strokes in 0 .. 100: the skeleton with every point, and every piece a little, out of place."""
    shape, shake = hand(random), random.uniform(1, 5)
    strokes = []
    for pieces in skeleton(digit, style):
        away = random.normal(0, 0.6 * shake, 2)
        curves, last = [], None
        for piece in pieces:
            moved = piece + random.normal(0, shake, piece.shape)
            if last is not None:
                moved[0] = last
            last = moved[-1]
            curves.append(smooth(moved))
        strokes.append((np.concatenate(curves) + away - 50) @ shape)
    return strokes


def sampled(random: Generator, stroke: np.ndarray) -> np.ndarray:
    """What a mouse reports of a curve in pixels: places some way apart, trembling, as whole numbers."""
    lengths = np.concatenate([[0], np.cumsum(np.hypot(*np.diff(stroke, axis=0).T))])
    count = max(2, int(lengths[-1] / random.uniform(3, 14)))
    at = np.sort(random.uniform(0, lengths[-1], count))
    at[0], at[-1] = 0, lengths[-1] * random.uniform(0.96, 1)
    points = np.stack([np.interp(at, lengths, stroke[:, axis]) for axis in (0, 1)], 1)
    tremble = random.normal(0, random.uniform(0, 1.6), points.shape)
    tremble[1:] = 0.6 * tremble[1:] + 0.8 * tremble[:-1]
    return np.round(points + tremble)


def placed(random: Generator, strokes: list[np.ndarray]) -> list[np.ndarray]:
    """In the canvas: 55 to 85 % of its side high (or wide, if that is more), anywhere near the middle."""
    joined_up = np.concatenate(strokes)
    low, high = joined_up.min(0), joined_up.max(0)
    scale = CANVAS * random.uniform(0.55, 0.85) / max(high - low)
    room = (CANVAS - 30 - scale * (high - low)) / 2
    middle = CANVAS / 2 + random.uniform(-1, 1, 2) * np.minimum(room, 0.09 * CANVAS)
    return [(stroke - (low + high) / 2) * scale + middle for stroke in strokes]


def picture(random: Generator, digit: int, style: int) -> Image.Image:
    """The canvas, smaller: light ink on black."""
    side = round(CANVAS * SCALE)
    image = Image.new("L", (side, side))
    draw = ImageDraw.Draw(image)
    pen = SCALE * random.uniform(12, 34)
    for stroke in placed(random, drawn(random, digit, style)):
        points = sampled(random, stroke) * SCALE
        draw.line([tuple(point) for point in points], fill=255, width=round(pen), joint="curve")
        for x, y in points[[0, -1]]:
            draw.ellipse((x - pen / 2, y - pen / 2, x + pen / 2, y + pen / 2), fill=255)
    return image
