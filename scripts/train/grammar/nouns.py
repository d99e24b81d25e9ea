"""Nouns: English and French forms, gender and semantic classes.

One noun a line under the heading of its class: ``english[/plural] french[/plural] gender``
and any further classes. Plurals not given follow the rules of the language. ``mass`` nouns have
no plural; ``massplural`` nouns are singular in English and plural in French (sushi -> les sushis).
"""

from dataclasses import dataclass

from .english import plural as english_plural
from .french import plural as french_plural

TABLE = """
[animal]
animal animal m
bear ours m
bird oiseau m
butterfly papillon m
cat chat m
cow vache f
dog chien m
donkey âne m
duck canard m
elephant éléphant m
fox renard m
frog grenouille f
giraffe girafe f
hen poule f
horse cheval m
kitten chaton m
lion lion m
monkey singe m
mouse/mice souris f
owl hibou/hiboux m
pig cochon m
puppy chiot m
rabbit lapin m
snake serpent m
spider araignée f
tiger tigre m
turtle tortue f
wolf/wolves loup m

[person]
aunt tante f family
baby bébé m
boy garçon m
brother frère m family
child/children enfant m
daughter fille f family
father père m family
friend ami m family
girl fille f
grandfather grand-père/grands-pères m family
grandmother grand-mère/grands-mères f family
king roi m
man/men homme m
mother mère f family
neighbor voisin m family
prince prince m
princess princesse f
queen reine f
sister sœur f family
son fils m family
uncle oncle m family
woman/women femme f

[person job]
artist artiste m
baker boulanger m
doctor médecin m
farmer fermier m
nurse infirmière f
singer chanteur m
student étudiant m
teacher professeur m

[thing food]
apple pomme f fruit
banana banane f fruit
cake gâteau m
carrot carotte f fruit
cookie biscuit m
egg œuf m
lemon citron m fruit
orange orange f fruit
sandwich sandwich m
strawberry fraise f fruit
tomato/tomatoes tomate f fruit

[thing food mass]
bread pain m
butter beurre m
cheese fromage m
chocolate chocolat m
fish poisson m
honey miel m
meat viande f
pasta pâtes f massplural
pizza pizza f
rice riz m
salad salade f
soup soupe f
sushi sushis m massplural

[thing drink mass]
coffee café m
milk lait m
tea thé m
water eau f
wine vin m

[thing idea mass]
music musique f listen
snow neige f

[thing path]
bridge pont m built
field champ m
lake lac m
park parc m place
path chemin m
river rivière f
road route f
street rue f

[thing place]
bank banque f built
bedroom chambre f
castle château m built
church église f built
city ville f
farm ferme f
forest forêt f
garden jardin m
hospital hôpital m built
hotel hôtel m built
house maison f built
kitchen cuisine f
library bibliothèque f built
market marché m
museum musée m built
office bureau m
restaurant restaurant m built
school école f built
shop magasin m built
station gare f built
village village m

[thing ground]
beach plage f
island île f
mountain montagne f

[thing support]
bed lit m object
bench banc m object
chair chaise f object
floor sol m
mat tapis m object
roof toit m
sofa canapé m object
table table f object
wall mur m

[thing object]
bag sac m container
ball balle f
book livre m text
bottle bouteille f container
box boîte f container
clock horloge f
coat manteau m clothing
computer ordinateur m
cup tasse f
door porte f openable
dress robe f clothing
flower fleur f plant
gift cadeau m
glass verre m
guitar guitare f
hat chapeau m clothing
key clé f
knife/knives couteau m
lamp lampe f
letter lettre f text
mirror miroir m
newspaper journal m text
phone téléphone m
photo photo f
picture tableau m
plate assiette f
ring bague f
shirt chemise f clothing
shoe chaussure f clothing
suitcase valise f container
toy jouet m
tree arbre m plant
trophy trophée m
umbrella parapluie m
window fenêtre f openable

[thing story]
movie film m watch
song chanson f listen
story histoire f text

[thing vehicle object]
bicycle vélo m
boat bateau m
bus bus m
car voiture f
plane avion m
train train m
truck camion m
"""

# English name, French name, gender.
NAMES = """
Alice Alice f
Anna Anna f
John Jean m
Julia Julie f
Louis Louis m
Mary Marie f
Paul Paul m
Peter Pierre m
"""

# Where "in" and "to" are one French preposition without an article.
CITIES = {"Paris": "Paris", "London": "Londres", "Lyon": "Lyon", "Rome": "Rome"}
COUNTRIES = {"France": "France", "Italy": "Italie", "Spain": "Espagne", "England": "Angleterre"}

# The feminine of the jobs, for "she is a baker"; an equal form is left out.
FEMININE_JOBS = {
    "boulanger": "boulangère",
    "fermier": "fermière",
    "chanteur": "chanteuse",
    "étudiant": "étudiante",
    "professeur": "professeure",
}
MASCULINE_JOBS = {"infirmière": "infirmier"}


@dataclass(frozen=True)
class Noun:
    english: str
    english_plural: str
    french: str
    french_plural: str
    feminine: bool
    classes: frozenset[str]


def _parse(table: str) -> list[Noun]:
    nouns, heading = [], []
    for line in filter(None, table.splitlines()):
        if line.startswith("["):
            heading = line.strip("[]").split()
            continue
        english, french, gender, *classes = line.split()
        english, _, englishes = english.partition("/")
        french, _, frenches = french.partition("/")
        nouns.append(
            Noun(
                english,
                englishes or english_plural(english),
                french,
                frenches or french_plural(french),
                gender == "f",
                frozenset(heading + classes),
            )
        )
    return nouns


NOUNS = _parse(TABLE)
PROPER_NAMES = _parse("[person name]" + NAMES)
BY_ENGLISH = {noun.english: noun for noun in NOUNS + PROPER_NAMES}

# A word the model has never met keeps its place and counts as masculine singular.
UNKNOWN = Noun("<unk>", "<unk>", "<unk>", "<unk>", False, frozenset(["animal", "thing", "object"]))
UNKNOWN_NAME = Noun("<unk>", "<unk>", "<unk>", "<unk>", False, frozenset(["person", "name"]))
