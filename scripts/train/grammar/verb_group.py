"""Verb groups: tense, modal, negation and adverb, in English and in French."""

from dataclasses import dataclass

from . import french, words
from .aligned import mark
from .syntax import Agreement
from .verbs import Verb

# English words before an infinitive that French turns into a verb of its own: infinitive, tense, link.
MODALS = {
    "can": ("pouvoir", "present", ""),
    "could": ("pouvoir", "imparfait", ""),
    "must": ("devoir", "present", ""),
    "should": ("devoir", "conditional", ""),
    "have to": ("devoir", "present", ""),
    "want to": ("vouloir", "present", ""),
    "wanted to": ("vouloir", "imparfait", ""),
    "would like to": ("vouloir", "conditional", ""),
    "like to": ("aimer", "present", ""),
    "love to": ("adorer", "present", ""),
    "need to": ("avoir", "present", "besoin de"),
    "know how to": ("savoir", "present", ""),
    "hope to": ("espérer", "present", ""),
    "going to": ("aller", "present", ""),
}
PAST_MODALS = {"could", "wanted to"}
# Tenses of a condition and its result: how English forms them, and how French does.
ENGLISH_FORMS = {
    "hypothetical": "past",
    "subjunctive": "past",
    "once": "present",
    "lasting": "perfect",
}

FRENCH_FORMS = {
    "past": "imparfait",
    "past progressive": "imparfait",
    "hypothetical": "imparfait",
    "subjunctive": "imparfait",
    "future": "future",
    "once": "future",
    "would": "conditional",
}
# Those that take "do" in a question or a negation.
WITH_DO = {
    "have to",
    "want to",
    "wanted to",
    "like to",
    "love to",
    "need to",
    "know how to",
    "hope to",
}


@dataclass(frozen=True)
class VerbGroup:
    """Tense, polarity and adverb of frequency.

    ``tense``: "present", "progressive", "past", "past progressive", "perfect", "future", a modal; "would"; after "if",
    "hypothetical" (I was) or "subjunctive" (I were); "once": "when I am old" -> "quand je serai vieux"; "lasting":
    "I have lived here for a year" -> "je vis".
    ``polarity``: "", "not", "never", "no" of an object ("has no dog"), "nobody" of the subject.
    """

    tense: str = "present"
    polarity: str = ""
    frequency: str = ""

    def english(self, verb: Verb, person: int) -> list[str]:
        auxiliary, rest = self._english(verb, person)
        not_ = mark(["not"], "not") if self.polarity == "not" else []
        if not_ and not auxiliary:
            auxiliary, rest = self.inverted(verb, person)
        adverb = mark(["never"], "not") if self.polarity == "never" else []
        adverb += mark([self.frequency], "frequency") if self.frequency else []
        return auxiliary + not_ + adverb + rest

    def inverted(self, verb: Verb, person: int) -> tuple[list[str], list[str]]:
        """The auxiliary that a question begins with, and the words that follow the subject."""
        auxiliary, rest = self._english(verb, person)
        if auxiliary:
            return auxiliary, rest
        past = ENGLISH_FORMS.get(self.tense, self.tense) in ("past", "wanted to")
        do = "did" if past else "does" if person == 2 else "do"
        if self.tense in WITH_DO:
            base = self.tense.replace("wanted", "want")
            return mark([do], "do"), mark(base, "auxiliary") + mark([verb.base], "verb")
        return mark([do], "do"), mark([verb.base], "verb")

    def _english(self, verb: Verb, person: int) -> tuple[list[str], list[str]]:
        """The auxiliary (none in a simple tense) and the words after it."""
        third = person == 2
        be = words.BE_PRESENT[person]
        tense = ENGLISH_FORMS.get(self.tense, self.tense)
        if verb.base == "be" and self.tense == "subjunctive":
            return mark(["were"], "verb"), []
        if verb.base == "be" and tense in ("present", "past"):
            return mark([be if tense == "present" else words.BE_PAST[person]], "verb"), []
        if tense in ("present", "past"):
            form = verb.past if tense == "past" else verb.third_person if third else verb.base
            return [], mark([form], "verb")
        if tense in WITH_DO:
            first, *to = tense.split()
            third_person = "has" if first == "have" else first + "s"
            first = third_person if third and tense != "wanted to" else first
            return [], mark([first, *to], "auxiliary") + mark([verb.base], "verb")
        if tense in ("progressive", "past progressive"):
            auxiliary = be if tense == "progressive" else words.BE_PAST[person]
            return mark([auxiliary], "auxiliary"), mark([verb.gerund], "verb")
        if tense == "perfect":
            return mark(["has" if third else "have"], "auxiliary"), mark([verb.participle], "verb")
        if tense == "going to":
            going = mark("going to", "auxiliary")
            return mark([be], "auxiliary"), going + mark([verb.base], "verb")
        auxiliary, *rest = ["will"] if tense == "future" else tense.split()
        words_ = mark(rest, "auxiliary") + mark([verb.base], "verb")
        return mark([auxiliary], "auxiliary"), words_

    def french(
        self,
        verb: Verb,
        agreement: Agreement,
        clitics: list[str] | None = None,
        object_agreement: Agreement | None = None,
    ) -> list[str]:
        """``object_agreement``: of an object before the verb, which a participle agrees with."""
        person = agreement.person
        sitting = verb.base == "sit" and self.tense.endswith("progressive")
        reflexive = verb.reflexive and not sitting
        pronoun = (mark([french.REFLEXIVES[person]], "verb") if reflexive else []) + (clitics or [])
        finite, rest, inner = self._finite(verb, agreement, object_agreement)
        before, after = (pronoun, []) if not inner else ([], pronoun)
        ne, pas = [], []
        if self.polarity:
            ne = mark(["ne"], "not", "verb")
            pas = mark(["jamais" if self.polarity == "never" else "pas"], "not", "verb")
            pas = [] if self.polarity == "nobody" else pas
        adverb = mark(words.FREQUENCIES[self.frequency], "frequency") if self.frequency else []
        link = mark(MODALS[self.tense][2], "auxiliary") if inner else []
        finite = mark([finite], *(("auxiliary", "do") if inner else ("verb", "auxiliary", "do")))
        return ne + before + finite + pas + adverb + link + after + mark(rest, "verb")

    def _finite(
        self, verb: Verb, agreement: Agreement, object_agreement: Agreement | None
    ) -> tuple[str, list[str], bool]:
        """The finite verb, the words after it, and whether a clitic goes before the latter."""
        person = agreement.person
        if self.tense in MODALS:
            modal, tense, _ = MODALS[self.tense]
            return french.CONJUGATIONS[tense](modal)[person], [verb.french], True
        if verb.base == "sit" and self.tense.endswith("progressive"):
            tense = "present" if self.tense == "progressive" else "imparfait"
            seated = french.participle("asseoir", agreement.feminine, agreement.plural)
            return french.CONJUGATIONS[tense]("être")[person], [seated], False
        past = self.tense == "past"
        if self.tense == "perfect" or (past and "state" not in verb.flags):
            with_be = "être" in verb.flags or verb.reflexive
            auxiliary = french.present("être" if with_be else "avoir")[person]
            own = object_agreement if verb.reflexive else None  # "elle s'est lavé les mains"
            agrees = own or agreement if with_be else object_agreement or Agreement(2, False)
            done = french.participle(verb.french, agrees.feminine, agrees.plural)
            return auxiliary, [done], False
        tense = FRENCH_FORMS.get(self.tense, "present")
        return french.CONJUGATIONS[tense](verb.french)[person], [], False

    @property
    def is_past(self) -> bool:
        return self.tense in ("past", "past progressive", "perfect") or self.tense in PAST_MODALS
