"""Nouns and names: parsing of the table, and what does not fit into one."""

from dataclasses import dataclass

from .english import plural as english_plural
from .french import plural as french_plural
from .french import starts_with_vowel
from .noun_table import TABLE

# English name, French name, gender.
NAMES = """
Alice Alice f
Anna Anna f
John Jean m
Julia Julie f
Louis Louis m
Mary Marie f
Paul Paul m
Peter Pierre m
Ben Ben m
Charles Charles m
Claire Claire f
David David m
Emily Émilie f
Emma Emma f
Hugo Hugo m
Jack Jack m
James James m
Julian Julien m
Kate Kate f
Laura Laura f
Leo Léo m
Linda Linda f
Lisa Lisa f
Lucy Lucie f
Mark Marc m
Martin Martin m
Max Max m
Michael Michel m
Nina Nina f
Oliver Olivier m
Sam Sam m
Sarah Sarah f
Sophie Sophie f
Susan Suzanne f
Thomas Thomas m
Tom Tom m
Victor Victor m
"""

# Where "in" and "to" are one French preposition without an article.
CITIES = {"Paris": "Paris", "London": "Londres", "Lyon": "Lyon", "Rome": "Rome", "Berlin": "Berlin"}
CITIES |= {"Madrid": "Madrid", "Boston": "Boston", "Tokyo": "Tokyo", "Geneva": "Genève"}

# The feminine of the jobs, for "she is a baker"; an equal form is left out.
FEMININE_JOBS = {
    "boulanger": "boulangère",
    "fermier": "fermière",
    "chanteur": "chanteuse",
    "étudiant": "étudiante",
    "professeur": "professeure",
    "boucher": "bouchère",
    "acteur": "actrice",
    "ingénieur": "ingénieure",
    "avocat": "avocate",
    "musicien": "musicienne",
    "policier": "policière",
    "soldat": "soldate",
    "serveur": "serveuse",
    "écrivain": "écrivaine",
    "chauffeur": "chauffeuse",
}
MASCULINE_JOBS = {"infirmière": "infirmier", "actrice": "acteur", "serveuse": "serveur"}


@dataclass(frozen=True)
class Noun:
    english: str
    english_plural: str
    french: str
    french_plural: str
    feminine: bool
    classes: frozenset[str]


def _parse(table: str) -> list[Noun]:
    nouns, heading = [], []
    for line in filter(None, table.splitlines()):
        if line.startswith("["):
            heading = line.strip("[]").split()
            continue
        english, french, gender, *classes = line.split()
        english, _, englishes = english.partition("/")
        french, _, frenches = french.partition("/")
        nouns.append(
            Noun(
                english,
                englishes or english_plural(english),
                french.replace("_", " "),
                frenches or french_plural(french),
                gender == "f",
                frozenset(heading + classes),
            )
        )
    return nouns


_ALL = _parse(TABLE)
COUNTRIES = [noun for noun in _ALL if "country" in noun.classes]
NOUNS = [noun for noun in _ALL if "country" not in noun.classes]
INDEFINITES = {
    "person": _parse(
        "[person name]\nsomeone quelqu'un m\nsomebody quelqu'un m\neveryone tout_le_monde m\neverybody tout_le_monde m"
    ),
    "thing": _parse("[thing name]\nsomething quelque_chose m\neverything tout m"),
}
NOBODY = _parse("[person name]\nnobody personne m")[0]
PROPER_NAMES = _parse("[person name]" + NAMES)
BY_ENGLISH = {noun.english: noun for noun in NOUNS + COUNTRIES + PROPER_NAMES}



def in_country(country: Noun) -> str:
    """ "in Italy" -> "en Italie", "in Japan" -> "au Japon" """
    feminine = country.feminine or starts_with_vowel(country.french)
    return ("en " if feminine else "à le ") + country.french


def from_country(country: Noun) -> str:
    """ "from Italy" -> "d'Italie", "from Japan" -> "du Japon" """
    feminine = country.feminine or starts_with_vowel(country.french)
    return ("de " if feminine else "de le ") + country.french


# A word the model has never met keeps its place and counts as masculine singular.
UNKNOWN = Noun("<unk>", "<unk>", "<unk>", "<unk>", False, frozenset(["animal", "thing", "object"]))
UNKNOWN_NAME = Noun("<unk>", "<unk>", "<unk>", "<unk>", False, frozenset(["person", "name"]))
