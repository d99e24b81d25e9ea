"""Words that know what they render: the grammar's own word alignment.

A node of the abstract syntax marks each word that it renders with its role ("noun", "verb"); ``own`` makes the
roles its own. An English and a French word of the same role of the same node are translations of each other.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence

Links = tuple[int, ...]  # places in the English; the first is the sure one, the others are possible


class Word(str):
    """A word with the roles it renders, the most telling one first."""

    roles: tuple
    refers: tuple  # of a pronoun: the roles of the nouns it stands for


def mark(words: Iterable[str] | str, *roles) -> list[Word]:
    """The words with these roles; words that have some already keep them."""
    words = words.split() if isinstance(words, str) else words
    return [word if isinstance(word, Word) else word_with(word, roles) for word in words]


def word_with(text: str, roles: tuple, refers: tuple = ()) -> Word:
    word = Word(text)
    word.roles, word.refers = roles, refers
    return word


def like(text: str, word: str) -> str:
    """``text`` in the place of ``word``: another spelling, the same roles."""
    return word_with(text, word.roles, word.refers) if isinstance(word, Word) else text


def own(node: object, words: Sequence[str]) -> list[str]:
    """Roles that are still bare names become roles of this node."""
    me = id(node)
    return [
        word_with(
            word,
            tuple((me, role) if isinstance(role, str) else role for role in word.roles),
            word.refers,
        )
        if isinstance(word, Word) and any(isinstance(role, str) for role in word.roles)
        else word
        for word in words
    ]


def align(english: Sequence[str], french: Sequence[str]) -> tuple[Links, ...]:
    """The places in the English of every French word.

    The n-th French word of a role goes with the n-th English one or the last. A word without an English
    counterpart goes with the next one that has one, as "le" does, or with the one before.
    """
    places = defaultdict(list)
    for place, word in enumerate(english):
        for role in word.roles if isinstance(word, Word) else ():
            places[role].append(place)
    used: dict[object, int] = defaultdict(int)
    found: list[Links | None] = []
    for word in french:
        roles = [role for role in getattr(word, "roles", ()) if role in places]
        if not roles:
            found.append(None)
            continue
        group = places[roles[0]]
        sure = group[min(used[roles[0]], len(group) - 1)]
        used[roles[0]] += 1
        possible = dict.fromkeys([sure, *(p for role in roles for p in places[role])])
        found.append(tuple(possible))
    return _without_gaps(found, len(english) - 1)


def _without_gaps(found: list[Links | None], last: int) -> tuple[Links, ...]:
    after: Links | None = None
    for i in reversed(range(len(found))):
        if found[i] is None:
            found[i] = after
        after = found[i]
    before: Links = (last,)
    for i, links in enumerate(found):
        before = found[i] = links or before
    return tuple(found)


def references(english: Sequence[str]) -> dict[int, Links]:
    """The places of the antecedent's nouns, by the place of the pronoun."""
    places = {}
    for place, word in enumerate(english):
        for role in word.roles if isinstance(word, Word) else ():
            places.setdefault(role, place)
    out = {}
    for place, word in enumerate(english):
        nouns = tuple(places[role] for role in getattr(word, "refers", ()) if role in places)
        if nouns:
            out[place] = nouns
    return out
