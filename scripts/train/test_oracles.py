"""The grammar's French against what others know of it: hunspell's dictionary and verbiste's conjugations."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from grammar import french
from grammar.verb_group import MODALS
from grammar.verbs import BEING, BELIEVING, BODILY, FITS, MAKES, SEEMING, VERBS
from grammar.vocabulary import french_words
from oracles import PERSONS, TENSES, conjugations, unknown_to_hunspell

INFINITIVES = {v.french for v in [*VERBS, *BELIEVING, *SEEMING, *BODILY, MAKES, FITS, BEING]}
INFINITIVES |= {infinitive for infinitive, _, _ in MODALS.values()}
# Their participles do not agree in any sentence of the grammar, and nobody is ordered to want.
UNCHANGING = {"être", "avoir"}
NEVER_ORDERED = {"pouvoir", "vouloir", "devoir"}


class Verbiste(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.verbs = conjugations(sorted(INFINITIVES))

    def test_tenses(self):
        for infinitive, moods in self.verbs.items():
            for tense, mood in TENSES.items():
                forms = french.CONJUGATIONS[tense](infinitive)
                for form, person in zip(forms, PERSONS, strict=True):
                    self.assertIn(form, moods[mood][person], f"{infinitive}, {mood}")

    def test_imperatives(self):
        for infinitive in INFINITIVES - NEVER_ORDERED:
            forms = self.verbs[infinitive]["imperative present"]
            self.assertIn(french.imperative(infinitive), forms[0], infinitive)
            self.assertIn(french.imperative(infinitive, nous=True), forms[1], infinitive)

    def test_participles(self):
        for infinitive, moods in self.verbs.items():
            masculine, masculines, feminine, feminines = moods["participle past"]
            self.assertIn(french.participle(infinitive), masculine)
            if infinitive not in UNCHANGING:
                self.assertIn(french.participle(infinitive, False, True), masculines, infinitive)
                self.assertIn(french.participle(infinitive, True, False), feminine, infinitive)
                self.assertIn(french.participle(infinitive, True, True), feminines, infinitive)


class Hunspell(unittest.TestCase):
    def test_every_form_is_in_the_dictionary(self):
        words = sorted({word.rstrip("'") for word in french_words() if word[0].isalpha()})
        self.assertEqual(unknown_to_hunspell(words), [])


if __name__ == "__main__":
    unittest.main()
