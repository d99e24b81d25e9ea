"""Superlatives beside a noun: "the biggest city in France" -> "la plus grande ville de France"."""

from dataclasses import dataclass

from . import english, french
from .aligned import mark, own
from .syntax import NounPhrase, Phrase, Place

BETTER = {"good": "meilleur", "bad": "pire"}


@dataclass(frozen=True)
class Superlative(NounPhrase):
    """The most of its kind, or the least, by its one adjective."""

    scope: Place | Phrase | None = None
    least: bool = False

    def _english(self) -> list[str]:
        (adjective,) = self.adjectives
        word = adjective.english
        if self.least or english.is_long(word):
            form = mark(["least" if self.least else "most"], "most") + mark([word], word)
        else:
            form = mark([english.comparative(word, "est")], word)
        noun = mark([self.noun.english_plural if self.plural else self.noun.english], "noun")
        tail = self.scope.english() if self.scope else []
        return mark(["the"], "determiner") + form + noun + tail

    def french(self, generic: bool = False, partitive: str = "des") -> list[str]:
        (adjective,) = self.adjectives
        _, feminine = self.agreement
        plural = self.agreement.plural
        noun = self.noun.french_plural if self.plural else self.noun.french
        the = "les" if plural else "la" if feminine else "le"
        better = BETTER.get(adjective.english, "") if not self.least else ""
        form = adjective.french(feminine, plural)
        if better:
            form = french.feminine(better) if feminine else better
            form = french.plural(form) if plural else form
        before = bool(better) or (adjective.place == "before" and not self.least)
        if before and not better and not feminine and not plural and french.starts_with_vowel(noun):
            form = adjective.before_vowel
        degree = [] if better else ["moins" if self.least else "plus"]
        most = mark(degree, "most", adjective.english) + mark([form], adjective.english)
        first = mark([the], "determiner", "noun")
        if before:
            out = first + most + mark([noun], "noun")
        else:
            out = first + mark([noun], "noun") + mark([the], "determiner", "noun") + most
        return own(self, out) + (self.scope.french() if self.scope else [])
