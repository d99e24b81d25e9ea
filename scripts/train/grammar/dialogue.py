"""Questions and orders."""

from collections.abc import Iterator
from dataclasses import dataclass

from . import french
from .aligned import like, mark, own
from .clauses import Action, Clause, Copula, Predicate, Subject
from .sentences import Existence, Identification
from .syntax import Agreement, NounPhrase, Pair, Phrase, Place, Pronoun
from .verb_group import VerbGroup
from .verbs import BEING, Verb

ASKING = {"why": "pourquoi", "when": "quand", "how": "comment", "where": "où"}


@dataclass(frozen=True)
class YesOrNo:
    """ "Do you like cats?" -> "Est-ce que tu aimes les chats ?"; with a word, "Why do you ...?" """

    clause: Clause | Existence | Identification
    word: str = ""

    def english(self) -> list[str]:
        clause = self.clause
        out = own(self, mark([self.word] if self.word else [], "word"))
        if not isinstance(clause, Clause):
            return out + clause.english_question()
        out += clause.predicate.english_question(clause.subject)
        return out + own(clause, mark(clause.time[0], "time"))

    def french(self) -> list[str]:
        statement = self.clause.french()
        asking = mark(
            ["est-ce", "que"],
            (id(self._asker()), "auxiliary"),
            (id(self._asker()), "do"),
            (id(self._asker()), "verb"),
        )
        word = own(self, mark([ASKING[self.word]] if self.word else [], "word"))
        return word + asking + statement

    def _asker(self) -> object:
        return self.clause.predicate if isinstance(self.clause, Clause) else self.clause

    def pairs(self) -> Iterator[Pair]:
        return self.clause.pairs()


@dataclass(frozen=True)
class WhoDid:
    """ "Who ate the apple?" -> "Qui a mangé la pomme ?" """

    predicate: Predicate
    word: str = "who"

    def english(self) -> list[str]:
        return own(self, mark([self.word], "who")) + self.predicate.english(SOMEBODY)

    def french(self) -> list[str]:
        who = "qui" if self.word == "who" else "qu'est-ce qui"
        return own(self, mark(who, "who")) + self.predicate.french(SOMEBODY)

    def pairs(self) -> Iterator[Pair]:
        return iter(())


SOMEBODY = Pronoun("he")


@dataclass(frozen=True)
class ObjectQuestion:
    """What, whom, which or how many: "What did you eat?" -> "Qu'est-ce que tu as mangé ?" """

    asked: NounPhrase | str  # "what", "who", or a noun phrase whose determiner asks
    subject: Subject
    verb: Verb
    group: VerbGroup
    time: tuple[str, str] = ("", "")

    def english(self) -> list[str]:
        plain = isinstance(self.asked, str)
        asked = own(self, mark([self.asked], "asked")) if plain else self.asked.english()
        auxiliary, rest = self.group.inverted(self.verb, self.subject.english_person)
        rest = rest + mark(self.verb.particle, "particle") + mark(self.time[0], "time")
        return asked + own(self, auxiliary) + self.subject.english() + own(self, rest)

    def french(self) -> list[str]:
        asking = mark(["est-ce", "que"], "auxiliary", "do")
        agreement = None
        if self.asked == "what":
            asked = mark(["qu'est-ce", "que"], "asked")
            asking = []
        elif self.asked == "who":
            asked = mark(["qui"], "asked")
        else:
            asked = self.asked.french()
            agreement = self.asked.agreement
        group = self.group.french(self.verb, self.subject.agreement, object_agreement=agreement)
        subject = self.subject.french(generic=True)
        time = own(self, mark(self.time[1], "time"))
        return own(self, asked + asking) + subject + own(self, group) + time

    def pairs(self) -> Iterator[Pair]:
        return self.subject.pairs()


@dataclass(frozen=True)
class HowMany:
    """ "How many cats are there?" -> "Combien de chats est-ce qu'il y a ?" """

    noun_phrase: NounPhrase
    group: VerbGroup
    place: Place | Phrase | None = None

    def english(self) -> list[str]:
        person = self.noun_phrase.english_person
        auxiliary, rest = self.group.inverted(BEING, person)
        out = self.noun_phrase.english() + own(self, auxiliary + mark(["there"], "there") + rest)
        return out + (self.place.english() if self.place else [])

    def french(self) -> list[str]:
        has = french.CONJUGATIONS["imparfait" if self.group.tense == "past" else "present"]("avoir")
        asking = mark("est-ce que", "verb") + mark("il y", "there") + mark([has[2]], "verb")
        return (
            self.noun_phrase.french()
            + own(self, asking)
            + (self.place.french() if self.place else [])
        )

    def pairs(self) -> Iterator[Pair]:
        return self.noun_phrase.pairs()


@dataclass(frozen=True)
class Whereabouts:
    """ "Where is the cat?" -> "Où est le chat ?"; also how it is, who or what it is"""

    subject: NounPhrase | Pronoun
    group: VerbGroup
    word: str = "where"

    def english(self) -> list[str]:
        be = self.group.english(BEING, self.subject.english_person)
        return own(self, mark([self.word], "word") + be) + self.subject.english()

    def french(self) -> list[str]:
        group = self.group.french(BEING, self.subject.agreement)
        word = ASKING.get(self.word) or {"who": "qui"}.get(self.word) or self._which()
        if not isinstance(self.subject, Pronoun):
            return own(self, mark([word], "word") + group) + self.subject.french()
        hyphen = mark(["-"], "verb")
        return own(self, mark([word], "word") + group + hyphen) + self.subject.french()

    def _which(self) -> str:
        """ "What is the biggest city?" -> "Quelle est la plus grande ville ?" """
        _, feminine = self.subject.agreement
        which = "quelle" if feminine else "quel"
        return which + "s" if self.subject.agreement.plural else which

    def pairs(self) -> Iterator[Pair]:
        return self.subject.pairs()


@dataclass(frozen=True)
class Order:
    """ "Don't open the door." -> "N'ouvre pas la porte."; ``us``: "Let's eat." -> "Mangeons." """

    action: Action
    polarity: str = ""
    us: bool = False
    please: str = ""  # "first" or "last"
    time: tuple[str, str] = ("", "")

    def english(self) -> list[str]:
        verb = mark([self.action.verb.base], "verb")
        if self.us:
            verb = mark(["let", "'s"], "let") + mark(["not"] if self.polarity else [], "not") + verb
        elif self.polarity:
            verb = mark(["do"], "do") + mark(["not"], "not") + verb
        out = own(self, verb) + self.action.english_rest() + own(self, mark(self.time[0], "time"))
        please = mark(["please"], "please")
        comma = mark([","], "comma")
        if self.please == "first":
            return own(self, please) + out
        return out + own(self, comma + please if self.please else [])

    def french(self) -> list[str]:
        action, verb = self.action, self.action.verb
        form = mark([french.imperative(verb.french, self.us)], "verb", "let")
        clitics = action.clitics()
        if self.polarity:
            reflexive = mark(["nous" if self.us else "te"] if verb.reflexive else [], "verb")
            out = mark(["ne"], "not") + reflexive + clitics + form + mark(["pas"], "not")
        else:
            out = form
            reflexive = mark(["nous" if self.us else "toi"] if verb.reflexive else [], "verb")
            things = sorted(clitics, key=lambda word: word not in ("le", "la", "les"))
            for word in reflexive + things:
                out += mark(["-"], "verb") + [
                    like({"me": "moi", "te": "toi"}.get(word, word), word)
                ]
        out = own(self, out) + action.french_rest() + own(self, mark(self.time[1], "time"))
        please = mark(["si", "il", "te", "plaît"], "please")
        comma = mark([","], "comma", "please")
        if self.please == "first":
            return own(self, please + comma) + out
        return out + own(self, comma + please if self.please else [])

    def pairs(self) -> Iterator[Pair]:
        return self.action.pairs(SOMEBODY)


@dataclass(frozen=True)
class BeOrder:
    """ "Be careful." -> "Sois prudent.", "Don't be sad." """

    copula: Copula
    polarity: str = ""

    def english(self) -> list[str]:
        not_ = mark(["do"], "do") + mark(["not"], "not") if self.polarity else []
        return own(self, not_ + mark(["be"], "verb")) + self.copula.english_rest(YOU)

    def french(self) -> list[str]:
        have = isinstance(self.copula.complement, str)
        form = mark([french.imperative("avoir" if have else "être")], "verb")
        if self.polarity:
            form = mark(["ne"], "not") + form + mark(["pas"], "not")
        return own(self, form) + self.copula.french_rest(Agreement(1, False))

    def pairs(self) -> Iterator[Pair]:
        return iter(())


YOU = Pronoun("you")
