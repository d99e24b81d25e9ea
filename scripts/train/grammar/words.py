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
# What belongs to a subject.
OWNING = {"i": "my", "you": "your", "he": "his", "she": "her", "it": "its"}
OWNING |= {"we": "our", "they": "their"}
NUMERALS = {
    "two": "deux",
    "three": "trois",
    "four": "quatre",
    "five": "cinq",
    "six": "six",
    "seven": "sept",
    "eight": "huit",
    "nine": "neuf",
    "ten": "dix",
    "eleven": "onze",
    "twelve": "douze",
    "thirteen": "treize",
    "fourteen": "quatorze",
    "fifteen": "quinze",
    "sixteen": "seize",
    "twenty": "vingt",
    "thirty": "trente",
    "forty": "quarante",
    "fifty": "cinquante",
}
WEEKDAYS = {
    "monday": "lundi",
    "tuesday": "mardi",
    "wednesday": "mercredi",
    "thursday": "jeudi",
    "friday": "vendredi",
    "saturday": "samedi",
    "sunday": "dimanche",
}
MONTHS = {
    "january": "janvier",
    "february": "février",
    "march": "mars",
    "april": "avril",
    "may": "mai",
    "june": "juin",
    "july": "juillet",
    "august": "août",
    "september": "septembre",
    "october": "octobre",
    "november": "novembre",
    "december": "décembre",
}
LANGUAGES = {
    "english": "anglais",
    "french": "français",
    "german": "allemand",
    "italian": "italien",
    "spanish": "espagnol",
}
COLOURS = {"black": "noir", "blue": "bleu", "brown": "marron", "green": "vert", "red": "rouge"}
COLOURS |= {"white": "blanc", "yellow": "jaune", "pink": "rose", "gray": "gris"}

DEGREES = {"very": "très", "too": "trop", "so": "si", "really": "vraiment"}
FREQUENCIES = {"always": "toujours", "often": "souvent", "sometimes": "parfois"}
FREQUENCIES |= {"usually": "généralement", "rarely": "rarement", "also": "aussi", "already": "déjà"}
MANNERS = {
    "slowly": "lentement",
    "quickly": "rapidement",
    "quietly": "tranquillement",
    "well": "bien",
    "a lot": "beaucoup",
    "together": "ensemble",
    "fast": "vite",
    "late": "tard",
    "early": "tôt",
    "too much": "trop",
}

QUANTITIES = {
    "many": "beaucoup",
    "a lot of": "beaucoup",
    "more": "plus",
    "too many": "trop",
    "too much": "trop",
    "enough": "assez",
    "how many": "combien",
    "how much": "combien",
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
ADVERBIAL_PLACES |= {"inside": "à le intérieur", "upstairs": "en haut", "in bed": "au lit"}
ADVERBIAL_PLACES |= {"near here": "près de ici"}

TIMES = {
    "past": {
        "yesterday": "hier",
        "last night": "hier soir",
        "this morning": "ce matin",
        "last week": "la semaine dernière",
        "last year": "la année dernière",
        "last month": "le mois dernier",
        "a week ago": "il y a une semaine",
        "two days ago": "il y a deux jours",
        "an hour ago": "il y a une heure",
        "last summer": "le été dernier",
    },
    "present": {
        "every day": "tous les jours",
        "today": "aujourd'hui",
        "in the morning": "le matin",
        "in the evening": "le soir",
        "in the afternoon": "le après-midi",
        "at night": "la nuit",
        "every morning": "tous les matins",
        "every evening": "tous les soirs",
        "every week": "toutes les semaines",
        "all the time": "tout le temps",
    },
    "progressive": {"now": "maintenant", "today": "aujourd'hui"},
    "future": {
        "tomorrow": "demain",
        "tonight": "ce soir",
        "next week": "la semaine prochaine",
        "soon": "bientôt",
        "later": "plus tard",
        "next year": "la année prochaine",
        "next month": "le mois prochain",
        "this evening": "ce soir",
        "this afternoon": "cet après-midi",
        "tomorrow morning": "demain matin",
        "this weekend": "ce week-end",
    },
}

SEASONS = {"in the summer": "en été", "in the winter": "en hiver", "in the spring": "au printemps"}
for _tense in ("past", "present", "future"):
    TIMES[_tense] |= SEASONS
    TIMES[_tense] |= {f"on {day}": jour for day, jour in WEEKDAYS.items()}
    if _tense == "present":
        TIMES[_tense] |= {f"on {day}s": f"le {jour}" for day, jour in WEEKDAYS.items()}
    TIMES[_tense] |= {f"in {month}": f"en {mois}" for month, mois in MONTHS.items()}

OWNED = {"mine": "à moi", "yours": "à toi", "his": "à lui", "hers": "à elle", "ours": "à nous"}

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
    "it is late": "il est tard",
    "it was late": "il était tard",
    "it is early": "il est tôt",
    "it will snow": "il va neiger",
    "it will be sunny": "il fera beau",
    "it will be cold": "il fera froid",
    "it is windy": "il y a du vent",
    "it is warm": "il fait chaud",
}
CONJUNCTIONS = {
    "and": "et",
    "but": "mais",
    "so": "donc",
    "when": "quand",
    "while": "pendant que",
    "because": "parce que",
    "or": "ou",
    "if": "si",
}

DEGREES |= {"a little": "un peu", "quite": "assez"}

# After "if": what may come, and what is only supposed.
SUPPOSED_WEATHER = {
    True: {
        "it rains": "il pleut",
        "it snows": "il neige",
        "it is cold": "il fait froid",
        "it is hot": "il fait chaud",
        "it is sunny": "il fait beau",
    },
    False: {
        "it rained": "il pleuvait",
        "it snowed": "il neigeait",
        "it was hot": "il faisait chaud",
    },
}
# What a superlative is taken from.
SCOPES = {
    "in the world": "de le monde",
    "in the class": "de la classe",
    "in the family": "de la famille",
    "of the family": "de la famille",
    "in the team": "de la équipe",
    "of the year": "de la année",
    "of my life": "de ma vie",
    "of his life": "de sa vie",
    "of your life": "de ta vie",
    "of all": "de tous",
}
# How long, or since when, something has been true: "I have lived here for two years" -> "depuis deux ans".
DURATIONS = {
    "since yesterday": "depuis hier",
    "since this morning": "depuis ce matin",
    "for a long time": "depuis longtemps",
}
DURATIONS |= {f"since {day}": f"depuis {jour}" for day, jour in WEEKDAYS.items()}
DURATIONS |= {f"since {month}": f"depuis {mois}" for month, mois in MONTHS.items()}
UNITS = {"years": "ans", "days": "jours", "weeks": "semaines", "months": "mois"}
for _count, _nombre in list(NUMERALS.items())[:11]:
    for _unit, _unité in UNITS.items():
        DURATIONS[f"for {_count} {_unit}"] = f"depuis {_nombre} {_unité}"
