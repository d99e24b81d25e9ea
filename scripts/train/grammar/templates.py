"""Set phrases as sentences: slots filled at random, pieces aligned as the table says."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from . import nouns, words
from .aligned import mark, own
from .phrases import PHRASES
from .syntax import NounPhrase, Pair, Phrase

SLOT = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True)
class Pattern:
    """A line of the table: tokens of both sides with the number of the piece they belong to, and the mark."""

    english: tuple[tuple[str, int], ...]
    french: tuple[tuple[str, int], ...]
    mark: str


@dataclass(frozen=True, eq=False)
class SetPhrase:
    pattern: Pattern
    fillings: tuple[object, ...]  # of the slots, in the order of the English

    def english(self) -> list[str]:
        return self._words(self.pattern.english, french=False)

    def french(self) -> list[str]:
        return self._words(self.pattern.french, french=True)

    def _words(self, tokens: tuple[tuple[str, int], ...], french: bool) -> list[str]:
        names = [
            SLOT.match(token).group() for token, _ in self.pattern.english if SLOT.match(token)
        ]
        left = list(zip(names, self.fillings, strict=True))
        out: list[str] = []
        for token, piece in tokens:
            if SLOT.match(token):
                entry = next(entry for entry in left if entry[0] == token)
                left.remove(entry)
                out += entry[1].french() if french else entry[1].english()
            else:
                out += mark([token], f"piece {piece}")
        return own(self, out)

    def pairs(self) -> Iterator[Pair]:
        for filling in self.fillings:
            yield from filling.pairs()


def _parse(line: str) -> Pattern:
    english, french = line.split(" | ")
    sides = [side.split() for side in (english, french)]
    mark_ = sides[0][-1]
    return Pattern(_tokens(sides[0][:-1]), _tokens(sides[1][:-1]), mark_)


def _tokens(side: list[str]) -> tuple[tuple[str, int], ...]:
    out, piece, place = [], 1, 1
    fresh = True
    for token in side:
        if token == "/":
            place += 1
            piece, fresh = place, True
        elif fresh and token.isdigit():
            piece, fresh = int(token), False
        else:
            out.append((token, piece))
            fresh = False
    return tuple(out)


PATTERNS = [_parse(line) for line in PHRASES]


class SlotSampler:
    """Fills slots; ``sampler`` draws the noun phrases."""

    def __init__(self, sampler) -> None:
        self.sampler, self.random = sampler, sampler.random

    def fill(self, name: str) -> object:
        return getattr(self, name)()

    def name(self) -> NounPhrase:
        unknown = self.random.random() < 0.3
        return NounPhrase(
            nouns.UNKNOWN_NAME if unknown else self.random.choice(nouns.PROPER_NAMES), ""
        )

    def _entry(self, table: dict[str, str]) -> Phrase:
        return Phrase(*self.random.choice(list(table.items())))

    def city(self) -> Phrase:
        unknown = self.random.random() < 0.3
        return Phrase("<unk>", "<unk>") if unknown else self._entry(nouns.CITIES)

    def day(self) -> Phrase:
        return self._entry(words.WEEKDAYS)

    def month(self) -> Phrase:
        return self._entry(words.MONTHS)

    def language(self) -> Phrase:
        return self._entry(words.LANGUAGES)

    def colour(self) -> Phrase:
        return self._entry(words.COLOURS)

    def year(self) -> Phrase:
        year = str(self.random.randint(1500, 2050))
        return Phrase(year, year)

    def date(self) -> Phrase:
        date = str(self.random.randint(2, 31))
        return Phrase(date, date)

    def number(self) -> Phrase:
        number = self.sampler.number()
        return Phrase(number, number) if self.random.random() < 0.6 else self._entry(words.NUMERALS)

    years = number

    def idea(self) -> "Kind":
        noun = self.sampler.noun_of(self.random.choice(["idea", "idea", "drink", "food"]))
        return Kind(noun, "a", not noun.classes & {"mass", "massplural"})

    def from_country(self) -> Phrase:
        country = self.random.choice(nouns.COUNTRIES)
        return Phrase(f"from {country.english}", nouns.from_country(country))

    def in_country(self) -> Phrase:
        country = self.random.choice(nouns.COUNTRIES)
        return Phrase(f"in {country.english}", nouns.in_country(country))

    def to_country(self) -> Phrase:
        country = self.random.choice(nouns.COUNTRIES)
        return Phrase(f"to {country.english}", nouns.in_country(country))

    def country(self) -> NounPhrase:
        return NounPhrase(self.random.choice(nouns.COUNTRIES), "")

    def decimal(self) -> "Clock":
        """ "3.50" -> "3,50" """
        most = self.random.choice([9, 99, 999])
        whole = str(self.random.randint(0, most))
        fraction = f"{self.random.randint(0, 99):02}"
        if self.random.random() < 0.3:
            fraction = fraction[0]
        cut = tuple("##" + digit for digit in fraction)
        return Clock((whole, ".", fraction), (whole, "##,", *cut), (0, 1, *[2] * len(cut)))

    price = decimal

    def clock(self) -> "Clock":
        hour, minute = str(self.random.randint(2, 23)), f"{self.random.randint(1, 59):02}"
        return Clock((hour, ":", minute), (hour, "h", minute), (0, 1, 2))

    def hour(self) -> "Clock":
        """ "half past three" -> "trois heures et demie" """
        kind = self.random.randrange(9)
        if kind == 0:
            return self.random.choice(
                [Clock(("noon",), ("midi",), (0,)), Clock(("midnight",), ("minuit",), (0,))]
            )
        hour = self.random.choice(["one", *list(words.NUMERALS)[:11]])
        heure = words.NUMERALS.get(hour, "une")
        if self.random.random() < 0.3:
            hour = heure = str(self.random.randint(2, 12))
        heures = "heure" if hour == "one" else "heures"
        if kind < 5:
            return Clock((hour, "o", "'clock"), (heure, heures), (0, 2))
        if kind > 6:
            minutes = self.random.choice(["five", "ten", "twenty"])
            minute = words.NUMERALS[minutes]
            if self.random.random() < 0.5:
                return Clock((minutes, "past", hour), (heure, heures, minute), (2, 1, 0))
            return Clock((minutes, "to", hour), (heure, heures, "moins", minute), (2, 1, 1, 0))
        if kind == 5:
            return Clock(("half", "past", hour), (heure, heures, "et", "demie"), (2, 1, 1, 0))
        if self.random.random() < 0.5:
            return Clock(
                ("a", "quarter", "past", hour), (heure, heures, "et", "quart"), (3, 2, 2, 1)
            )
        return Clock(
            ("a", "quarter", "to", hour), (heure, heures, "moins", "le", "quart"), (3, 2, 2, 0, 1)
        )

    def person(self) -> NounPhrase:
        if self.random.random() < 0.3:
            return self.name()
        noun = self.sampler.noun_of("person")
        owners = ["my", "my", "your", "his", "her"]
        determiner = self.random.choice(
            owners if "kin" in noun.classes else ["the", "the", "this"]
        )
        return NounPhrase(noun, determiner)

    def thing(self) -> NounPhrase:
        noun = self.sampler.noun_of("object")
        return NounPhrase(noun, self.random.choice(["the", "the", "this", "your", "my"]))

    def things(self) -> NounPhrase:
        noun = self.sampler.noun_of("animal")
        return NounPhrase(noun, self.random.choice(["the", "this"]), self.random.random() < 0.4)

    def food(self) -> NounPhrase | Phrase:
        if self.random.random() < 0.15:
            drinks = {"a coffee": "un café", "a tea": "un thé", "a beer": "une bière"}
            return self._entry(drinks)
        noun = self.sampler.noun_of("drink" if self.random.random() < 0.5 else "food")
        mass = noun.classes & {"mass", "massplural"}
        determiner = "some" if mass else self.random.choice(["a", "a", "two", "three"])
        return NounPhrase(noun, determiner, determiner in ("two", "three"))


class Kind(NounPhrase):
    """ "attention is" -> "l'attention est": French has an article where English has none."""

    def french(self, generic: bool = True, partitive: str = "des") -> list[str]:
        return super().french(True, partitive)


@dataclass(frozen=True, eq=False)
class Clock:
    english_words: tuple[str, ...]
    french_words: tuple[str, ...]
    places: tuple[int, ...]  # in the English, of each French word

    def english(self) -> list[str]:
        return own(self, [mark([w], f"place {i}")[0] for i, w in enumerate(self.english_words)])

    def french(self) -> list[str]:
        both = zip(self.french_words, self.places, strict=True)
        return own(self, [mark([w], f"place {i}")[0] for w, i in both])

    def pairs(self) -> Iterator[Pair]:
        return iter(())


def sample(sampler) -> SetPhrase:
    pattern = sampler.random.choice(PATTERNS)
    slots = SlotSampler(sampler)
    fillings = [slots.fill(SLOT.match(t).group(1)) for t, _ in pattern.english if SLOT.match(t)]
    return SetPhrase(pattern, tuple(fillings))
