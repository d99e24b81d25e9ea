"""English spelling: regular endings, the indefinite article, contractions, joining words."""

import re

from .aligned import like

VOWELS = "aeiou"
CONTRACTIONS = {"am": "'m", "is": "'s", "are": "'re", "will": "'ll", "would": "'d", "have": "'ve"}
PRONOUNS = {"i", "you", "he", "she", "it", "we", "they", "there"}
ASKING = {"what", "where", "who", "how", "that", "here"}  # "is" alone contracts after these
DECIMAL = re.compile(r"\d\.\Z")
# Split as in the Penn treebank: the stem before n't.
STEMS = {"will": "wo", "can": "ca"}
AUXILIARIES = {"do", "does", "did", "is", "are", "was", "were", "have", "has"}
AUXILIARIES |= {"will", "can", "could", "must", "should", "would"}


def plural(noun: str) -> str:
    if noun.endswith(("s", "x", "ch", "sh")):
        return noun + "es"
    if noun.endswith("y") and noun[-2] not in VOWELS:
        return noun[:-1] + "ies"
    return noun + "s"


def third_person(base: str) -> str:
    return base + "es" if base.endswith("o") else plural(base)


def regular_past(base: str) -> str:
    if base.endswith("e"):
        return base + "d"
    if base.endswith("y") and base[-2] not in VOWELS:
        return base[:-1] + "ied"
    return base + "ed"


def gerund(base: str) -> str:
    return base[:-1] + "ing" if base.endswith("e") else base + "ing"


def article(next_word: str) -> str:
    vowel = next_word[0] in VOWELS and not next_word.startswith(("use", "uni", "eu", "one"))
    return "an" if vowel or next_word.startswith(("honest", "hour")) else "a"


SHORT = {"quiet", "narrow", "clever", "little"}


def is_long(adjective: str) -> bool:
    """Whether the comparative takes "more": more than one syllable, but for those in -y."""
    if adjective in SHORT or adjective.endswith("y") or len(adjective) < 5:
        return adjective in ("alone", "bored", "full")
    groups = re.findall("[aeiouy]+", adjective.removesuffix("e"))
    return len(groups) > 1 or adjective.endswith("ed")


def comparative(adjective: str, ending: str = "er") -> str:
    """The form in -er (or -est) of a short adjective; others take "more" and "most"."""
    if adjective in ("good", "bad"):
        return {"good": ("better", "best"), "bad": ("worse", "worst")}[adjective][ending == "est"]
    if adjective.endswith("e"):
        return adjective + ending[1:]
    if adjective.endswith("y") and adjective not in ("gray", "grey"):
        return adjective[:-1] + "i" + ending
    doubled = (
        len(adjective) < 5
        and adjective[-1] in "gtdn"
        and adjective[-2] in VOWELS
        and adjective[-3] not in VOWELS
    )
    return adjective + adjective[-1] * doubled + ending


def contract(words: list[str], fold_not: bool, fold_be: bool) -> list[str]:
    """Contracts after the Penn treebank: "did n't" (``fold_not``), "it 's" (``fold_be``)."""
    out: list[str] = []
    for word in words:
        previous = out[-1] if out else ""
        if fold_be and word in CONTRACTIONS and previous in PRONOUNS and not _is_main(word):
            out.append(like(CONTRACTIONS[word], word))
        elif fold_be and word == "is" and previous in ASKING:
            out.append(like("'s", word))
        elif fold_not and word == "not" and previous in AUXILIARIES:
            out[-1:] = [like(STEMS.get(previous, previous), previous), like("n't", word)]
        elif word == "not" and previous == "can":
            out[-1] = like("cannot", previous)
        else:
            out.append(word)
    return out


def _is_main(word: str) -> bool:
    """The "have" of "I have a dog", which does not contract."""
    return word == "have" and not any(role[1] == "auxiliary" for role in word.roles)


def digits(words: list[str]) -> list[str]:
    """Numbers digit by digit, as both languages' tokens have them."""
    out = []
    for word in words:
        if word.isdigit():
            out += [like(("##" if i else "") + digit, word) for i, digit in enumerate(word)]
        else:
            out.append(word)
    return out


def join(words: list[str]) -> str:
    """Words to text: clitics and punctuation attach to the left."""
    text = ""
    for word in words:
        if word.startswith("##"):
            text += word[2:]
            continue
        attached = word in {".", "!", "?", ",", "n't", ":"} or word.startswith("'")
        attached = attached or text.endswith(":") or bool(DECIMAL.search(text) and word.isdigit())
        text += word if attached or not text else " " + word
    return text
