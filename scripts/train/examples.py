"""Sentences the model must translate, written as abstract syntax."""

from grammar.adjectives import BY_ENGLISH as ADJECTIVES
from grammar.clauses import Action, Clause, Copula, Making, SubjectRelative
from grammar.nouns import BY_ENGLISH as NOUNS
from grammar.sentences import Compound, Sentence, Style, subject_pronoun
from grammar.syntax import NounPhrase, Phrase, Place, Pronoun, That
from grammar.verb_group import VerbGroup
from grammar.verbs import verb

PAST, PRESENT = VerbGroup("past"), VerbGroup("present")


def the(noun: str, *adjectives: str, plural: bool = False) -> NounPhrase:
    return NounPhrase(NOUNS[noun], "the", plural, tuple(ADJECTIVES[word] for word in adjectives))


def did(base: str, noun_phrase: NounPhrase, polarity: str = "") -> Action:
    return Action(verb(base, transitive=True), VerbGroup("past", polarity), noun_phrase)


def was(adjective: str, degree: str = "") -> Copula:
    return Copula(ADJECTIVES[adjective], PAST, degree)


def required() -> list[tuple[Sentence, Style, str, str]]:
    """(abstract sentence, style, English, French)"""
    cat, animal, street = the("cat"), the("animal"), the("street")
    sat = Action(verb("sit"), PAST, place=Place("on", "sur", the("mat")))
    crossed = Clause(animal, did("cross", street, "not"))
    mouse = NounPhrase(NOUNS["mouse"], relative=SubjectRelative("that", did("eat", the("cheese"))))
    chaser = NounPhrase(NOUNS["cat"], relative=SubjectRelative("that", did("chase", mouse)))
    sushi = NounPhrase(NOUNS["sushi"], "a")
    i = Pronoun("i")
    me_happy = Making(ADJECTIVES["happy"], i, PRESENT)

    def because(subject: NounPhrase, adjective: str) -> Compound:
        second = Clause(subject_pronoun(subject), was(adjective, "too"))
        return Compound(crossed, "because", second)

    full, bare = Style(), Style(mark="")
    return [
        (Clause(cat, sat), full, "The cat sat on the mat.", "Le chat s'est assis sur le tapis."),
        (
            Compound(Clause(cat, sat), "because", Clause(subject_pronoun(cat), was("tired"))),
            full,
            "The cat sat on the mat because it was tired.",
            "Le chat s'est assis sur le tapis parce qu'il était fatigué.",
        ),
        (
            Compound(
                Clause(i, Action(verb("like", transitive=True), PRESENT, sushi)),
                "because",
                Clause(That(), me_happy),
            ),
            full,
            "I like sushi because it makes me happy.",
            "J'aime les sushis parce que ça me rend heureux.",
        ),
        (Clause(i, Copula("hungry", PRESENT)), full, "I am hungry.", "J'ai faim."),
        (
            Clause(chaser, was("tired", "very")),
            full,
            "The cat that chased the mouse that ate the cheese was very tired.",
            "Le chat qui a poursuivi la souris qui a mangé le fromage était très fatigué.",
        ),
        (
            because(animal, "tired"),
            full,
            "The animal didn't cross the street because it was too tired.",
            "L'animal n'a pas traversé la rue parce qu'il était trop fatigué.",
        ),
        (
            because(street, "wide"),
            full,
            "The animal didn't cross the street because it was too wide.",
            "L'animal n'a pas traversé la rue parce qu'elle était trop large.",
        ),
        (the("cat", "black"), bare, "the black cat", "le chat noir"),
        (
            Clause(i, Copula(NOUNS["student"], PRESENT)),
            full,
            "I am a student.",
            "Je suis étudiant.",
        ),
        (
            Clause(i, Action(verb("live"), PRESENT, place=Phrase("in Paris", "à Paris"))),
            bare,
            "I live in Paris",
            "Je vis à Paris",
        ),
    ]
