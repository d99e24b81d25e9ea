"""French morphology: agreement, conjugation, elision and contraction."""

from .aligned import Word, like, word_with

VOWELS = set("aàâeéèêëiîïoôuûœh")
ASPIRATED = {
    "oui",
    "hibou",
    "hiboux",
    "huit",
    "héros",
    "onze",
    "haut",
    "haute",
    "hauts",
    "hautes",
    "honte",
}
PERSONS = ("je", "tu", "il", "nous", "ils")  # the rows of every conjugation
REFLEXIVES = ("me", "te", "se", "nous", "se")
ELIDED = {"le": "l'", "la": "l'", "de": "d'", "ne": "n'", "je": "j'", "me": "m'", "te": "t'"}
ELIDED |= {"se": "s'", "que": "qu'", "ce": "c'", "lorsque": "lorsqu'"}
CONTRACTED = {("de", "le"): "du", ("de", "les"): "des", ("à", "le"): "au", ("à", "les"): "aux"}

# Present of je, tu, il, nous, ils; past participle; future stem where it is irregular.
IRREGULAR = {
    "aller": ("vais vas va allons vont", "allé", "ir"),
    "asseoir": ("assieds assieds assied asseyons asseyent", "assis", "assiér"),
    "avoir": ("ai as a avons ont", "eu", "aur"),
    "boire": ("bois bois boit buvons boivent", "bu", ""),
    "comprendre": ("comprends comprends comprend comprenons comprennent", "compris", ""),
    "conduire": ("conduis conduis conduit conduisons conduisent", "conduit", ""),
    "connaître": ("connais connais connaît connaissons connaissent", "connu", ""),
    "construire": ("construis construis construit construisons construisent", "construit", ""),
    "courir": ("cours cours court courons courent", "couru", "courr"),
    "devenir": ("deviens deviens devient devenons deviennent", "devenu", "deviendr"),
    "devoir": ("dois dois doit devons doivent", "dû", "devr"),
    "dormir": ("dors dors dort dormons dorment", "dormi", ""),
    "écrire": ("écris écris écrit écrivons écrivent", "écrit", ""),
    "être": ("suis es est sommes sont", "été", "ser"),
    "faire": ("fais fais fait faisons font", "fait", "fer"),
    "lire": ("lis lis lit lisons lisent", "lu", ""),
    "ouvrir": ("ouvre ouvres ouvre ouvrons ouvrent", "ouvert", ""),
    "partir": ("pars pars part partons partent", "parti", ""),
    "pouvoir": ("peux peux peut pouvons peuvent", "pu", "pourr"),
    "poursuivre": ("poursuis poursuis poursuit poursuivons poursuivent", "poursuivi", ""),
    "prendre": ("prends prends prend prenons prennent", "pris", ""),
    "rire": ("ris ris rit rions rient", "ri", ""),
    "revenir": ("reviens reviens revient revenons reviennent", "revenu", "reviendr"),
    "sourire": ("souris souris sourit sourions sourient", "souri", ""),
    "suivre": ("suis suis suit suivons suivent", "suivi", ""),
    "venir": ("viens viens vient venons viennent", "venu", "viendr"),
    "vivre": ("vis vis vit vivons vivent", "vécu", ""),
    "apprendre": ("apprends apprends apprend apprenons apprennent", "appris", ""),
    "croire": ("crois crois croit croyons croient", "cru", ""),
    "cueillir": ("cueille cueilles cueille cueillons cueillent", "cueilli", "cueiller"),
    "dire": ("dis dis dit disons disent", "dit", ""),
    "endormir": ("endors endors endort endormons endorment", "endormi", ""),
    "éteindre": ("éteins éteins éteint éteignons éteignent", "éteint", ""),
    "mentir": ("mens mens ment mentons mentent", "menti", ""),
    "mettre": ("mets mets met mettons mettent", "mis", ""),
    "mourir": ("meurs meurs meurt mourons meurent", "mort", "mourr"),
    "offrir": ("offre offres offre offrons offrent", "offert", ""),
    "peindre": ("peins peins peint peignons peignent", "peint", ""),
    "plaindre": ("plains plains plaint plaignons plaignent", "plaint", ""),
    "recevoir": ("reçois reçois reçoit recevons reçoivent", "reçu", "recevr"),
    "savoir": ("sais sais sait savons savent", "su", "saur"),
    "sentir": ("sens sens sent sentons sentent", "senti", ""),
    "servir": ("sers sers sert servons servent", "servi", ""),
    "sortir": ("sors sors sort sortons sortent", "sorti", ""),
    "souvenir": ("souviens souviens souvient souvenons souviennent", "souvenu", "souviendr"),
    "tenir": ("tiens tiens tient tenons tiennent", "tenu", "tiendr"),
    "traduire": ("traduis traduis traduit traduisons traduisent", "traduit", ""),
    "voir": ("vois vois voit voyons voient", "vu", "verr"),
    "vouloir": ("veux veux veut voulons veulent", "voulu", "voudr"),
}
# Verbs in -er whose stem changes before a silent ending; the flag: in the future as well.
STEM_CHANGES = {
    "acheter": ("achèt", True),
    "appeler": ("appell", True),
    "envoyer": ("envoi", False),
    "aboyer": ("aboi", True),
    "nettoyer": ("nettoi", True),
    "préférer": ("préfèr", False),
    "espérer": ("espèr", False),
    "posséder": ("possèd", False),
    "protéger": ("protèg", False),
    "répéter": ("répèt", False),
    "jeter": ("jett", True),
    "lever": ("lèv", True),
    "soulever": ("soulèv", True),
    "promener": ("promèn", True),
    "peser": ("pès", True),
    "payer": ("pai", True),
    "essayer": ("essai", True),
    "ennuyer": ("ennui", True),
}
IMPARFAIT = ("ais", "ais", "ait", "ions", "aient")
FUTURE = ("ai", "as", "a", "ons", "ont")


def starts_with_vowel(word: str) -> bool:
    return word[0].lower() in VOWELS and word not in ASPIRATED


def plural(word: str) -> str:
    if word.endswith(("s", "x", "z")) or word == "<unk>":
        return word
    if word.endswith("al"):
        return word[:-1] + "ux"
    return word + ("x" if word.endswith(("au", "eu")) and word != "bleu" else "s")


def feminine(word: str) -> str:
    return word if word.endswith("e") or word == "<unk>" else word + "e"


def present(infinitive: str) -> list[str]:
    """The present of je, tu, il, nous and ils."""
    if infinitive in IRREGULAR:
        return IRREGULAR[infinitive][0].split()
    stem = infinitive[:-2]
    if infinitive.endswith("ir"):
        return [stem + ending for ending in ("is", "is", "it", "issons", "issent")]
    if infinitive.endswith("re"):
        return [stem + ending for ending in ("s", "s", "", "ons", "ent")]
    strong = STEM_CHANGES.get(infinitive, (stem,))[0]
    soft = {"g": stem + "e", "c": stem[:-1] + "ç"}.get(stem[-1], stem)
    return [strong + "e", strong + "es", strong + "e", soft + "ons", strong + "ent"]


def imparfait(infinitive: str) -> list[str]:
    stem = "ét" if infinitive == "être" else present(infinitive)[3].removesuffix("ons")
    hard = infinitive[:-2] if infinitive.endswith(("ger", "cer")) else stem
    return [(hard if ending == "ions" else stem) + ending for ending in IMPARFAIT]


def future(infinitive: str) -> list[str]:
    stem = infinitive.removesuffix("e")
    if infinitive in IRREGULAR:
        stem = IRREGULAR[infinitive][2] or stem
    elif infinitive == "envoyer":
        stem = "enverr"
    elif STEM_CHANGES.get(infinitive, ("", False))[1]:
        stem = STEM_CHANGES[infinitive][0] + "er"
    return [stem + ending for ending in FUTURE]


def participle(infinitive: str, feminine_: bool = False, plural_: bool = False) -> str:
    if infinitive in IRREGULAR:
        word = IRREGULAR[infinitive][1]
    else:
        word = infinitive[:-2] + {"er": "é", "ir": "i", "re": "u"}[infinitive[-2:]]
    word = word.replace("û", "u") if feminine_ or plural_ else word
    word = feminine(word) if feminine_ else word
    return plural(word) if plural_ else word


def conditional(infinitive: str) -> list[str]:
    return [
        form.removesuffix("ai") + ending for form in future(infinitive)[:1] for ending in IMPARFAIT
    ]


def imperative(infinitive: str, nous: bool = False) -> str:
    """The imperative of tu, or of nous."""
    if infinitive in ("être", "avoir", "savoir"):
        return {"être": "sois soyons", "avoir": "aie ayons", "savoir": "sache sachons"}[
            infinitive
        ].split()[nous]
    if nous:
        return present(infinitive)[3]
    you = present(infinitive)[1]
    return you[:-1] if you.endswith("es") or infinitive == "aller" else you


CONJUGATIONS = {
    "present": present,
    "imparfait": imparfait,
    "future": future,
    "conditional": conditional,
}


def spell(words: list[str]) -> list[str]:
    """Elides and contracts: "de le animal" to "de l' animal", "de le chat" to "du chat"."""
    out: list[str] = []
    for word in reversed(words):
        if out and word in ELIDED and (starts_with_vowel(out[0]) or out[0] == "y"):
            out.insert(0, like(ELIDED[word], word))
        elif word == "si" and out and out[0] in ("il", "ils"):
            out.insert(0, like("s'", word))
        elif out and (word, out[0]) in CONTRACTED:
            out[0] = _merged(word, out[0])
        else:
            out.insert(0, word)
    return out


def _merged(first: str, second: str) -> str:
    """ "à" and "le" in one word, with the roles of both."""
    roles = tuple(role for word in (first, second) for role in getattr(word, "roles", ()))
    merged = CONTRACTED[first, second]
    return word_with(merged, roles) if isinstance(first, Word) or roles else merged


def join(words: list[str]) -> str:
    """Words to text: no space after an apostrophe, before a full stop or a comma, nor at a hyphen."""
    text = " ".join(words).replace(" ##", "").replace("' ", "'").replace(" - ", "-")
    return text.replace(" .", ".").replace(" ,", ",")
