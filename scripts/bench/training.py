"""PyTorch's side of training.mjs: steps a second on one thread, of a shape that is given as JSON."""

import json
import sys
import time

import torch
import torch.nn.functional as F
from torch import nn

torch.set_num_threads(1)
shape = json.loads(sys.argv[1])
width, count = shape["width"], shape["time"]


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens = nn.Embedding(shape["vocab"], width)
        self.positions = nn.Embedding(count, width)
        layer = nn.TransformerEncoderLayer(
            width, shape["heads"], shape["inner"], dropout=0.0, activation="gelu", batch_first=True, norm_first=True
        )
        self.layers = nn.TransformerEncoder(layer, shape["layers"], nn.LayerNorm(width))
        self.mask = torch.full((count, count), float("-inf")).triu(1)

    def forward(self, ids):
        x = self.tokens(ids) + self.positions.weight
        return F.linear(self.layers(x, self.mask), self.tokens.weight)


model = Decoder()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
ids = torch.randint(shape["vocab"], (shape["batch"], count))


def step():
    optimizer.zero_grad()
    logits = model(ids)[:, :-1]
    F.cross_entropy(logits.reshape(-1, shape["vocab"]), ids[:, 1:].reshape(-1)).backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()


for _ in range(3):
    step()
begin, steps = time.perf_counter(), 0
while time.perf_counter() - begin < shape["seconds"]:
    step()
    steps += 1
print(json.dumps({"rate": steps / (time.perf_counter() - begin)}))
