"""The two recurrent models with attention: Bahdanau et al. 2015, appendix A, and Luong et al. 2015.

The names of the modules are those that the engine reads (src/recurrent); the methods are those of
TranslationModel, so that what searches and measures the one does it for the other.
"""

from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from recurrent.alignment import Alignment

State = tuple[Tensor, ...]  # h [layers, B, H], and c of an LSTM


def make_layers(
    config: dict, input_size: int, num_layers: int, bidirectional: bool = False
) -> nn.Module:
    """nn.GRU or nn.LSTM."""
    kind = {"gru": nn.GRU, "lstm": nn.LSTM}[config["cell"]]
    return kind(
        input_size,
        config["hidden_size"],
        num_layers,
        bidirectional=bidirectional,
        batch_first=True,
    )


def cell_weights(cells: nn.Module, layer: int) -> list[Tensor]:
    """weight_ih, weight_hh, bias_ih, bias_hh"""
    kinds = [(kind, place) for kind in ("weight", "bias") for place in ("ih", "hh")]
    return [getattr(cells, f"{kind}_{place}_l{layer}") for kind, place in kinds]


def step(cells: nn.Module, words: Tensor, fed: Tensor, state: State) -> State:
    """One step of layers that read forward alone -> their state.

    ``words``: what the word says to the first layer's gates, which is known before the step;
    ``fed`` [B, ...]: what stands beside the word.
    """
    hidden, memory = [], []
    for layer in range(cells.num_layers):
        weight_ih, weight_hh, bias_ih, bias_hh = cell_weights(cells, layer)
        if layer == 0:
            gates = torch.addmm(words, fed, weight_ih[:, -fed.shape[1] :].T)
        else:
            gates = torch.addmm(bias_ih, hidden[-1], weight_ih.T)
        h = state[0][layer]
        own = torch.addmm(bias_hh, h, weight_hh.T)
        if isinstance(cells, nn.GRU):
            size = h.shape[1]
            r, z = (gates[:, : 2 * size] + own[:, : 2 * size]).sigmoid().chunk(2, 1)
            n = torch.tanh(torch.addcmul(gates[:, 2 * size :], r, own[:, 2 * size :]))
            hidden.append(torch.lerp(n, h, z))
        else:
            i, f, g, o = (gates + own).chunk(4, 1)
            c = f.sigmoid() * state[1][layer] + i.sigmoid() * g.tanh()
            hidden.append(o.sigmoid() * c.tanh())
            memory.append(c)
    return (torch.stack(hidden), torch.stack(memory)) if memory else (torch.stack(hidden),)


def word_gates(cells: nn.Module, embedded: Tensor) -> tuple[Tensor, ...]:
    """[B, T, d_embedding] -> what each word says to the first layer's gates, in one product."""
    weight_ih, _, bias_ih, _ = cell_weights(cells, 0)
    return nn.functional.linear(embedded, weight_ih[:, : embedded.shape[2]], bias_ih).unbind(1)


class Encoder(nn.Module):
    def __init__(self, config: dict) -> None:
        super().__init__()
        self.cell = config["cell"]
        sizes = config["d_embedding"], config["num_layers"]
        self.add_module(self.cell, make_layers(config, *sizes, config["bidirectional"]))

    def forward(self, embedded: Tensor, mask: Tensor) -> tuple[Tensor, State]:
        """[B, S, d_embedding], [B, S] true where there is a word
        -> states [B, S, directions * H], last states [layers * directions, B, H]
        """
        packed = pack_padded_sequence(
            embedded, mask.sum(1), batch_first=True, enforce_sorted=False
        )
        states, last = getattr(self, self.cell)(packed)
        states, _ = pad_packed_sequence(states, batch_first=True)
        return states, last if isinstance(last, tuple) else (last,)


class Memory(NamedTuple):
    """What the encoder makes of a batch of sources."""

    states: Tensor  # [B, S, directions * H]
    first: State  # of the decoder, before the first word
    mask: Tensor  # [B, S], true where there is a word


class BahdanauDecoder(nn.Module):
    """Attends with the state before the step, then reads the word and the context."""

    def __init__(self, config: dict) -> None:
        super().__init__()
        size, embedding = config["hidden_size"], config["d_embedding"]
        keys = size * (2 if config["bidirectional"] else 1)
        self.cell, self.maxout = config["cell"], config["maxout"]
        self.add_module(self.cell, make_layers(config, embedding + keys, 1))
        self.attention = Alignment(config, size, keys)
        self.bridge = nn.Linear(size, size)
        self.readout = nn.Linear(
            size + embedding + keys, config["d_readout"] * (2 if self.maxout else 1)
        )

    def start(self, last: State) -> State:
        hidden = torch.tanh(self.bridge(last[0][-1:]))  # of what ended at the first word
        return (hidden, torch.zeros_like(hidden)) if self.cell == "lstm" else (hidden,)

    def forward(
        self, embedded: Tensor, memory: Tensor, state: State, mask: Tensor
    ) -> tuple[Tensor, Tensor]:
        """[B, T, d_embedding] -> readout [B, T, d_readout], attention [B, T, S]"""
        keys = self.attention.keys(memory)
        cells = getattr(self, self.cell)
        states, contexts, weights = [], [], []
        for words in word_gates(cells, embedded):
            context, found = self.attention(state[0][-1], memory, keys, mask)
            state = step(cells, words, context, state)
            states.append(state[0][-1])
            contexts.append(context)
            weights.append(found)
        joined = torch.cat([torch.stack(states, 1), embedded, torch.stack(contexts, 1)], -1)
        readout = self.readout(joined)
        readout = readout.unflatten(-1, (-1, 2)).amax(-1) if self.maxout else torch.tanh(readout)
        return readout, torch.stack(weights, 1)


class LuongDecoder(nn.Module):
    """Reads the word and what the last step found (input feeding), then attends."""

    def __init__(self, config: dict) -> None:
        super().__init__()
        size, embedding = config["hidden_size"], config["d_embedding"]
        self.cell, self.fed = config["cell"], config["d_readout"]
        self.add_module(self.cell, make_layers(config, embedding + self.fed, config["num_layers"]))
        self.attention = Alignment(config, size, size)
        self.readout = nn.Linear(2 * size, self.fed)

    def start(self, last: State) -> State:
        return *last, last[0].new_zeros(last[0].shape[1], self.fed)

    def forward(
        self, embedded: Tensor, memory: Tensor, state: State, mask: Tensor
    ) -> tuple[Tensor, Tensor]:
        keys = self.attention.keys(memory)
        readout, weights = [], []
        *cells, fed = state
        layers = getattr(self, self.cell)
        for words in word_gates(layers, embedded):
            cells = step(layers, words, fed, cells)
            context, found = self.attention(cells[0][-1], memory, keys, mask)
            fed = torch.tanh(self.readout(torch.cat([context, cells[0][-1]], -1)))
            readout.append(fed)
            weights.append(found)
        return torch.stack(readout, 1), torch.stack(weights, 1)


class RecurrentModel(nn.Module):
    def __init__(self, config: dict) -> None:
        super().__init__()
        self.config = config
        vocab, width = config["vocab_size"], config["d_embedding"]
        self.encoder = Encoder(config)
        decoder = {"bahdanau": BahdanauDecoder, "luong": LuongDecoder}[config["decoder"]]
        self.decoder = decoder(config)
        if config["share_embeddings"]:
            self.embedding = nn.Embedding(vocab, width)
        else:
            self.encoder.embedding = nn.Embedding(vocab, width)
            self.decoder.embedding = nn.Embedding(vocab, width)
        self.projection = nn.Linear(config["d_readout"], vocab, bias=config["projection_bias"])
        if config["tie_embeddings"]:
            self.projection.weight = self.table("decoder").weight
        self.initialise()

    @torch.no_grad()
    def initialise(self) -> None:
        """Orthogonal recurrent matrices (Bahdanau et al. 2015, appendix B.1), open forget gates."""
        for name, parameter in self.named_parameters():
            kind = name.split(".")[-1]
            if "embedding" in name:
                nn.init.normal_(parameter, std=0.25)
            elif kind.startswith("weight_hh"):
                for gate in parameter.chunk(parameter.shape[0] // parameter.shape[1]):
                    nn.init.orthogonal_(gate)
            elif kind.startswith("weight"):
                nn.init.xavier_uniform_(parameter)
            elif kind.startswith("bias"):
                nn.init.zeros_(parameter)
                if ".lstm.bias_ih" in name:
                    parameter.chunk(4)[1].fill_(1.0)

    def table(self, stack: str) -> nn.Embedding:
        return self.embedding if hasattr(self, "embedding") else getattr(self, stack).embedding

    def encode(self, source: Tensor) -> Memory:
        """[B, S] ids"""
        mask = source != self.config["pad_token_id"]
        states, last = self.encoder(self.table("encoder")(source), mask)
        return Memory(states, self.decoder.start(last), mask)

    def decode_with_head(
        self, memory: Memory, source: Tensor, target: Tensor
    ) -> tuple[Tensor, Tensor]:
        """[B, T] ids -> readout [B, T, d_readout], log-attention [B, T, S]"""
        readout, weights = self.decoder(self.table("decoder")(target), *memory)
        return readout, weights.log()

    def logits(self, readout: Tensor) -> Tensor:
        """[..., d_readout] -> [..., vocab]"""
        return self.projection(readout)

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        return self.logits(self.decode_with_head(self.encode(source), source, target)[0])
