"""Every English word and every French token the grammar can produce."""

from . import english, french, nouns, words
from .adjectives import ADJECTIVES, SENSATIONS, UNCOMPARED
from .clauses import job
from .syntax import Agreement
from .templates import PATTERNS, SLOT
from .verb_group import MODALS
from .verbs import BEING, BELIEVING, BODILY, CONDITIONAL, FITS, MAKES, SEEMING, VERBS, Verb

LASTING = {"have", "know", "live"}  # states that last: "I have known him for two years"
ENGLISH_FUNCTION_WORDS = """
by been were would nobody from pm am people since for hurts hurt
. ? ! , the a an this that these those all every many some and who which there where
am is are was were be do does did have has will can could must not n't ca wo cannot never
going to want wants wanted 's 'm 're 'll 'd 've : - one
let please what why when how which should would hope hopes need needs love loves like likes
too many much enough mondays tuesdays wednesdays thursdays fridays saturdays sundays
someone somebody everyone everybody something everything any of it
more most less least than as better best worse worst lot of few no has had
half past quarter o 'clock noon midnight
"""
FRENCH_FUNCTION_WORDS = """
##, par personne depuis mal froid dont
. ? ! , en le la les un une des du de au aux à l' d' n' j' m' t' s' c' qu' ce cet cette ces ça
tous toutes chaque beaucoup et qui que y ne pas jamais me te se nous
je tu il elle ils elles être avoir lui leur moi toi eux - t h
est-ce qu'est-ce quel quelle quels quelles combien quelques aucun aucune si s' plaît
quelqu'un tout monde quelque chose
trop assez plus moins aussi meilleur meilleure meilleurs meilleures pire pires
une heure heures et demie quart midi minuit besoin soyons ayons sois aie
"""
# Words a French sentence can begin with.
FRENCH_OPENINGS = """
si toi moi eux personne quel à en à
le la les l' un une des du de ce cet cette ces c' tous toutes chaque beaucoup
je j' tu il elle nous ils elles où est-ce qu'est-ce qui quel quelle quels quelles combien
quelqu'un tout trop assez plus pourquoi quand comment s' ne n' ça quelques deux c' lui sois aie t' m' parce
"""


def english_words() -> set[str]:
    """Lower-case words as ``english.contract`` leaves them."""
    out = set(ENGLISH_FUNCTION_WORDS.split()) | set(words.POSSESSIVES) | set(words.NUMERALS)
    for noun in nouns.NOUNS + nouns.COUNTRIES + nouns.PROPER_NAMES:
        out.add(noun.english)
        if not noun.classes & {"mass", "massplural", "name"}:
            out.add(noun.english_plural)
    out |= {adjective.english for adjective in ADJECTIVES} | set(SENSATIONS)
    for adjective in ADJECTIVES:
        if adjective.english not in UNCOMPARED and not english.is_long(adjective.english):
            out |= {english.comparative(adjective.english, ending) for ending in ("er", "est")}
    for verb in [*VERBS, *BELIEVING, *SEEMING, *BODILY, MAKES, FITS]:
        out |= {verb.base, verb.third_person, verb.past, *verb.particle}
        if "state" not in verb.flags or verb.base in LASTING:
            out.add(verb.participle)
        if "plain" not in verb.flags:
            out.add(verb.gerund)
    for subject, (object_, *_) in words.PRONOUNS.items():
        out |= {subject, object_}
    out |= {word for words_, _ in _table_entries() for word in words_.split()}
    out |= {token for pattern in PATTERNS for token, _ in pattern.english if not SLOT.match(token)}
    out |= set(words.WEEKDAYS) | set(words.MONTHS) | set(words.LANGUAGES) | set(words.COLOURS)
    return {word.lower() for word in out} - {"<unk>"}


def _table_entries() -> list[tuple[str, str]]:
    """(English, French) phrases of the closed classes."""
    tables = [words.DEGREES, words.FREQUENCIES, words.MANNERS, words.ADVERBIAL_PLACES]
    tables += [words.WEATHER, words.CONJUNCTIONS, nouns.CITIES, words.OWNED]
    tables += [words.DURATIONS]
    tables += [words.SUPPOSED_WEATHER[real] for real in (True, False)] + [words.SCOPES]
    entries = [entry for table in [*tables, *words.TIMES.values()] for entry in table.items()]
    for table in (words.PLACES, words.COMPANIONS, words.BENEFICIARIES):
        entries += [(words_, french_words_) for words_, (french_words_, _) in table.items()]
    return entries


def french_words() -> set[str]:
    """Tokens as ``french.spell`` leaves them, with capitals where a sentence can begin."""
    out = set(FRENCH_FUNCTION_WORDS.split()) | set(words.NUMERALS.values())
    out |= {form for forms in words.POSSESSIVES.values() for form in forms}
    out |= set(SENSATIONS.values())
    for noun in nouns.NOUNS + nouns.COUNTRIES + nouns.PROPER_NAMES:
        out.add(noun.french)
        if not noun.classes & {"mass", "massplural", "name"}:
            out.add(noun.french_plural)
        if "job" in noun.classes:
            out |= {job(noun, Agreement(p, f)) for p in (2, 4) for f in (True, False)}
    for adjective in ADJECTIVES:
        forms = {adjective.french(f, p) for f in (True, False) for p in (True, False)}
        out |= {word for form in forms for word in form.split()}
        if adjective.place == "before":
            out.add(adjective.before_vowel)
    for verb in [*VERBS, *BELIEVING, *SEEMING, *BODILY, MAKES, FITS, BEING]:
        out |= verb_forms(verb) | set(french.spell(list(verb.links)))
    for infinitive, tense, _ in MODALS.values():
        out |= set(french.CONJUGATIONS[tense](infinitive))
    out |= (
        set(french.present("avoir")) | set(french.imparfait("avoir")) | set(french.future("avoir"))
    )
    for _, phrase in _table_entries():
        out |= set(french.spell(phrase.split()))
    openings = FRENCH_OPENINGS.split() + list(words.NUMERALS.values())
    openings += [form for forms in words.POSSESSIVES.values() for form in forms]
    openings += [french_time.split()[0] for t in words.TIMES.values() for french_time in t.values()]
    openings += [*orders(), *nouns.CITIES.values()]
    for table in (words.WEEKDAYS, words.MONTHS, words.LANGUAGES, words.COLOURS):
        out |= set(table.values())
    out |= {word[0].upper() + word[1:] for word in openings} | orders()
    return (out | phrase_tokens() | {"aujourd'hui", "Aujourd'hui"}) - {"<unk>"}


def orders() -> set[str]:
    """Every imperative."""
    verbs = [v for v in VERBS if "state" not in v.flags and "person" in v.subjects] + BODILY
    return {french.imperative(v.french, us) for v in verbs for us in (False, True)}


def phrase_tokens() -> set[str]:
    """The words of the set phrases, spelled, with a capital where they begin one."""
    out = set()
    for pattern in PATTERNS:
        spelled = french.spell([token for token, _ in pattern.french])
        first = spelled[0]
        out |= set(spelled)
        for slot in (["<unk>"], ["année"]):  # elided before a slot as well as not
            filled = [slot[0] if SLOT.match(token) else token for token, _ in pattern.french]
            out |= set(french.spell(filled)) - {"<unk>", "année"}
        if not SLOT.match(first):
            out.add(first[0].upper() + first[1:])
    return {token for token in out if not SLOT.match(token)}


def verb_forms(verb: Verb) -> set[str]:
    """The forms the grammar uses: states have no passé composé, plain events no imparfait."""
    state, event = "state" in verb.flags, "plain" in verb.flags and "state" not in verb.flags
    persons = range(5) if "person" in verb.subjects or verb is BEING else (2, 4)
    supposed = verb.french in CONDITIONAL and not verb.reflexive
    past = supposed or not (event or verb.base == "sit")
    tenses = {"present", "future"} | ({"imparfait"} if past else set())
    tenses |= {"conditional"} if supposed else set()
    out = {french.CONJUGATIONS[tense](verb.french)[p] for tense in tenses for p in persons}
    out.add(verb.french)
    if state:
        return out
    agrees = (verb.transitive and not verb.links) or "être" in verb.flags or verb.reflexive
    for feminine in (False, True) if agrees else (False,):
        for plural in (False, True) if agrees else (False,):
            out.add(french.participle(verb.french, feminine, plural))
    return out


def digits() -> set[str]:
    """A number is written digit by digit: 1987 as 1 ##9 ##8 ##7."""
    return {prefix + str(digit) for prefix in ("", "##") for digit in range(10)}


def sorted_vocabulary() -> list[str]:
    """English and French tokens in one list; homographs share an entry."""
    return sorted(english_words() | french_words() | digits())
