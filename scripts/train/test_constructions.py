"""Tests of the grammar's later constructions: python3 scripts/train/test_constructions.py"""

import sys
import unittest
from collections import Counter
from itertools import islice
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from examples import ADJECTIVES, NOUNS, the
from grammar.clauses import Action, Clause, Comparison, Copula
from grammar.conditions import Condition, Series, Wondering
from grammar.dialogue import Order, Whereabouts, YesOrNo
from grammar.nouns import BY_ENGLISH, COUNTRIES, NOBODY, from_country, in_country
from grammar.predicates import Ache, BodyAction, Passive, Trait
from grammar.sample_sentences import SentenceSampler
from grammar.sentences import Identification, Style, render, subject_pronoun
from grammar.superlative import Superlative
from grammar.syntax import Coordination, NounPhrase, Phrase, Place, Pronoun
from grammar.templates import Clock, Kind
from grammar.verb_group import VerbGroup
from grammar.verbs import BELIEVING, BODILY, SEEMING, verb
from grammar.vocabulary import sorted_vocabulary
from tokenizer import Tokenizer

I, YOU, HE, SHE, WE, THEY = map(Pronoun, ("i", "you", "he", "she", "we", "they"))
PAST, PRESENT, FUTURE = VerbGroup("past"), VerbGroup(), VerbGroup("future")


def bodily(base: str):
    return next(v for v in BODILY if v.base == base)


class Constructions(unittest.TestCase):
    def check(self, sentence, source: str, target: str, mark: str = ".") -> None:
        text = render(sentence, Style(mark=mark))
        self.assertEqual((text.english, text.french_text), (source, target))

    def test_i_and_others_are_we(self):
        us = Coordination(NounPhrase(NOUNS["sister"], "my"), I)
        went = Action(verb("go"), PAST, place=Place("to", "à", the("market")))
        self.check(
            Clause(us, went),
            "My sister and I went to the market.",
            "Ma sœur et moi sommes allés au marché.",
        )
        washed = Action(verb("wash"), VerbGroup("past", "not"))
        self.check(
            Clause(Coordination(SHE, I), washed),
            "She and I didn't wash.",
            "Elle et moi ne nous sommes pas lavés.",
        )
        self.assertEqual(us.pronoun, "we")

    def test_passive(self):
        ate = Passive(verb("eat", True), PAST, the("dog"))
        self.check(
            Clause(the("apple"), ate),
            "The apple was eaten by the dog.",
            "La pomme a été mangée par le chien.",
        )
        open_ = Passive(verb("open", True), VerbGroup("future", "not"))
        windows = the("window", plural=True)
        self.check(
            Clause(windows, open_),
            "The windows won't be opened.",
            "Les fenêtres ne seront pas ouvertes.",
        )
        wrote = Passive(verb("write", True), PAST, SHE)
        self.check(
            YesOrNo(Clause(the("letter"), wrote)),
            "Was the letter written by her?",
            "Est-ce que la lettre a été écrite par elle ?",
            "?",
        )

    def test_conditions(self):
        real = Clause(HE, Action(verb("come"), PRESENT))
        eat = Clause(WE, Action(verb("eat"), FUTURE))
        self.check(Condition(eat, real, True), "If he comes, we will eat.", "S'il vient, nous mangerons.")
        hungry = Clause(I, Copula("hungry", VerbGroup("subjunctive")))
        would = Clause(I, Action(verb("buy", True), VerbGroup("would"), NounPhrase(NOUNS["apple"], "a")))
        self.check(
            Condition(would, hungry, False),
            "I would buy an apple if I were hungry.",
            "J'achèterais une pomme si j'avais faim.",
        )
        supposed = Clause(SHE, Action(verb("sleep"), VerbGroup("hypothetical", "not")))
        sad = Clause(THEY, Copula(ADJECTIVES["sad"], VerbGroup("would")))
        self.check(
            Condition(sad, supposed, True),
            "If she didn't sleep, they would be sad.",
            "Si elle ne dormait pas, ils seraient tristes.",
        )
        once = Clause(YOU, Copula(ADJECTIVES["rich"], VerbGroup("once")))
        self.check(
            Condition(Clause(YOU, Action(verb("travel"), FUTURE)), once, True, "when"),
            "When you are rich, you will travel.",
            "Quand tu seras riche, tu voyageras.",
        )

    def test_superlatives(self):
        village = Phrase("in Italy", from_country(BY_ENGLISH["Italy"]))
        oldest = Superlative(NOUNS["village"], "the", False, (ADJECTIVES["old"],), scope=village)
        self.check(
            Identification(oldest, "it", PRESENT),
            "It is the oldest village in Italy.",
            "C'est le plus vieux village d'Italie.",
        )
        famous = Superlative(NOUNS["song"], "the", True, (ADJECTIVES["famous"],))
        self.check(famous, "The most famous songs.", "Les chansons les plus célèbres.")
        least = Superlative(NOUNS["chair"], "the", False, (ADJECTIVES["expensive"],), least=True)
        self.check(least, "The least expensive chair.", "La chaise la moins chère.")
        good = Superlative(NOUNS["story"], "the", False, (ADJECTIVES["good"],))
        what = Whereabouts(good, PRESENT, "what")
        self.check(what, "What is the best story?", "Quelle est la meilleure histoire ?", "?")
        man = Superlative(NOUNS["man"], "the", False, (ADJECTIVES["old"],))
        self.check(man, "The oldest man.", "Le plus vieil homme.")
        tall = Comparison(ADJECTIVES["tall"], "most", scope=Phrase("of the family", "de la famille"))
        self.check(
            Clause(SHE, Copula(tall, PRESENT)),
            "She is the tallest of the family.",
            "Elle est la plus grande de la famille.",
        )

    def test_countries(self):
        spelled = {"Italy": ("en Italie", "d'Italie"), "Japan": ("au Japon", "du Japon")}
        spelled |= {"China": ("en Chine", "de Chine"), "England": ("en Angleterre", "d'Angleterre")}
        for country, (into, out_of) in spelled.items():
            noun = BY_ENGLISH[country]
            phrases = Phrase("in x", in_country(noun)), Phrase("from x", from_country(noun))
            texts = [render(phrase, Style(mark="")).french_text for phrase in phrases]
            self.assertEqual([text.lower() for text in texts], [into.lower(), out_of.lower()])
        self.check(
            Clause(NounPhrase(BY_ENGLISH["Spain"], ""), Copula(ADJECTIVES["beautiful"], PRESENT)),
            "Spain is beautiful.",
            "L'Espagne est belle.",
        )
        self.assertGreater(len(COUNTRIES), 10)

    def test_the_body(self):
        hands, arm = the("hand", plural=True), the("arm")
        washed = BodyAction(bodily("wash"), PAST, hands, whose="her")
        self.check(Clause(SHE, washed), "She washed her hands.", "Elle s'est lavé les mains.")
        must = BodyAction(bodily("wash"), VerbGroup("must"), hands, whose="our")
        self.check(Clause(WE, must), "We must wash our hands.", "Nous devons nous laver les mains.")
        hurt = BodyAction(bodily("hurt"), PAST, arm, whose="her")
        self.check(Clause(SHE, hurt), "She hurt her arm.", "Elle s'est blessée au bras.")
        raised = BodyAction(bodily("raise"), PRESENT, arm, whose="your")
        self.check(Order(raised), "Raise your arm.", "Lève le bras.")
        eyes = Trait(NOUNS["eye"], "a", True, (ADJECTIVES["green"],))
        self.check(
            Clause(THEY, Action(verb("have", True), PRESENT, eyes)),
            "They have green eyes.",
            "Ils ont les yeux verts.",
        )
        self.check(Ache(YOU, the("leg", plural=True)), "Your legs hurt.", "Tu as mal aux jambes.")
        brother = NounPhrase(NOUNS["brother"], "my")
        self.check(Ache(brother, the("nose")), "My brother's nose hurts.", "Mon frère a mal au nez.")
        self.check(Ache(SHE, the("ear", plural=True), cold=True), "Her ears are cold.", "Elle a froid aux oreilles.")

    def test_sentences_in_a_row(self):
        lamp = NounPhrase(NOUNS["lamp"], "a")
        bought = Clause(I, Action(verb("buy", True), PAST, lamp))
        white = Clause(subject_pronoun(lamp), Copula(ADJECTIVES["white"], PRESENT))
        text = render(Series(bought, ".", white))
        self.assertEqual(text.english, "I bought a lamp. It is white.")
        self.assertEqual(text.french_text, "J'ai acheté une lampe. Elle est blanche.")
        self.assertEqual(text.references, {5: (3,)})

    def test_decimals_on_both_sides(self):
        price = Clock(("12", ".", "05"), ("12", "##,", "##0", "##5"), (0, 1, 2, 2))
        text = render(price, Style(mark=""))
        self.assertEqual((text.english, text.french_text), ("12.05", "12,05"))
        tokenizer = Tokenizer.build(sorted_vocabulary())
        self.assertEqual(tokenizer.pieces("12.05"), ["1", "##2", ".", "0", "##5"])
        self.assertEqual(tokenizer.decode(tokenizer.encode_target(text.french)), "12,05")
        self.assertEqual([links[0] for links in text.links], [0, 1, 2, 3, 4])

    def test_the_rest(self):
        nobody = NounPhrase(NOBODY, "")
        ate = Action(verb("eat"), VerbGroup("past", "nobody"))
        self.check(Clause(nobody, ate), "Nobody ate.", "Personne n'a mangé.")
        know = next(v for v in BELIEVING if v.base == "know")
        left = Clause(HE, Action(verb("leave"), PAST))
        self.check(
            Wondering(WE, know, VerbGroup("present", "not"), "why", left),
            "We don't know why he left.",
            "Nous ne savons pas pourquoi il est parti.",
        )
        look = next(v for v in SEEMING if v.base == "look")
        self.check(
            Clause(SHE, Copula(ADJECTIVES["happy"], PRESENT, verb=look)),
            "She looks happy.",
            "Elle a l'air heureuse.",
        )
        works = Action(verb("work"), VerbGroup("lasting"))
        self.check(
            Clause(HE, works, ("since May", "depuis mai")),
            "He has worked since May.",
            "Il travaille depuis mai.",
        )
        chair = NounPhrase(NOUNS["chair"], "a", False, (ADJECTIVES["beautiful"], ADJECTIVES["old"]))
        self.check(chair, "A beautiful old chair.", "Une belle vieille chaise.")
        music = Kind(NOUNS["music"], "a")
        self.assertEqual(render(music, Style(mark="")).french_text, "la musique")


class Evenness(unittest.TestCase):
    def test_every_person_conjugates_in_every_tense(self):
        sampler = SentenceSampler(11)
        clauses = (sampler.conjugation() for _ in range(4000))
        counted = Counter(
            (clause.subject.subject, clause.predicate.group.tense)
            for clause in clauses
            if isinstance(clause, Clause) and isinstance(clause.subject, Pronoun)
        )
        for tense in ("present", "past", "future", "past progressive"):
            counts = [counted[person, tense] for person in ("i", "you", "he", "she", "we", "they")]
            self.assertGreater(min(counts), 0.5 * max(counts), tense)

    def test_a_decimal_is_never_read_into_two_sentences(self):
        texts = islice(SentenceSampler(12).texts(), 6000)
        for text in texts:
            if text.kind == "series":
                self.assertNotRegex(text.english, r"\d\.\s*\d")


if __name__ == "__main__":
    unittest.main()
