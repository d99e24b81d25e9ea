"""The figures of the model's card, in Markdown.

python3 scripts/train/evaluate.py [--model FOLDER] [--errors N]
"""

import argparse
import sys
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

import torch
from torch import Tensor

import checkpoint
from alignment_error import alignment_error_rate
from copying import TEST_NAMES, copied, named
from data import batch, example
from grammar.nouns import INDEFINITES, NOUNS, PROPER_NAMES
from grammar.sentences import Text
from model import TranslationModel, search
from split import heldout_sentences
from tokenizer import UNK, Tokenizer

SETS = ("heldout_sentences", "heldout_pairs", "everyday", "everyday_2")
BATCH = 50
KINDS_SEED, KINDS_SIZE = 3_000_000, 2000
BINS = (0.5, 0.8, 0.9, 0.97)  # of the confidence, for the reliability table


NOUN_FORMS = {form.lower() for noun in NOUNS for form in (noun.english, noun.english_plural)}
NOUN_FORMS |= {
    noun.english.lower() for noun in [*PROPER_NAMES, *INDEFINITES["person"], *INDEFINITES["thing"]]
}


class Translation(NamedTuple):
    text: str
    confidence: float  # the probability of the whole translation


def read_set(path: Path) -> list[tuple[str, list[str]]]:
    """The English and the accepted French of every line."""
    lines = [line.split("\t") for line in path.read_text().splitlines()]
    return [(english, accepted) for english, *accepted in lines]


def translate(model, tokenizer: Tokenizer, sentences: list[str]) -> list[Translation]:
    out = []
    for start in range(0, len(sentences), BATCH):
        chosen = sentences[start : start + BATCH]
        found = search(model, [tokenizer.encode(text) for text in chosen])
        for english, (ids, confidence, looks) in zip(chosen, found, strict=True):
            out.append(Translation(copied(tokenizer, english, ids, looks), confidence))
    return out


def exact_match(model, tokenizer: Tokenizer, name: str, errors: int) -> list[tuple[float, bool]]:
    """Prints the share of one set; the confidence of every sentence and whether it is right."""
    pairs = read_set(checkpoint.FIXTURES / f"{name}.tsv")
    found = translate(model, tokenizer, [english for english, _ in pairs])
    judged = [
        (translation.confidence, translation.text in accepted)
        for (_, accepted), translation in zip(pairs, found, strict=True)
    ]
    report(f"`{name}.tsv`", [right for _, right in judged])
    wrong = [
        (english, accepted[0], translation.text)
        for (english, accepted), translation, (_, right) in zip(pairs, found, judged, strict=True)
        if not right
    ]
    for english, french, output in wrong[:errors]:
        print(f"  {english}\n    expected {french}\n    found    {output}", file=sys.stderr)
    return judged


def table(*columns: str) -> None:
    print(f"\n| {' | '.join(columns)} |\n|{' --- |' * len(columns)}")


def report(name: str, right: list[bool]) -> None:
    print(f"| {name} | {len(right)} | {100 * sum(right) / len(right):.1f} % |")


def constructions(model, tokenizer: Tokenizer, texts: list[Text]) -> None:
    """Exact match of each kind of sentence; unknown words are named, and must be copied."""
    judged = defaultdict(list)
    sources, targets = zip(*(named(text, TEST_NAMES) for text in texts), strict=True)
    found = translate(model, tokenizer, list(sources))
    for text, target, translation in zip(texts, targets, found, strict=True):
        right = translation.text == target
        judged[text.kind].append(right)
        if "<unk>" in text.english:
            judged["with a word it never learned"].append(right)
        if any(character.isdigit() for character in text.english):
            judged["with a number in digits"].append(right)
        if text.recipient:
            judged["with a recipient"].append(right)
    table("Construction", "Sentences", "Exact match")
    for kind, right in sorted(judged.items()):
        report(kind, right)


@torch.no_grad()
def antecedents(model: TranslationModel, tokenizer: Tokenizer, texts: list[Text]) -> None:
    """Whether the taught encoder head looks from a pronoun at its antecedent most, of all nouns."""
    correct = pronouns = 0
    for start in range(0, len(texts), BATCH):
        chosen = texts[start : start + BATCH]
        source, *_ = batch([example(tokenizer, text) for text in chosen])
        _, looks = model.encode_with_head(source)
        for row, text in enumerate(chosen):
            nouns = noun_places(tokenizer, source[row])
            for pronoun, antecedent in text.references.items():
                weights = looks[row, pronoun]
                correct += max(nouns | set(antecedent), key=weights.__getitem__) in antecedent
                pronouns += 1
    share = 100 * correct / pronouns
    print(f"Antecedents: {share:.1f} % of {pronouns} pronouns")


def noun_places(tokenizer: Tokenizer, source: Tensor) -> set[int]:
    """Every place that holds a noun, a name or a word the model never learned."""
    tokens = enumerate(source.tolist())
    return {
        place for place, token in tokens if token == UNK or tokenizer.tokens[token] in NOUN_FORMS
    }


def reliability(judged: list[tuple[float, bool]]) -> None:
    """How often the model is right by how sure it is, and how well that tells right from wrong."""
    table("Confidence from", "Sentences", "Right")
    for low, high in zip((0, *BINS), (*BINS, 2), strict=True):
        chosen = [right for confidence, right in judged if low <= confidence < high]
        if chosen:
            report(f"{low:.2f}", chosen)
    rights = [confidence for confidence, right in judged if right]
    wrongs = [confidence for confidence, right in judged if not right]
    if rights and wrongs:
        above = sum((r > w) + 0.5 * (r == w) for r in rights for w in wrongs)
        share = 100 * above / (len(rights) * len(wrongs))
        print(f"\nA right translation is the surer one in {share:.1f} % of the pairs with a wrong one.")


def figures(
    model, tokenizer: Tokenizer, errors: int, sets: tuple[str, ...] = SETS
) -> list[Text]:
    """Prints what every model is measured by; the held-out sentences that it was measured on."""
    table("Set", "Sentences", "Exact match")
    judged = []
    for name in sets:
        judged += exact_match(model, tokenizer, name, errors)
    reliability(judged)
    texts = heldout_sentences(KINDS_SEED, KINDS_SIZE, unknown=True)
    constructions(model, tokenizer, texts)
    error = alignment_error_rate(model, tokenizer, texts)
    print(f"\nAlignment error rate: {100 * error:.2f} %")
    return texts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, default=checkpoint.FOLDER)
    parser.add_argument("--errors", type=int, default=0, help="wrong translations to show per set")
    options = parser.parse_args()
    model, tokenizer = checkpoint.load(options.model)
    antecedents(model, tokenizer, figures(model, tokenizer, options.errors))


if __name__ == "__main__":
    main()
