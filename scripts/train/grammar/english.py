"""English spelling: regular endings, the indefinite article, contractions, joining words."""

VOWELS = "aeiou"
CONTRACTIONS = {"am": "'m", "is": "'s", "are": "'re", "will": "'ll"}
PRONOUNS = {"i", "you", "he", "she", "it", "we", "they", "there"}
# Split as in the Penn treebank: the stem before n't.
STEMS = {"will": "wo", "can": "ca"}
AUXILIARIES = {"do", "does", "did", "is", "are", "was", "were", "have", "has"}
AUXILIARIES |= {"will", "can", "could", "must"}


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
    return "an" if next_word[0] in VOWELS and not next_word.startswith("use") else "a"


def contract(words: list[str], fold_not: bool, fold_be: bool) -> list[str]:
    """Contracts after the Penn treebank: "did n't" (``fold_not``), "it 's" (``fold_be``)."""
    out: list[str] = []
    for word in words:
        previous = out[-1] if out else ""
        if fold_be and word in CONTRACTIONS and previous in PRONOUNS:
            out.append(CONTRACTIONS[word])
        elif fold_not and word == "not" and previous in AUXILIARIES:
            out[-1:] = [STEMS.get(previous, previous), "n't"]
        elif word == "not" and previous == "can":
            out[-1] = "cannot"
        else:
            out.append(word)
    return out


def join(words: list[str]) -> str:
    """Words to text: clitics and punctuation attach to the left."""
    text = ""
    for word in words:
        attached = word in {".", "!", "?", ",", "n't"} or word.startswith("'")
        text += word if attached or not text else " " + word
    return text
