"""Abstract syntax of noun phrases; every node renders itself in both languages.

``english()`` and ``french()`` return lists of words; French words are still to be elided and
contracted by ``french.spell``. ``pairs()`` yields the pairs that the held-out split looks at.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from . import english, french, words
from .adjectives import Adjective
from .nouns import Noun

Pair = tuple[str, ...]


class Agreement(NamedTuple):
    """What a verb, a participle or an adjective agrees with; ``person`` indexes PERSONS."""

    person: int
    feminine: bool

    @property
    def plural(self) -> bool:
        return self.person >= 3


@dataclass(frozen=True)
class Pronoun:
    """A personal pronoun. With an antecedent, the French side takes its gender."""

    subject: str
    antecedent: "NounPhrase | Coordination | None" = None

    @property
    def agreement(self) -> Agreement:
        _, person, feminine, _, _ = words.PRONOUNS[self.subject]
        if not self.antecedent:
            return Agreement(person, feminine)
        return self.antecedent.agreement

    @property
    def english_person(self) -> int:
        return words.PRONOUNS[self.subject][1]

    def english(self) -> list[str]:
        return [self.subject]

    def english_object(self) -> list[str]:
        return [words.PRONOUNS[self.subject][0]]

    def french(self, generic: bool = False) -> list[str]:
        person, feminine = self.agreement
        if person in (2, 4):
            return [("elle" if feminine else "il") + ("s" if person == 4 else "")]
        return [words.PRONOUNS[self.subject][3]]

    def clitic(self) -> str:
        """The French object pronoun."""
        person, feminine = self.agreement
        if person in (2, 4):
            return "les" if person == 4 else "la" if feminine else "le"
        return words.PRONOUNS[self.subject][4]

    def pairs(self) -> Iterator[Pair]:
        return iter(())

    def nouns(self) -> list[Noun]:
        return self.antecedent.nouns() if self.antecedent else []


@dataclass(frozen=True)
class That:
    """A pronoun for a kind or a fact: French "ça", or "ce" before être."""

    word: str = "it"
    agreement = Agreement(2, False)
    english_person = 2

    def english(self) -> list[str]:
        return [self.word]

    def french(self, generic: bool = False) -> list[str]:
        return ["ça"]

    def pairs(self) -> Iterator[Pair]:
        return iter(())

    def nouns(self) -> list[Noun]:
        return []


@dataclass(frozen=True)
class NounPhrase:
    """Determiner, adjectives and noun, then optionally an owner, a complement, a relative clause.

    ``determiner``: "the", "a" (also a bare plural or mass noun), "some", "this", "that", "every",
    "many", "all the", a possessive, a numeral, or "" for a name.
    """

    noun: Noun
    determiner: str = "the"
    plural: bool = False
    adjectives: tuple[Adjective, ...] = ()
    owner: "NounPhrase | None" = None
    complement: "Place | None" = None
    relative: object = None

    @property
    def mass(self) -> bool:
        return bool(self.noun.classes & {"mass", "massplural"})

    @property
    def agreement(self) -> Agreement:
        plural = self.plural or "massplural" in self.noun.classes
        return Agreement(4 if plural else 2, self.noun.feminine)

    @property
    def english_person(self) -> int:
        return 4 if self.plural else 2

    @property
    def pronoun(self) -> str:
        """The English pronoun for this noun phrase."""
        if self.plural:
            return "they"
        if "person" in self.noun.classes:
            return "she" if self.noun.feminine else "he"
        return "it"

    @property
    def bare(self) -> bool:
        return self.determiner == "a" and (self.plural or self.mass)

    def nouns(self) -> list[Noun]:
        return [self.noun]

    def english(self) -> list[str]:
        noun = self.noun.english_plural if self.plural else self.noun.english
        core = [adjective.english for adjective in self.adjectives] + [noun]
        if self.owner:
            return self.owner.english() + ["'s"] + core + self._english_tail()
        determiner = self.determiner
        if determiner == "a":
            determiner = "" if self.bare else english.article(core[0])
        elif self.plural and determiner in ("this", "that"):
            determiner = {"this": "these", "that": "those"}[determiner]
        return determiner.split() + core + self._english_tail()

    def _english_tail(self) -> list[str]:
        complement = self.complement.english() if self.complement else []
        return complement + (self.relative.english(self) if self.relative else [])

    def french(self, generic: bool = False, partitive: str = "des") -> list[str]:
        """``generic``: a bare noun is a whole kind. ``partitive``: "de" after a negation
        (pas de chat), "" after a "de" (besoin de pain); else "des", "du" or "de la"."""
        core = self._french_core()
        tail = ["de"] + self.owner.french() if self.owner else []
        if self.complement:
            tail += self.complement.french()
        if self.relative:
            tail += self.relative.french(self)
        return self._french_determiner(core, generic, partitive) + core + tail

    def _french_core(self) -> list[str]:
        _, feminine = self.agreement
        plural = self.agreement.plural
        core = [self.noun.french_plural if self.plural else self.noun.french]
        for adjective in reversed(self.adjectives):
            if adjective.place != "before":
                core.append(adjective.french(feminine, plural))
            elif not feminine and not plural and french.starts_with_vowel(core[0]):
                core.insert(0, adjective.before_vowel)
            else:
                core.insert(0, adjective.french(feminine, plural))
        return core

    def _french_determiner(self, core: list[str], generic: bool, partitive: str) -> list[str]:
        feminine, plural = self.noun.feminine, self.agreement.plural
        vowel = french.starts_with_vowel(core[0])
        column = 2 if plural else int(feminine)
        the = [("le", "la", "les")[column]]
        determiner = self.determiner
        if self.owner or determiner == "the" or (self.bare and generic):
            return the
        if determiner in ("a", "some"):
            return self._indefinite(the, partitive)
        if determiner in words.POSSESSIVES:
            row = words.POSSESSIVES[determiner]
            return [row[0] if vowel and not plural else row[column]]
        if determiner in ("this", "that"):
            return ["cet" if vowel and column == 0 else ("ce", "cette", "ces")[column]]
        if determiner == "all the":
            return ["toutes" if feminine else "tous", "les"]
        if determiner == "many":
            return ["beaucoup", "de"]
        if determiner == "every":
            return ["chaque"]
        return [words.NUMERALS[determiner]] if determiner else []

    def _indefinite(self, the: list[str], partitive: str) -> list[str]:
        several = self.plural or self.mass
        if partitive == "" and several:
            return []
        if partitive == "de":
            return ["de"]
        if not several:
            return ["une" if self.noun.feminine else "un"]
        precedes = any(adjective.place == "before" for adjective in self.adjectives)
        if self.agreement.plural:
            return ["de"] if precedes else ["des"]
        return ["de"] + the

    def pairs(self) -> Iterator[Pair]:
        for adjective in self.adjectives:
            yield adjective.english, self.noun.english
        for part in (self.owner, self.complement):
            if part:
                yield from part.pairs()
        if self.relative:
            yield from self.relative.pairs(self)

    def plain(self) -> "NounPhrase":
        """The noun phrase without owner, complement and relative clause."""
        return replace(self, owner=None, complement=None, relative=None)


@dataclass(frozen=True)
class Coordination:
    """Two noun phrases joined by "and"."""

    first: NounPhrase
    second: NounPhrase
    pronoun = "they"
    english_person = 4

    @property
    def agreement(self) -> Agreement:
        return Agreement(4, self.first.noun.feminine and self.second.noun.feminine)

    def nouns(self) -> list[Noun]:
        return [self.first.noun, self.second.noun]

    def english(self) -> list[str]:
        return self.first.english() + ["and"] + self.second.english()

    def french(self, generic: bool = False, partitive: str = "des") -> list[str]:
        first = self.first.french(generic, partitive)
        return first + ["et"] + self.second.french(generic, partitive)

    def pairs(self) -> Iterator[Pair]:
        yield from self.first.pairs()
        yield from self.second.pairs()


@dataclass(frozen=True)
class Place:
    """A preposition and a noun phrase: "in front of the house" -> "devant la maison"."""

    preposition: str
    french_preposition: str
    noun_phrase: NounPhrase

    def english(self) -> list[str]:
        return self.preposition.split() + self.noun_phrase.english()

    def french(self) -> list[str]:
        return self.french_preposition.split() + self.noun_phrase.french()

    def pairs(self) -> Iterator[Pair]:
        return self.noun_phrase.pairs()


@dataclass(frozen=True)
class Phrase:
    """Words that stand for themselves: an adverb of place, a city."""

    english_words: str
    french_words: str

    def english(self) -> list[str]:
        return self.english_words.split()

    def french(self) -> list[str]:
        return self.french_words.split()

    def pairs(self) -> Iterator[Pair]:
        return iter(())
