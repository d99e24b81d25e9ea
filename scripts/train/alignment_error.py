"""How well a model's attention finds the grammar's own word alignment."""

from collections.abc import Sequence

import torch

from data import batch, example
from grammar.sentences import Text
from tokenizer import Tokenizer

BATCH = 50


@torch.no_grad()
def alignment_error_rate(model, tokenizer: Tokenizer, texts: Sequence[Text]) -> float:
    """1 - (|A and S| + |A and P|) / (|A| + |S|) of the sure and possible links (Och and Ney 2003).

    A links each French word with the English one that most weight is on when it is written, given
    those before it; the first link of each is sure, so that |A| = |S|. The weights are those of
    ``decode_with_head``: of the transformer's taught head, or of a recurrent model's attention.
    """
    sure = possible = words = 0
    for start in range(0, len(texts), BATCH):
        chosen = texts[start : start + BATCH]
        source, target, *_ = batch([example(tokenizer, text) for text in chosen])
        _, looks = model.decode_with_head(model.encode(source), source, target[:, :-1])
        for text, found in zip(chosen, looks.argmax(-1).tolist(), strict=True):
            sure += sum(place == links[0] for place, links in zip(found, text.links))
            possible += sum(place in links for place, links in zip(found, text.links))
            words += len(text.links)
    return 1 - (sure + possible) / (2 * words)
