"""French morphology: agreement, conjugation, elision and contraction."""

VOWELS = set("aàâeéèêëiîïoôuûœh")
ASPIRATED = {"hibou", "hiboux"}
PERSONS = ("je", "tu", "il", "nous", "ils")  # the rows of every conjugation
REFLEXIVES = ("me", "te", "se", "nous", "se")
ELIDED = {"le": "l'", "la": "l'", "de": "d'", "ne": "n'", "je": "j'", "me": "m'", "te": "t'"}
ELIDED |= {"se": "s'", "que": "qu'", "ce": "c'"}
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
    "voir": ("vois vois voit voyons voient", "vu", "verr"),
    "vouloir": ("veux veux veut voulons veulent", "voulu", "voudr"),
}
# Verbs in -er whose stem changes before a silent ending; the flag: in the future as well.
STEM_CHANGES = {
    "acheter": ("achèt", True),
    "appeler": ("appell", True),
    "envoyer": ("envoi", False),
    "nettoyer": ("nettoi", True),
    "préférer": ("préfèr", False),
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
    word = feminine(word.replace("û", "u")) if feminine_ else word
    return plural(word) if plural_ else word


CONJUGATIONS = {"present": present, "imparfait": imparfait, "future": future}


def spell(words: list[str]) -> list[str]:
    """Elides and contracts: "de le animal" to "de l' animal", "de le chat" to "du chat"."""
    out: list[str] = []
    for word in reversed(words):
        if out and word in ELIDED and starts_with_vowel(out[0]):
            out.insert(0, ELIDED[word])
        elif out and (word, out[0]) in CONTRACTED:
            out[0] = CONTRACTED[word, out[0]]
        else:
            out.insert(0, word)
    return out


def join(words: list[str]) -> str:
    """Words to text: no space after an apostrophe, nor before a full stop or a comma."""
    return " ".join(words).replace("' ", "'").replace(" .", ".").replace(" ,", ",")
