"""Closed classes: pronouns, prepositions, adverbs, time phrases and whole fixed phrases."""

# Index of the person, as in french.PERSONS: je, tu, il, nous, ils.
BE_PRESENT = ("am", "are", "is", "are", "are")
BE_PAST = ("was", "were", "was", "were", "were")

# English subject: English object, person, feminine, French subject, French clitic.
PRONOUNS = {
    "i": ("me", 0, False, "je", "me"),
    "you": ("you", 1, False, "tu", "te"),
    "he": ("him", 2, False, "il", "le"),
    "she": ("her", 2, True, "elle", "la"),
    "it": ("it", 2, False, "il", "le"),
    "we": ("us", 3, False, "nous", "nous"),
    "they": ("them", 4, False, "ils", "les"),
}

# Masculine, feminine, plural.
POSSESSIVES = {
    "my": ("mon", "ma", "mes"),
    "your": ("ton", "ta", "tes"),
    "his": ("son", "sa", "ses"),
    "her": ("son", "sa", "ses"),
    "its": ("son", "sa", "ses"),
    "our": ("notre", "notre", "nos"),
    "their": ("leur", "leur", "leurs"),
}
NUMERALS = {"two": "deux", "three": "trois", "four": "quatre", "five": "cinq", "ten": "dix"}

DEGREES = {"very": "très", "too": "trop", "so": "si", "really": "vraiment"}
FREQUENCIES = {"always": "toujours", "often": "souvent", "sometimes": "parfois"}
MANNERS = {
    "slowly": "lentement",
    "quickly": "rapidement",
    "quietly": "tranquillement",
}

# Preposition: French words, classes of the nouns it goes with.
PLACES = {
    "in": ("dans", "place street river lake field car bus train boat container"),
    "on": ("sur", "support ground bridge road path street roof bus train boat"),
    "at": ("à", "place"),
    "under": ("sous", "support tree bridge"),
    "behind": ("derrière", "place support object vehicle"),
    "near": ("près de", "place ground path support object tree"),
    "next to": ("à côté de", "place support object vehicle animal person"),
    "in front of": ("devant", "place support object vehicle person"),
}
# Where French sees an inside: "on the bus" -> "dans le bus".
INSIDES = {"street", "bus", "train"}
# Prepositions inside a noun phrase or after an action.
COMPANIONS = {"with": ("avec", "animate object"), "without": ("sans", "animate object")}
BENEFICIARIES = {"for": ("pour", "animate")}
ADVERBIAL_PLACES = {"here": "ici", "there": "là", "at home": "à la maison", "outside": "dehors"}

TIMES = {
    "past": {
        "yesterday": "hier",
        "last night": "hier soir",
        "this morning": "ce matin",
        "last week": "la semaine dernière",
    },
    "present": {
        "every day": "tous les jours",
        "today": "aujourd'hui",
        "in the morning": "le matin",
    },
    "progressive": {"now": "maintenant", "today": "aujourd'hui"},
    "future": {
        "tomorrow": "demain",
        "tonight": "ce soir",
        "next week": "la semaine prochaine",
        "soon": "bientôt",
    },
}

# "It" that stands for nothing.
WEATHER = {
    "it is raining": "il pleut",
    "it was raining": "il pleuvait",
    "it will rain": "il va pleuvoir",
    "it is snowing": "il neige",
    "it was snowing": "il neigeait",
    "it is cold": "il fait froid",
    "it was cold": "il faisait froid",
    "it is hot": "il fait chaud",
    "it was hot": "il faisait chaud",
    "it is dark": "il fait nuit",
    "it was dark": "il faisait nuit",
    "it is sunny": "il fait beau",
    "it was sunny": "il faisait beau",
}
CONJUNCTIONS = {
    "and": "et",
    "but": "mais",
    "so": "donc",
    "when": "quand",
    "while": "pendant que",
    "because": "parce que",
}

# Said as they are; the final mark is optional in the English where it is a full stop.
PHRASES = """
Thank you. | Merci.
Thank you very much. | Merci beaucoup.
Thanks. | Merci.
Many thanks. | Merci beaucoup.
Hello. | Bonjour.
Hi. | Salut.
Good morning. | Bonjour.
Good evening. | Bonsoir.
Good night. | Bonne nuit.
Goodbye. | Au revoir.
See you soon. | À bientôt.
See you tomorrow. | À demain.
Yes. | Oui.
No. | Non.
Yes, thank you. | Oui, merci.
No, thank you. | Non, merci.
Please. | S'il te plaît.
Excuse me. | Excuse-moi.
I am sorry. | Je suis désolé.
You are welcome. | De rien.
Of course. | Bien sûr.
Good luck. | Bonne chance.
Happy birthday. | Joyeux anniversaire.
Congratulations. | Félicitations.
I do not know. | Je ne sais pas.
I know. | Je sais.
I do not understand. | Je ne comprends pas.
I understand. | Je comprends.
I love you. | Je t'aime.
I agree. | Je suis d'accord.
I speak English. | Je parle anglais.
I speak French. | Je parle français.
I do not speak French. | Je ne parle pas français.
I do not speak English. | Je ne parle pas anglais.
I am fine. | Je vais bien.
I am well. | Je vais bien.
I am fine, thank you. | Je vais bien, merci.
It is late. | Il est tard.
Hello, world. | Bonjour, le monde.
The world is small. | Le monde est petit.
I would like a coffee. | Je voudrais un café.
I would like some water. | Je voudrais de l'eau.
How are you? | Comment vas-tu ?
My name is Alice. | Je m'appelle Alice.
My name is Anna. | Je m'appelle Anna.
My name is John. | Je m'appelle Jean.
My name is Julia. | Je m'appelle Julie.
My name is Louis. | Je m'appelle Louis.
My name is Mary. | Je m'appelle Marie.
My name is Paul. | Je m'appelle Paul.
My name is Peter. | Je m'appelle Pierre.
My name is <unk>. | Je m'appelle <unk>.
"""
