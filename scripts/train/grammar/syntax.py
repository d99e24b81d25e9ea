"""Abstract syntax of noun phrases; every node renders itself in both languages.

``english()`` and ``french()`` return lists of words; French words are still to be elided and
contracted by ``french.spell``. ``pairs()`` yields the pairs that the held-out split looks at.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from . import english, french, words
from .adjectives import Adjective
from .aligned import mark, own, word_with
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
        return [self._word(self.subject)]

    def english_object(self) -> list[str]:
        return [self._word(words.PRONOUNS[self.subject][0])]

    def french(self, generic: bool = False) -> list[str]:
        person, feminine = self.agreement
        if person in (2, 4):
            return [self._word(("elle" if feminine else "il") + ("s" if person == 4 else ""))]
        return [self._word(words.PRONOUNS[self.subject][3])]

    def clitic(self, dative: bool = False) -> str:
        """The French object pronoun; ``dative``: of a recipient."""
        person, feminine = self.agreement
        if person not in (2, 4):
            return self._word(words.PRONOUNS[self.subject][4])
        if dative:
            return self._word("leur" if person == 4 else "lui")
        return self._word("les" if person == 4 else "la" if feminine else "le")

    def stressed(self) -> list[str]:
        """After a preposition, or after the verb of an order."""
        person, feminine = self.agreement
        if person in (2, 4):
            return [
                self._word(
                    ("elle" if feminine else "lui", "elles" if feminine else "eux")[person == 4]
                )
            ]
        return [self._word(("moi", "toi", "", "nous")[person])]

    def _word(self, text: str) -> str:
        """The pronoun, which refers to the nouns of its antecedent."""
        refers = self.antecedent.noun_roles() if self.antecedent else ()
        return word_with(text, ((id(self), "pronoun"),), refers)

    def noun_roles(self) -> tuple:
        return self.antecedent.noun_roles() if self.antecedent else ()

    def pairs(self) -> Iterator[Pair]:
        return iter(())

    def nouns(self) -> list[Noun]:
        return self.antecedent.nouns() if self.antecedent else []


@dataclass(frozen=True)
class That:
    """A pronoun for a kind or a fact: French "ça", or "ce" before être."""

    word: str = "it"
    antecedent: "NounPhrase | None" = None
    agreement = Agreement(2, False)
    english_person = 2

    def english(self) -> list[str]:
        refers = self.antecedent.noun_roles() if self.antecedent else ()
        return [word_with(self.word, ((id(self), "pronoun"),), refers)]

    def french(self, generic: bool = False) -> list[str]:
        return own(self, mark("ça", "pronoun"))

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

    def noun_roles(self) -> tuple:
        return ((id(self), "noun"),)

    def english(self) -> list[str]:
        return own(self, self._english())

    def _english(self) -> list[str]:
        noun = self.noun.english_plural if self.plural else self.noun.english
        core = [
            word
            for adjective in self.adjectives
            for word in mark([adjective.english], adjective.english)
        ] + mark([noun], "noun")
        if self.owner:
            return self.owner.english() + mark(["'s"], "owner") + core + self._english_tail()
        determiner = self.determiner
        if determiner == "a":
            determiner = "" if self.bare else english.article(core[0])
        elif self.plural and determiner in ("this", "that"):
            determiner = {"this": "these", "that": "those"}[determiner]
        return mark(determiner, "determiner") + core + self._english_tail()

    def _english_tail(self) -> list[str]:
        complement = self.complement.english() if self.complement else []
        return complement + (self.relative.english(self) if self.relative else [])

    def french(self, generic: bool = False, partitive: str = "des") -> list[str]:
        """``generic``: a bare noun is a whole kind. ``partitive``: "de" after a negation
        (pas de chat), "" after a "de" (besoin de pain); else "des", "du" or "de la"."""
        core = self._french_core()
        tail = mark(["de"], "owner") + self.owner.french() if self.owner else []
        if self.complement:
            tail += self.complement.french()
        if self.relative:
            tail += self.relative.french(self)
        determiner = self._french_determiner(core, generic, partitive)
        return own(self, mark(determiner, "determiner", "noun") + core + tail)

    def _french_core(self) -> list[str]:
        _, feminine = self.agreement
        plural = self.agreement.plural
        core = mark(self.noun.french_plural if self.plural else self.noun.french, "noun")
        for adjective in reversed(self.adjectives):
            form = adjective.french(feminine, plural)
            before = adjective.place == "before"
            if before and not feminine and not plural and french.starts_with_vowel(core[0]):
                form = adjective.before_vowel
            core[0 if before else len(core) : 0 if before else len(core)] = mark(
                [form], adjective.english
            )
        return core

    def _french_determiner(self, core: list[str], generic: bool, partitive: str) -> list[str]:
        feminine, plural = self.noun.feminine, self.agreement.plural
        vowel = french.starts_with_vowel(core[0])
        column = 2 if plural else int(feminine)
        the = [("le", "la", "les")[column]]
        determiner = self.determiner
        is_country = "country" in self.noun.classes
        if self.owner or is_country or determiner == "the" or (self.bare and generic):
            return the
        if determiner in ("a", "some", "any", "no"):
            return self._indefinite(the, partitive)
        if determiner in words.POSSESSIVES:
            row = words.POSSESSIVES[determiner]
            return [row[0] if vowel and not plural else row[column]]
        if determiner in ("this", "that"):
            return ["cet" if vowel and column == 0 else ("ce", "cette", "ces")[column]]
        if determiner == "all the":
            return ["toutes" if feminine else "tous", "les"]
        if determiner in words.QUANTITIES:
            return [words.QUANTITIES[determiner], "de"]
        if determiner == "every":
            return ["chaque"]
        if determiner.startswith("which"):
            return (
                ["quelles" if feminine else "quels"]
                if plural
                else ["quelle" if feminine else "quel"]
            )
        if determiner == "a few":
            return ["quelques"]
        return [words.NUMERALS.get(determiner, determiner)] if determiner else []

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
    """Two noun phrases joined by "and", or pronouns: "my brother and I" -> "mon frère et moi", who are "nous"."""

    first: NounPhrase | Pronoun
    second: NounPhrase | Pronoun
    english_person = 4

    @property
    def pronoun(self) -> str:
        return "we" if self.agreement.person == 3 else "they"

    @property
    def agreement(self) -> Agreement:
        both = self.first.agreement, self.second.agreement
        if any(agreement.person == 0 for agreement in both):
            return Agreement(3, False)
        return Agreement(4, all(agreement.feminine for agreement in both))

    def nouns(self) -> list[Noun]:
        return self.first.nouns() + self.second.nouns()

    def noun_roles(self) -> tuple:
        return self.first.noun_roles() + self.second.noun_roles()

    def english(self) -> list[str]:
        return self.first.english() + own(self, mark(["and"], "and")) + self.second.english()

    def french(self, generic: bool = False, partitive: str = "des") -> list[str]:
        first, second = (
            part.stressed() if isinstance(part, Pronoun) else part.french(generic, partitive)
            for part in (self.first, self.second)
        )
        return first + own(self, mark(["et"], "and")) + second

    def pairs(self) -> Iterator[Pair]:
        yield from self.first.pairs()
        yield from self.second.pairs()


@dataclass(frozen=True)
class Place:
    """A preposition and a noun phrase: "in front of the house" -> "devant la maison"."""

    preposition: str
    french_preposition: str
    noun_phrase: NounPhrase | Pronoun

    def english(self) -> list[str]:
        pronoun = isinstance(self.noun_phrase, Pronoun)
        phrase = self.noun_phrase.english_object() if pronoun else self.noun_phrase.english()
        return own(self, mark(self.preposition, "preposition")) + phrase

    def french(self) -> list[str]:
        pronoun = isinstance(self.noun_phrase, Pronoun)
        phrase = self.noun_phrase.stressed() if pronoun else self.noun_phrase.french()
        return own(self, mark(self.french_preposition, "preposition")) + phrase

    def pairs(self) -> Iterator[Pair]:
        return self.noun_phrase.pairs()


@dataclass(frozen=True)
class Phrase:
    """Words that stand for themselves: an adverb of place, a city."""

    english_words: str
    french_words: str

    def english(self) -> list[str]:
        return own(self, mark(self.english_words, "phrase"))

    def french(self) -> list[str]:
        return own(self, mark(self.french_words, "phrase"))

    def pairs(self) -> Iterator[Pair]:
        return iter(())
