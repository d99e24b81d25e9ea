"""Random sentences of every kind, with the weights of the kinds."""

from collections.abc import Iterator
from dataclasses import replace

from . import words
from .adjectives import ADJECTIVES, BY_ENGLISH, SENSATIONS, WITHOUT_DEGREE, Adjective
from .clauses import Action, Clause, Copula, Making, Predicate, Task
from .conditions import Series
from . import templates
from .dialogue import Order, Whereabouts
from .sample_series import QUESTIONS as ASKED
from .sample_series import SeriesSampler
from .sample_phrases import ANIMATE, ANYTHING, DEGREE_WEIGHTS, MOODS, adjectives_of, nouns_of
from .sample_phrases import subject_classes, verbs_of
from .sentences import Compound, Existence, Identification, SharedSubject, Style, Text
from .sentences import Weather, render, subject_pronoun
from .syntax import Coordination, NounPhrase, Place, Pronoun, That
from .verb_group import VerbGroup
from .verbs import FITS, VERBS

NO_TIME = ("", "")
QUESTIONS = (*ASKED, Whereabouts)


class SentenceSampler(SeriesSampler):
    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.kinds = {
            self.clause: 17,
            self.state: 8,
            self.antecedent: 17,
            self.kind_and_reason: 2,
            self.winograd: 2,
            self.coordinated: 5,
            self.shared_subject: 4,
            self.fragment: 4.5,
            self.identification: 2.5,
            self.existence: 3,
            self.whereabouts: 2,
            self.weather: 1.5,
            self.short: 9,
            self.yes_or_no: 6,
            self.wh_question: 5,
            self.who_question: 1.5,
            self.how_many: 1,
            self.order: 6,
            self.belief: 2.5,
            self.set_phrase: 13,
            self.conjugation: 12,
            self.lasting: 1.5,
            self.nobody: 1,
            self.wondering: 2.5,
            self.passive: 5,
            self.superlative: 4,
            self.body: 5,
            self.condition: 6,
            self.series: 6,
        }

    def set_phrase(self) -> templates.SetPhrase:
        return templates.sample(self)

    def text(self) -> Text:
        kind = self.pick(self.kinds)
        sentence = kind()
        mark = "." if self.chance(0.88) else ""
        if isinstance(sentence, Series):
            mark = self.stop(sentence.second)
        elif isinstance(sentence, QUESTIONS):
            mark = "?"
        elif isinstance(sentence, Order):
            mark = self.pick({".": 80, "!": 12, "": 8})
        elif isinstance(sentence, templates.SetPhrase):
            mark = sentence.pattern.mark
            if mark != "?":
                mark = self.pick({mark: 82, "!" if mark == "." else ".": 6, "": 12})
        elif isinstance(sentence, NounPhrase | Coordination):
            article = isinstance(sentence, Coordination) or sentence.determiner
            mark = "." if article and self.chance(0.25) else ""
        style = Style(self.chance(0.55), self.chance(0.4), mark)
        return render(sentence, style)._replace(kind=kind.__name__)

    def time(self, group: VerbGroup) -> tuple[str, str]:
        kinds = {"past progressive": "past", "perfect": "", "going to": "future"}
        later = ("must", "can", "have to", "want to", "would like to", "should", "need to")
        kind = "future" if group.tense in later else kinds.get(group.tense, group.tense)
        times = words.TIMES.get(kind)
        if not times or not self.chance(0.13):
            return NO_TIME
        return self.random.choice(list(times.items()))

    # Simple sentences

    def clause(self) -> Clause:
        subject = self.subject()
        predicate = self.predicate(subject)
        time = self.time(predicate.group)
        fronted = self.random.choice([",", "no comma"]) if time[0] and self.chance(0.3) else ""
        return Clause(subject, predicate, time, fronted)

    def state(self) -> Clause:
        if self.chance(0.1):  # "it is easy" -> "c'est facile"
            choices = [a for a in ADJECTIVES if self.said_of_a_fact(a)]
            tense = self.pick({"present": 7, "past": 3})
            group = VerbGroup(tense, "not" if self.chance(0.2) else "")
            degree = self.pick(DEGREE_WEIGHTS)
            word = self.random.choice(["it", "it", "that", "this"])
            predicate = Copula(self.random.choice(choices), group, degree)
            if self.chance(0.35):
                hard = [
                    "easy",
                    "difficult",
                    "important",
                    "dangerous",
                    "useful",
                    "simple",
                    "expensive",
                ]
                predicate = replace(predicate, complement=BY_ENGLISH[self.random.choice(hard)])
                people = Pronoun("you")
                verb = self.random.choice(
                    [v for v in verbs_of(frozenset(["person"])) if "state" not in v.flags]
                )
                task = Task(replace(self.action(verb, people, depth=0), group=VerbGroup()))
                return Clause(That("it"), predicate, task=task)
            return Clause(That(word), predicate)
        subject = self.subject(pronouns=0.25, animate=0.45)
        return Clause(subject, self.copula(subject))

    def short(self) -> Clause:
        """A pronoun or a plain noun with few words after it."""
        subject = self.subject(depth=0, pronouns=0.75)
        return Clause(subject, self.predicate(subject, depth=0))

    def fragment(self) -> NounPhrase | Coordination:
        if self.chance(0.1):
            return self.coordination(ANYTHING)
        if self.chance(0.15):  # a dictionary entry: no article on either side
            noun = self.random.choice(nouns_of(ANYTHING))
            mass = noun.classes & {"mass", "massplural"}
            plural = not mass and self.chance(0.3)
            several = (mass or plural) and self.chance(0.3)
            return NounPhrase(noun, "some" if several else "", plural, self.modifiers(noun))
        phrase = self.noun_phrase(ANYTHING, depth=0 if self.chance(0.7) else 2)
        if not phrase.adjectives and self.chance(0.6):
            phrase = replace(phrase, adjectives=self.modifiers(phrase.noun))
        return phrase

    def identification(self) -> Identification:
        phrase = self.noun_phrase(ANYTHING, bare=True)
        words_ = ("they", "these", "those") if phrase.plural else ("it", "this", "that")
        bare_job = phrase.bare and "job" in phrase.noun.classes  # "they are bakers" is a copula
        if bare_job or (phrase.mass and phrase.agreement.plural):
            return self.identification()
        group = VerbGroup("past" if self.chance(0.2) else "present")
        if not phrase.bare and phrase.determiner not in ("some", "a") and self.chance(0.2):
            group = replace(group, polarity="not")
        return Identification(phrase, self.random.choice(words_), group)

    def existence(self) -> Existence:
        noun = self.random.choice(nouns_of(ANYTHING))
        mass = bool(noun.classes & {"mass", "massplural"})
        plural = not mass and self.chance(0.45)
        weights = {"a": 6, "some": 2} if plural or mass else {"a": 1}
        weights |= {self.number(): 1, "two": 1, "ten": 1, "many": 1} if plural else {}
        negation = "not" if self.chance(0.12) else ""
        none = "any" if (plural or mass) and self.chance(0.5) else "a"
        determiner = none if negation else self.pick(weights)
        phrase = NounPhrase(noun, determiner, plural, self.modifiers(noun))
        if not negation and determiner in ("a", "some") and self.chance(0.12):
            negation = determiner = "no"
            phrase = replace(phrase, determiner="no")
        tense = self.pick({"present": 6, "past": 4, "future": 1})
        place = self.place(noun.classes) if self.chance(0.8) else None
        return Existence(phrase, VerbGroup(tense, negation), place)

    def weather(self) -> Weather:
        weather = self.random.choice(list(words.WEATHER))
        time = NO_TIME
        if self.chance(0.3) and "will" not in weather:
            tense = "past" if "was" in weather else "progressive"
            time = self.random.choice(list(words.TIMES[tense].items()))
        return Weather(weather, time)

    # Sentences of two clauses

    def antecedent(self) -> Compound:
        """ "... because it was too tired": the adjective decides what "it" is."""
        first = self.first_clause()
        other = first.predicate.object or first.predicate.place.noun_phrase
        subject = first.subject
        named = not isinstance(subject, Pronoun)
        past = first.predicate.group.is_past
        if self.chance(0.08):
            raining = "it was raining" if past else "it is raining"
            return Compound(first, "because", Weather(raining))
        if isinstance(other, Pronoun) or self.chance(0.45 if named else 0.35):
            pronoun = subject_pronoun(subject) if named else replace(subject)
            return self.because(first, pronoun, self.reason(pronoun, past, None), other)
        rival = subject if named and subject.pronoun == other.pronoun else None
        predicate = self.reason(subject_pronoun(other), past, rival)
        if not predicate:
            return self.antecedent()
        return self.because(first, subject_pronoun(other), predicate, other)

    def because(
        self, first: Clause, pronoun: Pronoun, predicate: Predicate, other: NounPhrase | Pronoun
    ) -> Compound:
        candidates = ()
        if first.subject.nouns() and other.nouns():
            candidates = (first.subject.nouns()[0].english, other.nouns()[0].english)
        return Compound(first, "because", Clause(pronoun, predicate), candidates)

    def first_clause(self) -> Clause:
        """A clause with a second noun: an object or a place."""
        while True:
            subject = self.subject(depth=int(self.chance(0.15)), pronouns=0.18, animate=0.85)
            verbs = verbs_of(subject_classes(subject))
            if not verbs:
                continue
            verb = self.random.choice(verbs)
            action = self.action(verb, subject, depth=0)
            if not verb.transitive and not isinstance(action.place, Place):
                place = self.place(frozenset(["thing"]))
                if verb.base in ("look", "wait") and place.preposition == "at":
                    continue
                action = replace(action, place=place, manner="")
            other = action.object or action.place.noun_phrase
            if action.recipient or isinstance(other, Coordination):
                continue
            if isinstance(other, NounPhrase) and (other.bare or other.determiner == "some"):
                continue
            return Clause(subject, action)

    def reason(
        self, pronoun: Pronoun, past: bool, rival: NounPhrase | Coordination | None
    ) -> Predicate | None:
        """Something true of the pronoun and, if it has a rival, not of that one."""
        classes = subject_classes(pronoun)
        rivals = subject_classes(rival) if rival else frozenset()
        if not rival and classes & ANIMATE and self.chance(0.12):
            return self.action(self.random.choice(verbs_of(classes)), pronoun, 0, past)
        group = VerbGroup("past" if past else "present", "not" if self.chance(0.12) else "")
        degree = self.pick({"": 35, "too": 30, "very": 20, "so": 8, "really": 7})
        if classes & ANIMATE and not rivals & ANIMATE and self.chance(0.25):
            sensation = self.random.choice(list(SENSATIONS))
            return Copula(sensation, group, "" if sensation in WITHOUT_DEGREE else degree)
        nouns = pronoun.nouns() or self.random.choices(nouns_of(classes))
        choices = adjectives_of(nouns[0])
        choices = [a for a in choices if all(a.describes(noun) for noun in nouns)]
        if rival:
            choices = [a for a in choices if not any(a.describes(n) for n in rival.nouns())]
            if rivals & ANIMATE:
                choices = [a for a in choices if a.english not in SENSATIONS]
        return Copula(self.random.choice(choices), group, degree) if choices else None

    def kind_and_reason(self) -> Compound:
        """ "I like sushi because it makes me happy": it is the kind, not one thing."""
        subject = self.subject(depth=0, pronouns=0.7, animate=1.0)
        verb = self.random.choice([v for v in VERBS if "generic" in v.flags])
        group = VerbGroup("present", "not" if self.chance(0.2) else "")
        food = frozenset(["food", "drink", "idea", "animal"])
        object_ = self.kind(food)
        reason = That(antecedent=object_) if object_.mass else subject_pronoun(object_)
        first = Clause(subject, Action(verb, group, object_))
        if self.chance(0.55):
            mood = self.random.choice([a for a in ADJECTIVES if a.english in MOODS])
            me = replace(subject) if isinstance(subject, Pronoun) else subject_pronoun(subject)
            predicate = Making(mood, me, VerbGroup())
        else:
            choices = [a for a in adjectives_of(object_.noun) if not self.too_concrete(a.english)]
            degree = self.pick({"": 5, "very": 3, "too": 2, "so": 2})
            predicate = Copula(self.random.choice(choices), VerbGroup(), degree)
        return Compound(first, "because", Clause(reason, predicate))

    def winograd(self) -> Compound:
        """ "The trophy doesn't fit in the suitcase because it is too big" (or too small)."""
        things = self.noun_phrase(frozenset(["object"]), depth=0)
        holder = self.noun_phrase(FITS.objects, plural=0.1, depth=0)
        past = self.chance(0.4)
        group = VerbGroup("past" if past else "present", "not")
        first = Clause(things, Action(FITS, group, place=Place("in", "dans", holder)))
        big = self.chance(0.5)
        target = things if big else holder
        sizes = ("big", "large", "long") if big else ("small", "little", "narrow")
        adjective = BY_ENGLISH[self.random.choice(sizes)]
        predicate = Copula(adjective, replace(group, polarity=""), "too")
        candidates = (things.noun.english, holder.noun.english)
        return Compound(first, "because", Clause(subject_pronoun(target), predicate), candidates)

    def coordinated(self) -> Compound:
        """Two clauses; the second may take up the subject of the first."""
        first = self.clause() if self.chance(0.6) else self.state()
        past = first.predicate.group.is_past
        if isinstance(first.subject, That):
            return self.coordinated()
        conjunction = self.random.choice(["and", "but", "so", "when", "while", "or", "if"])
        subject = self.subject(depth=0)
        if conjunction in ("and", "but", "so") and self.chance(0.6):
            subject = first.subject
            named = not isinstance(subject, Pronoun)
            subject = subject_pronoun(subject) if named else replace(subject)
        second = self.predicate(subject, 0, past)
        if conjunction == "while" and not second.group.tense.endswith("progressive"):
            conjunction = "and"
        if conjunction == "if" and (past or second.group.tense != "present"):
            conjunction = "and"
        if conjunction == "when" and first.predicate.group.tense in ("future", "going to"):
            conjunction = "but"
        return Compound(first, conjunction, Clause(subject, second))

    def shared_subject(self) -> SharedSubject:
        """Two predicates; the second may take up the object of the first as a pronoun."""
        subject = self.subject(depth=0, animate=1.0)
        verbs = verbs_of(subject_classes(subject))
        if not verbs:
            return self.shared_subject()
        verb = self.random.choice(verbs)
        first = self.action(verb, subject, depth=0)
        past = first.group.is_past
        conjunction = self.random.choice(["and", "and", "but"])
        clause = Clause(subject, first)
        if isinstance(first.object, NounPhrase) and self.chance(0.6):
            own = first.object.noun.classes | {first.object.noun.english}
            takers = [v for v in verbs if v.objects & own and not v.ditransitive and v != verb]
            takers = [v for v in takers if not v.links]
            if takers:
                second = self.random.choice(takers)
                group = self.group(second, subject, past=past)
                action = Action(second, group, subject_pronoun(first.object))
                return SharedSubject(clause, conjunction, action)
        return SharedSubject(clause, conjunction, self.predicate(subject, 0, past))

    @staticmethod
    def said_of_a_fact(adjective: Adjective) -> bool:
        weather = adjective.english in ("cold", "hot", "dark", "warm", "wet", "quiet")
        return not weather and not adjective.classes & {"animate"} and bool(adjective.classes)

    @staticmethod
    def too_concrete(english: str) -> bool:
        """Not said of a kind: coffee as such is not cold."""
        return english in ("cold", "hot", "warm", "dry", "fresh", "new", "old", "ripe")

    def texts(self) -> Iterator[Text]:
        while True:
            yield self.text()
