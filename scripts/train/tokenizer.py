"""The word-level tokenizer: encoding of English, joining of French, and its tokenizer.json.

English is lower-cased and cut into words, contractions as in the Penn treebank (did n't, i 'm) and
single punctuation marks. French tokens carry their own case; joining puts a space between tokens
but none after an apostrophe, none before a full stop or a comma, none at a hyphen.
"""

import json
import re
from pathlib import Path

SPECIALS = ["<pad>", "<unk>", "<s>", "</s>"]
PAD, UNK, BOS, EOS = range(4)

# [^\W_] is a letter or a digit; the JavaScript side reads the same pattern with \p classes.
PATTERN = re.compile(r"<unk>|[^\W_]+(?=n't(?![^\W_]))|n't(?![^\W_])|'?[^\W_]+|[^\s]")
JSON_PATTERN = r"[\p{L}\p{N}]+(?=n't(?![\p{L}\p{N}]))|n't(?![\p{L}\p{N}])|'?[\p{L}\p{N}]+|[^\s]"


ASCII_NUMBER = re.compile(r"[0-9]+\Z")


class Tokenizer:
    def __init__(self, vocabulary: list[str]) -> None:
        """``vocabulary``: all tokens; the id of a token is its index."""
        self.tokens = vocabulary
        self.ids = {token: i for i, token in enumerate(vocabulary)}

    @classmethod
    def build(cls, words: list[str]) -> "Tokenizer":
        return cls(SPECIALS + [word for word in words if word not in SPECIALS])

    @classmethod
    def load(cls, folder: Path) -> "Tokenizer":
        vocabulary = json.loads((folder / "tokenizer.json").read_text())["model"]["vocab"]
        return cls(sorted(vocabulary, key=vocabulary.get))

    def __len__(self) -> int:
        return len(self.tokens)

    def split(self, english: str) -> list[str]:
        return PATTERN.findall(english.replace("’", "'").replace("‘", "'").lower())

    def encode(self, english: str) -> list[int]:
        """Ids of an English sentence, ``</s>`` last."""
        return [self.ids.get(piece, UNK) for piece in self.pieces(english)] + [EOS]

    def pieces(self, english: str) -> list[str]:
        """The words, numbers cut into their digits: the WordPiece of this vocabulary."""
        out = []
        for word in self.split(english):
            out += (
                [word[0], *("##" + digit for digit in word[1:])]
                if ASCII_NUMBER.match(word)
                else [word]
            )
        return out

    def surface(self, english: str) -> list[str]:
        """The words as they were typed, one for each token but ``</s>``; a digit for each of a number's."""
        text = english.replace("’", "'").replace("‘", "'")
        lower = text.lower()
        text = text if len(text) == len(lower) else lower
        out = []
        for match in PATTERN.finditer(lower):
            word = text[match.start() : match.end()]
            out += list(word) if ASCII_NUMBER.match(word) else [word]
        return out

    def encode_target(self, tokens: tuple[str, ...]) -> list[int]:
        """Ids of French tokens between ``<s>`` and ``</s>``."""
        return [BOS] + [self.ids[token] for token in tokens] + [EOS]

    def decode(self, ids: list[int]) -> str:
        return self.join([self.tokens[i] for i in ids if i not in (PAD, BOS, EOS)])

    @staticmethod
    def join(tokens: list[str]) -> str:
        """French tokens to text."""
        text = " ".join(tokens).replace(" ##", "").replace("' ", "'").replace(" - ", "-")
        return text.replace(" .", ".").replace(" ,", ",")

    def save(self, folder: Path) -> None:
        write_json(folder / "tokenizer.json", self.to_json())
        write_json(folder / "tokenizer_config.json", TOKENIZER_CONFIG)

    def to_json(self) -> dict:
        added = [
            {
                "id": i,
                "content": token,
                "single_word": False,
                "lstrip": False,
                "rstrip": False,
                "normalized": False,
                # An unknown word is shown, not skipped, so that the reader sees the gap.
                "special": token != "<unk>",
            }
            for i, token in enumerate(SPECIALS)
        ]
        return {
            "version": "1.0",
            "truncation": None,
            "padding": None,
            "added_tokens": added,
            "normalizer": {
                "type": "Sequence",
                "normalizers": [replace("’", "'"), replace("‘", "'"), {"type": "Lowercase"}],
            },
            "pre_tokenizer": {
                "type": "Split",
                "pattern": {"Regex": JSON_PATTERN},
                "behavior": "Removed",
                "invert": True,
            },
            "post_processor": {
                "type": "TemplateProcessing",
                "single": [_sequence("A"), _end()],
                "pair": [_sequence("A"), _end(), _sequence("B"), _end()],
                "special_tokens": {"</s>": {"id": "</s>", "ids": [EOS], "tokens": ["</s>"]}},
            },
            "decoder": {
                "type": "Sequence",
                "decoders": [
                    {"type": "WordPiece", "prefix": "##", "cleanup": False},
                    {"type": "Fuse"},
                    replace("' ", "'"),
                    replace(" - ", "-"),
                    replace(" .", "."),
                    replace(" ,", ","),
                ],
            },
            "model": {
                "type": "WordPiece",
                "unk_token": "<unk>",
                "continuing_subword_prefix": "##",
                "max_input_chars_per_word": 100,
                "vocab": self.ids,
            },
        }


TOKENIZER_CONFIG = {
    "tokenizer_class": "PreTrainedTokenizerFast",
    "pad_token": "<pad>",
    "unk_token": "<unk>",
    "bos_token": "<s>",
    "eos_token": "</s>",
    "model_max_length": 128,
    "clean_up_tokenization_spaces": False,
}


def replace(old: str, new: str) -> dict:
    return {"type": "Replace", "pattern": {"String": old}, "content": new}


def _sequence(name: str) -> dict:
    return {"Sequence": {"id": name, "type_id": 0}}


def _end() -> dict:
    return {"SpecialToken": {"id": "</s>", "type_id": 0}}


def write_json(path: Path, value: object) -> None:
    path.write_text(json.dumps(value, ensure_ascii=False, indent=2) + "\n")
