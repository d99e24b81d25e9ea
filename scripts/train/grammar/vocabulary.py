"""Every English word and every French token the grammar can produce."""

import re

from . import french, nouns, words
from .adjectives import ADJECTIVES, SENSATIONS
from .clauses import MODALS, job
from .syntax import Agreement
from .verbs import BEING, FITS, MAKES, VERBS, Verb

ENGLISH_FUNCTION_WORDS = """
. ? ! , the a an this that these those all every many some and who which there where
am is are was were be do does did have has will can could must not n't ca wo cannot never
going to want wants wanted 's 'm 're 'll
"""
FRENCH_FUNCTION_WORDS = """
. ? ! , en le la les un une des du de au aux à l' d' n' j' m' t' s' c' qu' ce cet cette ces ça
tous toutes chaque beaucoup et qui que y ne pas jamais me te se nous
je tu il elle ils elles être avoir
"""
# Words a French sentence can begin with.
FRENCH_OPENINGS = """
le la les l' un une des du de ce cet cette ces c' tous toutes chaque beaucoup
je j' tu il elle nous ils où
"""


def english_words() -> set[str]:
    """Lower-case words as ``english.contract`` leaves them."""
    out = set(ENGLISH_FUNCTION_WORDS.split()) | set(words.POSSESSIVES) | set(words.NUMERALS)
    for noun in nouns.NOUNS + nouns.PROPER_NAMES:
        out.add(noun.english)
        if not noun.classes & {"mass", "massplural", "name"}:
            out.add(noun.english_plural)
    out |= {adjective.english for adjective in ADJECTIVES} | set(SENSATIONS)
    for verb in [*VERBS, MAKES, FITS]:
        out |= {verb.base, verb.third_person, verb.past, *verb.particle}
        if "state" not in verb.flags:
            out.add(verb.participle)
        if "plain" not in verb.flags:
            out.add(verb.gerund)
    for subject, (object_, *_) in words.PRONOUNS.items():
        out |= {subject, object_}
    out |= {word for english, _ in _table_entries() for word in english.split()}
    phrases = re.sub(r"\|.*|<unk>", " ", words.PHRASES)
    out |= {word for word in re.findall(r"[a-z]+", phrases.lower())}
    return {word.lower() for word in out}


def _table_entries() -> list[tuple[str, str]]:
    """(English, French) phrases of the closed classes."""
    tables = [words.DEGREES, words.FREQUENCIES, words.MANNERS, words.ADVERBIAL_PLACES]
    tables += [words.WEATHER, words.CONJUNCTIONS, nouns.CITIES, nouns.COUNTRIES]
    entries = [entry for table in [*tables, *words.TIMES.values()] for entry in table.items()]
    for table in (words.PLACES, words.COMPANIONS, words.BENEFICIARIES):
        entries += [(english, french_words_) for english, (french_words_, _) in table.items()]
    return entries


def french_words() -> set[str]:
    """Tokens as ``french.spell`` leaves them, with capitals where a sentence can begin."""
    out = set(FRENCH_FUNCTION_WORDS.split()) | set(words.NUMERALS.values())
    out |= {form for forms in words.POSSESSIVES.values() for form in forms}
    out |= set(SENSATIONS.values())
    for noun in nouns.NOUNS + nouns.PROPER_NAMES:
        out.add(noun.french)
        if not noun.classes & {"mass", "massplural", "name"}:
            out.add(noun.french_plural)
        if "job" in noun.classes:
            out |= {job(noun, Agreement(p, f)) for p in (2, 4) for f in (True, False)}
    for adjective in ADJECTIVES:
        out |= {adjective.french(f, p) for f in (True, False) for p in (True, False)}
        if adjective.place == "before":
            out.add(adjective.before_vowel)
    for verb in [*VERBS, MAKES, FITS, BEING]:
        out |= verb_forms(verb) | set(verb.links)
    for infinitive, tense in MODALS.values():
        out |= set(french.CONJUGATIONS[tense](infinitive))
    phrases = [phrase.replace("'", "' ") for _, phrase in _table_entries()]
    out |= {word for phrase in phrases for word in phrase.split()}
    openings = FRENCH_OPENINGS.split() + list(words.NUMERALS.values())
    openings += [form for forms in words.POSSESSIVES.values() for form in forms]
    openings += [french_time.split()[0] for t in words.TIMES.values() for french_time in t.values()]
    out |= {word.capitalize() for word in openings}
    return (out | phrase_tokens() | {"aujourd'hui"}) - {"aujourd'", "hui"}


def phrase_tokens() -> set[str]:
    lines = [line.split(" | ")[1] for line in words.PHRASES.strip().splitlines()]
    return {token for line in lines for token in split_phrase(line)} - {"<unk>"}


def split_phrase(text: str) -> list[str]:
    """The tokens of a fixed French phrase."""
    return text.replace("'", "' ").replace(",", " ,").replace(".", " .").split()


def verb_forms(verb: Verb) -> set[str]:
    """The forms the grammar uses: states have no passé composé, plain events no imparfait."""
    state, event = "state" in verb.flags, "plain" in verb.flags and "state" not in verb.flags
    persons = range(5) if "person" in verb.subjects or verb is BEING else (2, 4)
    tenses = {"present", "future"} | (set() if event or verb.base == "sit" else {"imparfait"})
    out = {french.CONJUGATIONS[tense](verb.french)[p] for tense in tenses for p in persons}
    if state:
        return out
    out.add(verb.french)
    agrees = (verb.transitive and not verb.links) or "être" in verb.flags or verb.reflexive
    for feminine in (False, True) if agrees else (False,):
        for plural in (False, True) if agrees else (False,):
            out.add(french.participle(verb.french, feminine, plural))
    return out


def sorted_vocabulary() -> list[str]:
    """English and French tokens in one list; homographs share an entry."""
    return sorted(english_words() | french_words())
