"""Writes tests/fixtures/en-fr: the held-out sets and what PyTorch computes for some sentences
with the weights that ship, whose 8 bits it takes as float32.

python3 scripts/train/reference.py [--sets]

``--sets`` writes the held-out sets too, which do not depend on the model.
"""

import argparse
import json

import torch
from torch import Tensor

import checkpoint
import safetensors
from copying import copied
from examples import required
from grammar.sentences import Text
from model import TranslationModel, greedy, search
from split import heldout_pairs, heldout_sentences
from tokenizer import UNK, Tokenizer

TEST_SEED = 1_000_000
SET_SIZE = 500
DETAILED = "The animal didn't cross the street because it was too wide."
SENTENCES = """
The animal did not cross the street because it was too tired.
The animal didn't cross the river because it was too deep.
The animals didn't cross the road because they were too tired
The dog didn't cross the bridge because it was too narrow.
The trophy doesn't fit in the suitcase because it is too big.
The trophy doesn't fit in the suitcase because it is too small.
The cat sat on the mat
the cat is sitting on the mat
The cow is sitting on the sofa.
I'm hungry
I am not hungry.
She was very thirsty.
I like cheese because it makes me happy.
I don't like cats because they make me sad.
My sister is a teacher.
We are students.
Thank you.
Hello.
I love you.
It is raining.
There is a black cat in the garden.
The mouse that the cat chased was very small.
The apples that the children ate were delicious.
The little girl gave the dog a big ball.
Mary saw the mouse and caught it.
They won't buy the old car.
He has never eaten sushi.
Yesterday, my brother went to the market.
Where is the white horse?
an old tree
Hello, how are you?
What is your name?
He doesn't know.
I see him.
I don't like it.
Did you see the dog?
Why are they sad?
How many cats are there in the garden?
Who ate the apple?
Give me the book, please.
Don't open the window!
My brother is taller than me.
She wants to learn French.
It is half past three.
She was born in 1987.
I have 24 books.
There is no milk.
They got married last year.
""".strip().splitlines()


# With words that it never learned.
COPIED = """
The Zorglub sat on the mat.
Zorglub is a cat.
My name is Wexley.
Wexley and Quillon are friends.
I live in Brixen.
I saw a wug in the garden.
The blicket is bigger than the dax.
She gave Quillon a tove.
Where is the snark?
Does Wexley like cats?
""".strip().splitlines()


def steps(model: TranslationModel, source: list[int], target: list[int]) -> Tensor:
    """Teacher-forced logits [T, vocab] for the tokens after each of ``target[:-1]``."""
    return model(torch.tensor([source]), torch.tensor([target[:-1]]))[0]


def expectation(model: TranslationModel, tokenizer: Tokenizer, english: str) -> dict:
    source = tokenizer.encode(english)
    target = greedy(model, [source])[0]
    logits = steps(model, source, target)
    best, second = logits.topk(2).values.unbind(-1)
    chosen = logits.log_softmax(-1).gather(1, torch.tensor(target[1:])[:, None])
    return {
        "english": english,
        "source_ids": source,
        "target_ids": target,
        "text": tokenizer.decode(target),
        "log_probability": chosen.double().sum().item(),
        "smallest_gap": (best - second).min().item(),
    }


def copying(model: TranslationModel, tokenizer: Tokenizer, english: str) -> dict:
    """What every ``<unk>`` of the translation is copied from, and the text with it."""
    source = tokenizer.encode(english)
    ids, _, looks = search(model, [source])[0]
    unknown = [place for place, token in enumerate(source) if token == UNK]
    steps_ = [step for step, token in enumerate(ids[1:]) if token == UNK]
    return {
        "english": english,
        "source_ids": source,
        "target_ids": ids,
        "copied_from": [max(unknown, key=looks[step].__getitem__) for step in steps_],
        "text": copied(tokenizer, english, ids, looks),
    }


def details(model: TranslationModel, source: list[int], target: list[int]) -> dict[str, Tensor]:
    """Encoder output [S, d_model], logits [T, vocab], cross-attention [heads, T, S] by layer."""
    ids = torch.tensor([source])
    memory = model.encode(ids)
    x = model.embed(torch.tensor([target[:-1]]))
    future = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).triu(1)
    tensors = {"encoder_output": memory[0]}
    for i, layer in enumerate(model.decoder.layers):
        x = layer.norm1(x + layer.self_attn(x, x, x, attn_mask=future)[0])
        attended, weights = layer.multihead_attn(
            x, memory, memory, need_weights=True, average_attn_weights=False
        )
        x = layer.norm2(x + attended)
        x = layer.norm3(x + layer.linear2(layer.linear1(x).relu()))
        tensors[f"cross_attention.{i}"] = weights[0]
    tensors["logits"] = model.logits(model.decoder.norm(x))[0]
    if not torch.allclose(tensors["logits"], steps(model, source, target), atol=1e-4):
        raise ValueError("the layers run one by one do not give the logits of the model")
    return tensors


def write_json(name: str, value: dict) -> None:
    text = json.dumps(value, ensure_ascii=False, indent=1)
    (checkpoint.FIXTURES / name).write_text(text + "\n")


def write_set(name: str, texts: list[Text]) -> None:
    lines = [f"{text.english}\t{text.french_text}\n" for text in texts]
    (checkpoint.FIXTURES / f"{name}.tsv").write_text("".join(lines))


@torch.no_grad()
def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", action="store_true")
    checkpoint.FIXTURES.mkdir(parents=True, exist_ok=True)
    if parser.parse_args().sets:
        write_set("heldout_sentences", heldout_sentences(TEST_SEED, SET_SIZE))
        write_set("heldout_pairs", heldout_pairs(TEST_SEED, SET_SIZE))
    model, tokenizer = checkpoint.load(checkpoint.FOLDER)
    sentences = [english for _, _, english, _ in required()] + SENTENCES
    expected = [expectation(model, tokenizer, english) for english in sentences]
    write_json("expected.json", {"sentences": expected})
    entries = [copying(model, tokenizer, english) for english in COPIED]
    write_json("copied.json", {"sentences": entries})
    detailed = next(entry for entry in expected if entry["english"] == DETAILED)
    source, target = detailed["source_ids"], detailed["target_ids"]
    tensors = {
        "source_ids": torch.tensor(source),
        "target_ids": torch.tensor(target),
        **details(model, source, target),
    }
    arrays = {name: tensor.contiguous().numpy() for name, tensor in tensors.items()}
    safetensors.save(checkpoint.FIXTURES / "expected.safetensors", arrays)


if __name__ == "__main__":
    main()
