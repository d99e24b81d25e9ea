"""Tests of the grammar, the tokenizer and the split: python3 scripts/train/test_grammar.py"""

import json
import re
import sys
import unittest
from collections import defaultdict
from itertools import islice
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from examples import ADJECTIVES, NOUNS, PRESENT, the, required
from grammar import english, french
from grammar.clauses import Action, Clause, Comparison, Copula, ObjectRelative
from grammar.dialogue import BeOrder, ObjectQuestion, Order, WhoDid, Whereabouts, YesOrNo
from grammar.nouns import NOUNS as ALL_NOUNS
from grammar.sample_sentences import SentenceSampler
from grammar.sentences import Existence, Identification, Style, render
from grammar.syntax import Coordination, NounPhrase, Place, Pronoun
from grammar.verb_group import VerbGroup
from grammar.verbs import VERBS, verb
from grammar.vocabulary import digits, english_words, french_words, sorted_vocabulary
from split import (
    canonical,
    everyday,
    heldout_pairs,
    heldout_sentences,
    pair_held_out,
    sentence_held_out,
)
from split import training_texts
from tokenizer import EOS, UNK, Tokenizer


def sample(seed: int, count: int) -> list:
    return list(islice(SentenceSampler(seed).texts(), count))


def translation(sentence) -> str:
    return render(sentence).french_text


class WatchItLearn(unittest.TestCase):
    def test_sentences_are_the_grammars(self):
        """The pairs that the page's small model learns, and those that are kept apart."""
        pairs = {
            (text.english, text.french_text)
            for noun in ("cat", "dog", "mouse", "cow", "bird")
            for colour in ("black", "white", "green")
            for state in ("tired", "small", "old", "happy", "beautiful")
            for text in [render(Clause(the(noun, colour), Copula(ADJECTIVES[state], PRESENT)))]
        }
        folder = Path(__file__).parents[2] / "web/src/views/learn"
        stored = json.loads((folder / "sentences.json").read_text())
        all_stored = [tuple(pair) for pair in stored["learned"] + stored["kept"]]
        self.assertEqual(len(stored["learned"]), 20)
        self.assertEqual(sorted(all_stored), sorted(pairs))


class Conjugation(unittest.TestCase):
    def test_present(self):
        expected = {
            "aller": "vais vas va allons vont",
            "manger": "mange manges mange mangeons mangent",
            "lancer": "lance lances lance lançons lancent",
            "acheter": "achète achètes achète achetons achètent",
            "appeler": "appelle appelles appelle appelons appellent",
            "préférer": "préfère préfères préfère préférons préfèrent",
            "nettoyer": "nettoie nettoies nettoie nettoyons nettoient",
            "choisir": "choisis choisis choisit choisissons choisissent",
            "attendre": "attends attends attend attendons attendent",
            "prendre": "prends prends prend prenons prennent",
        }
        for infinitive, forms in expected.items():
            self.assertEqual(french.present(infinitive), forms.split(), infinitive)

    def test_imparfait(self):
        expected = {
            "être": "étais étais était étions étaient",
            "manger": "mangeais mangeais mangeait mangions mangeaient",
            "lancer": "lançais lançais lançait lancions lançaient",
            "choisir": "choisissais choisissais choisissait choisissions choisissaient",
            "boire": "buvais buvais buvait buvions buvaient",
            "voir": "voyais voyais voyait voyions voyaient",
        }
        for infinitive, forms in expected.items():
            self.assertEqual(french.imparfait(infinitive), forms.split(), infinitive)

    def test_future(self):
        expected = {
            "avoir": "aurai auras aura aurons auront",
            "acheter": "achèterai achèteras achètera achèterons achèteront",
            "envoyer": "enverrai enverras enverra enverrons enverront",
            "préférer": "préférerai préféreras préférera préférerons préféreront",
            "vendre": "vendrai vendras vendra vendrons vendront",
            "venir": "viendrai viendras viendra viendrons viendront",
        }
        for infinitive, forms in expected.items():
            self.assertEqual(french.future(infinitive), forms.split(), infinitive)

    def test_participles(self):
        self.assertEqual(french.participle("prendre", True, True), "prises")
        self.assertEqual(french.participle("ouvrir", True, False), "ouverte")
        self.assertEqual(french.participle("mordre", False, True), "mordus")
        self.assertEqual(french.participle("choisir"), "choisi")

    def test_every_verb_has_all_its_forms(self):
        for v in VERBS:
            for conjugate in french.CONJUGATIONS.values():
                self.assertEqual(len(conjugate(v.french)), len(french.PERSONS), v.french)
            self.assertNotIn("", (v.past, v.participle, v.gerund))

    def test_english_forms(self):
        carry, stop, go = verb("carry", True), verb("stop"), verb("go")
        self.assertEqual(
            (carry.third_person, carry.past, carry.gerund), ("carries", "carried", "carrying")
        )
        self.assertEqual((stop.past, stop.gerund, go.third_person), ("stopped", "stopping", "goes"))
        self.assertEqual(english.plural("strawberry"), "strawberries")
        self.assertEqual((english.article("old"), english.article("useful")), ("an", "a"))


class Agreement(unittest.TestCase):
    def phrase(self, noun: str, *adjectives: str, determiner="the", plural=False) -> str:
        chosen = tuple(ADJECTIVES[word] for word in adjectives)
        phrase = NounPhrase(NOUNS[noun], determiner, plural, chosen)
        return render(phrase, Style(mark="")).french_text

    def test_adjectives(self):
        self.assertEqual(self.phrase("cat", "black"), "le chat noir")
        self.assertEqual(self.phrase("cow", "white", plural=True), "les vaches blanches")
        self.assertEqual(self.phrase("house", "big", "old"), "la grande vieille maison")
        self.assertEqual(self.phrase("shirt", "brown", plural=True), "les chemises marron")
        self.assertEqual(self.phrase("queen", "happy"), "la reine heureuse")

    def test_forms_before_a_vowel(self):
        self.assertEqual(self.phrase("man", "old"), "le vieil homme")
        self.assertEqual(self.phrase("bird", "beautiful", determiner="a"), "un bel oiseau")
        self.assertEqual(self.phrase("computer", "new", determiner="my"), "mon nouvel ordinateur")
        self.assertEqual(self.phrase("story", determiner="my"), "mon histoire")
        self.assertEqual(self.phrase("story", "long", determiner="my"), "ma longue histoire")
        self.assertEqual(self.phrase("animal", determiner="this"), "cet animal")
        self.assertEqual(self.phrase("owl"), "le hibou")

    def test_determiners(self):
        self.assertEqual(self.phrase("tree", determiner="some", plural=True), "des arbres")
        self.assertEqual(
            self.phrase("tree", "big", determiner="some", plural=True), "de grands arbres"
        )
        self.assertEqual(self.phrase("water", determiner="some"), "de l'eau")
        self.assertEqual(self.phrase("bread", determiner="some"), "du pain")
        self.assertEqual(self.phrase("egg", determiner="many", plural=True), "beaucoup d'œufs")
        self.assertEqual(
            self.phrase("girl", determiner="all the", plural=True), "toutes les filles"
        )

    def test_plurals(self):
        plurals = {noun.french: noun.french_plural for noun in ALL_NOUNS}
        for singular, plural in {
            "cheval": "chevaux",
            "oiseau": "oiseaux",
            "souris": "souris",
            "hibou": "hiboux",
            "hôpital": "hôpitaux",
            "grand-mère": "grands-mères",
        }.items():
            self.assertEqual(plurals[singular], plural)

    def test_mixed_subjects_are_masculine(self):
        couple = Coordination(the("cow"), the("horse"))
        ladies = Coordination(the("cow"), the("hen"))
        tired = Copula(ADJECTIVES["tired"], VerbGroup())
        self.assertEqual(translation(Clause(couple, tired)), "La vache et le cheval sont fatigués.")
        self.assertEqual(translation(Clause(ladies, tired)), "La vache et la poule sont fatiguées.")


class Syntax(unittest.TestCase):
    def test_elision_and_contraction(self):
        for words, spelled in {
            "de le chat": "du chat",
            "de le animal": "de l' animal",
            "à les enfants": "aux enfants",
            "à le hibou": "au hibou",
            "je ne ai pas": "je n' ai pas",
            "parce que il se est assis": "parce qu' il s' est assis",
            "près de un arbre": "près d' un arbre",
        }.items():
            self.assertEqual(" ".join(french.spell(words.split())), spelled)

    def test_required_sentences(self):
        for sentence, style, source, target in required():
            text = render(sentence, style)
            self.assertEqual((text.english, text.french_text), (source, target))

    def test_perfect_with_be_agrees_with_the_subject(self):
        left = Action(verb("leave"), VerbGroup("past"))
        self.assertEqual(
            translation(Clause(the("girl", plural=True), left)), "Les filles sont parties."
        )
        woke = Action(verb("wake", particle="up"), VerbGroup("past", "not"))
        self.assertEqual(
            translation(Clause(the("woman"), woke)), "La femme ne s'est pas réveillée."
        )

    def test_participle_agrees_with_an_object_before_it(self):
        eaten = ObjectRelative("that", the("mouse"), verb("eat", True), VerbGroup("past"))
        apple = NounPhrase(NOUNS["apple"], relative=eaten)
        text = render(apple, Style(mark=""))
        self.assertEqual(text.english, "the apple that the mouse ate")
        self.assertEqual(text.french_text, "la pomme que la souris a mangée")
        saw = Action(verb("see", True), VerbGroup("past"), Pronoun("she"))
        self.assertEqual(translation(Clause(Pronoun("i"), saw)), "Je l'ai vue.")

    def test_negation(self):
        has = Action(verb("have", True), VerbGroup("present", "not"), NounPhrase(NOUNS["dog"], "a"))
        self.assertEqual(translation(Clause(Pronoun("he"), has)), "Il n'a pas de chien.")
        identity = Identification(NounPhrase(NOUNS["dog"], "a"), "it", VerbGroup("present", "not"))
        self.assertEqual(translation(identity), "Ce n'est pas un chien.")
        place = Place("in", "dans", the("garden"))
        none = Existence(NounPhrase(NOUNS["tree"], "a"), VerbGroup("present", "not"), place)
        self.assertEqual(translation(none), "Il n'y a pas d'arbre dans le jardin.")

    def test_needs_and_infinitives(self):
        need = Action(verb("need", True), VerbGroup(), NounPhrase(NOUNS["water"], "some"))
        self.assertEqual(translation(Clause(Pronoun("i"), need)), "J'ai besoin d'eau.")
        see = Action(verb("see", True), VerbGroup("want to"), Pronoun("you"))
        self.assertEqual(translation(Clause(Pronoun("i"), see)), "Je veux te voir.")

    def test_contractions_of_english(self):
        hungry = Clause(Pronoun("i"), Copula("hungry", VerbGroup("present", "not")))
        self.assertEqual(render(hungry, Style(fold_be=True)).english, "I'm not hungry.")
        self.assertEqual(render(hungry, Style(fold_not=False)).english, "I am not hungry.")
        swim = Clause(Pronoun("we"), Action(verb("swim"), VerbGroup("can", "not")))
        self.assertEqual(render(swim).english, "We can't swim.")
        self.assertEqual(render(swim, Style(fold_not=False)).english, "We cannot swim.")


class Dialogue(unittest.TestCase):
    """Questions and orders."""

    you, he, i, it = Pronoun("you"), Pronoun("he"), Pronoun("i"), Pronoun("it")

    def check(self, sentence, source: str, target: str, mark: str = "?") -> None:
        text = render(sentence, Style(mark=mark))
        self.assertEqual((text.english, text.french_text), (source, target))

    def test_yes_or_no(self):
        knows = Action(verb("know"), VerbGroup())
        self.check(YesOrNo(Clause(self.he, knows)), "Does he know?", "Est-ce qu'il sait ?")
        swim = Action(verb("swim"), VerbGroup("can"))
        self.check(YesOrNo(Clause(self.you, swim)), "Can you swim?", "Est-ce que tu peux nager ?")
        sad = Copula(ADJECTIVES["sad"], VerbGroup())
        why = YesOrNo(Clause(self.you, sad), "why")
        self.check(why, "Why are you sad?", "Pourquoi est-ce que tu es triste ?")

    def test_what_and_how_many(self):
        eat, past = verb("eat", True), VerbGroup("past")
        what = ObjectQuestion("what", self.you, eat, past)
        self.check(what, "What did you eat?", "Qu'est-ce que tu as mangé ?")
        apples = NounPhrase(NOUNS["apple"], "how many", True)
        many = ObjectQuestion(apples, self.he, eat, past)
        self.check(
            many, "How many apples did he eat?", "Combien de pommes est-ce qu'il a mangées ?"
        )
        who = WhoDid(Action(eat, past, the("apple")))
        self.check(who, "Who ate the apple?", "Qui a mangé la pomme ?")

    def test_whereabouts(self):
        self.check(Whereabouts(self.he, VerbGroup()), "Where is he?", "Où est-il ?")
        keys = NounPhrase(NOUNS["key"], "my", True)
        self.check(Whereabouts(keys, VerbGroup()), "Where are my keys?", "Où sont mes clés ?")

    def test_orders(self):
        give = Action(verb("give", True), VerbGroup(), the("book"), self.i, shifted=True)
        self.check(Order(give), "Give me the book.", "Donne-moi le livre.", ".")
        sit = Action(verb("sit"), VerbGroup("present", "not"))
        self.check(Order(sit, "not"), "Don't sit.", "Ne t'assieds pas.", ".")
        self.check(Order(sit), "Sit.", "Assieds-toi.", ".")
        turn = Action(verb("turn", True, "off"), VerbGroup(), self.it)
        self.check(Order(turn), "Turn it off.", "Éteins-le.", ".")
        eat = Action(verb("eat"), VerbGroup())
        self.check(Order(eat, us=True), "Let's eat.", "Mangeons.", ".")
        brave = Copula(ADJECTIVES["brave"], VerbGroup())
        self.check(BeOrder(brave), "Be brave.", "Sois courageux.", ".")

    def test_object_pronouns(self):
        give, book = verb("give", True), the("book")
        gave = Action(give, VerbGroup("past"), book, Pronoun("she"), shifted=True)
        self.check(Clause(self.he, gave), "He gave her the book.", "Il lui a donné le livre.", ".")
        see = Action(verb("see", True), VerbGroup(), self.he)
        self.check(Clause(self.i, see), "I see him.", "Je le vois.", ".")
        answer = Action(verb("answer", True), VerbGroup(), the("question"))
        self.check(
            Clause(self.i, answer), "I answer the question.", "Je réponds à la question.", "."
        )

    def test_comparisons(self):
        def than(word: str, kind: str, other) -> Clause:
            return Clause(
                the("cat"), Copula(Comparison(ADJECTIVES[word], kind, other), VerbGroup())
            )

        dog = the("dog")
        for sentence, source, target in (
            (than("big", "more", dog), "bigger than the dog", "plus grand que le chien"),
            (than("good", "more", dog), "better than the dog", "meilleur que le chien"),
            (than("famous", "as", self.i), "as famous as me", "aussi célèbre que moi"),
            (than("old", "most", None), "the oldest", "le plus vieux"),
        ):
            self.check(sentence, f"The cat is {source}.", f"Le chat est {target}.", ".")


class Alignment(unittest.TestCase):
    def links(self, text) -> dict[str, str]:
        source = Tokenizer.build(sorted_vocabulary()).pieces(text.english)
        return {word: source[links[0]] for word, links in zip(text.french, text.links, strict=True)}

    def test_words_and_their_translations(self):
        sentence, style, *_ = required()[6]
        links = self.links(render(sentence, style))
        wide = {"traversé": "cross", "rue": "street", "pas": "n't", "elle": "it", "large": "wide"}
        self.assertEqual({word: links[word] for word in wide}, wide)

    def test_an_adjective_after_its_noun(self):
        links = self.links(render(the("cat", "black"), Style(mark="")))
        self.assertEqual(links, {"le": "the", "chat": "cat", "noir": "black"})

    def test_pronouns_and_their_antecedents(self):
        for number, noun in ((5, 1), (6, 6)):  # tired: the animal; wide: the street
            sentence, style, *_ = required()[number]
            self.assertEqual(render(sentence, style).references, {8: (noun,)})


class Corpus(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.texts = sample(5, 10_000)

    def test_no_word_outside_the_vocabulary(self):
        tokenizer = Tokenizer.build(sorted_vocabulary())
        both = digits() | {"<unk>"}
        sources, targets = english_words() | both, french_words() | both
        for text in self.texts:
            self.assertEqual(set(tokenizer.pieces(text.english)) - sources, set(), text.english)
            self.assertEqual(set(text.french) - targets, set(), text.french_text)

    def test_every_french_token_renders_an_english_one(self):
        tokenizer = Tokenizer.build(sorted_vocabulary())
        for text in self.texts:
            length = len(tokenizer.pieces(text.english))
            self.assertEqual(len(text.links), len(text.french), text.english)
            places = {place for links in text.links for place in links}
            self.assertLess(max(places), length, text.english)
            self.assertTrue(all(text.links), text.english)

    def test_numbers_and_unknown_words_are_aligned_with_themselves(self):
        tokenizer = Tokenizer.build(sorted_vocabulary())
        for text in self.texts:
            source = tokenizer.pieces(text.english)
            for word, links in zip(text.french, text.links, strict=True):
                if word == "<unk>" or word.lstrip("#").isdigit():
                    place = source[links[0]]  # 2.42 has "4" where 2,42 has "##4"
                    self.assertEqual(place.lstrip("#"), word.lstrip("#"), text.english)

    def test_there_is_every_construction(self):
        self.assertEqual(len({text.kind for text in self.texts}), 29)

    def test_recipients_come_in_both_orders_and_as_pronouns(self):
        joined = [(text.english.lower(), " ".join(text.french).lower()) for text in self.texts]
        verb = r"\b(give|gave|lend|lent|send|sent|shows?|showed)"
        for order, rendering in (
            (verb + r" (the|my|your|his|her|our) \w+ (an?|the|some|th[ie]se?) \w+", r"\b(aux?|à) "),
            (verb + r" (an?|the|some) \w+ to the ", r"\b(aux?|à) "),
            (verb + r" (him|her|them) (an?|the|some) ", r"\b(lui|leur) "),
        ):
            found = [french for english, french in joined if re.search(order, english)]
            self.assertGreater(len(found), 0, order)
            for french in found:
                self.assertRegex(french, rendering)

    def test_one_translation_for_a_sentence(self):
        translations = defaultdict(set)
        for text in self.texts:
            stopped = text.english[-1] in ".!?"
            french_text = text.french_text.rstrip(" .!")
            translations[canonical(text.english), stopped].add(french_text)
        self.assertEqual({k: v for k, v in translations.items() if len(v) > 1}, {})

    def test_joined_tokens_are_well_spelled(self):
        for text in self.texts:
            joined = text.french_text.replace("<unk>", "x")
            self.assertNotRegex(joined, r"\b(de le|de les|à le|à les) |  | [.,]|' ")
            self.assertNotRegex(
                joined, r"(?i)(?<!-)\b(je|me|te|se|ne|de|que|ce) (?!onze|oui)[aeiouéêœ](?!t\b)"
            )

    def test_sampling_is_seeded(self):
        self.assertEqual(sample(7, 50), sample(7, 50))
        self.assertNotEqual(sample(7, 50), sample(8, 50))


class Split(unittest.TestCase):
    def test_training_never_meets_the_test_sets(self):
        training = list(training_texts(3, 10_000))
        seen = {canonical(text.english) for text in training}
        sentences, pairs = heldout_sentences(4, 50), heldout_pairs(4, 50)
        self.assertFalse(any(sentence_held_out(text) for text in training))
        self.assertFalse(any(pair_held_out(pair) for text in training for pair in text.pairs))
        self.assertTrue(all(sentence_held_out(text) for text in sentences))
        self.assertTrue(all(any(map(pair_held_out, text.pairs)) for text in pairs))
        self.assertFalse(seen & {canonical(text.english) for text in sentences + pairs})

    def test_training_never_meets_the_everyday_sentences(self):
        self.assertEqual(len(everyday()), 150 + 171)
        seen = {canonical(text.english) for text in training_texts(5, 10_000)}
        self.assertFalse(seen & everyday())

    def test_spellings_of_a_sentence_are_held_out_together(self):
        self.assertEqual(canonical("It isn't big."), canonical("it's not big"))
        self.assertEqual(canonical("They can't swim."), canonical("They cannot swim"))
        self.assertEqual(canonical("He won't go."), canonical("he will not go"))


class Tokens(unittest.TestCase):
    def setUp(self):
        self.tokenizer = Tokenizer.build(sorted_vocabulary())

    def test_words_contractions_and_marks(self):
        self.assertEqual(
            self.tokenizer.split("I’m sure Paul's dog can't, didn't."),
            ["i", "'m", "sure", "paul", "'s", "dog", "ca", "n't", ",", "did", "n't", "."],
        )

    def test_numbers_are_cut_into_digits(self):
        ids = self.tokenizer.encode("in 1987")
        self.assertEqual([self.tokenizer.tokens[i] for i in ids[1:-1]], ["1", "##9", "##8", "##7"])
        self.assertEqual(self.tokenizer.decode(ids[1:]), "1987")
        self.assertEqual(self.tokenizer.encode("3rd")[0], UNK)

    def test_a_hyphen_joins(self):
        tokens = ("Donne", "-", "moi", "le", "livre", ".")
        ids = self.tokenizer.encode_target(tokens)
        self.assertEqual(self.tokenizer.decode(ids), "Donne-moi le livre.")

    def test_words_are_kept_as_they_were_typed(self):
        self.assertEqual(
            self.tokenizer.surface("Zorglub’s 12 DOGS can't."),
            ["Zorglub", "'s", "1", "2", "DOGS", "ca", "n't", "."],
        )

    def test_unknown_words_are_one_token(self):
        ids = self.tokenizer.encode("the zyzzyva slept")
        self.assertEqual((len(ids), ids[1], ids[-1]), (4, UNK, EOS))

    def test_decoding_gives_the_text_back(self):
        for text in sample(6, 1000):
            ids = self.tokenizer.encode_target(text.french)
            self.assertEqual(self.tokenizer.decode(ids), text.french_text)


if __name__ == "__main__":
    unittest.main()
