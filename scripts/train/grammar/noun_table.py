"""The nouns: English and French forms, gender and semantic classes.

One noun a line under the heading of its class: ``english[/plural] french[/plural] gender``
and any further classes. Plurals not given follow the rules of the language. ``mass`` nouns have
no plural; ``massplural`` nouns are singular in English and plural in French (sushi -> les sushis).
"""

TABLE = """
[animal]
ant fourmi f
bee abeille f
camel chameau m
dolphin dauphin m
goat chèvre f
parrot perroquet m
shark requin m
sheep/sheep mouton m
squirrel écureuil m
whale baleine f
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
boss patron m kin
colleague collègue m kin
cousin cousin m kin
dad papa m kin
girlfriend copine f kin
grandma mamie f kin
grandpa papy m kin
guest invité m
hero/heroes héros m
husband mari m kin
kid enfant m
lady dame f
mom maman f kin
nephew neveu m kin
niece nièce f kin
parent parent m kin
president président m
thief/thieves voleur m
tourist touriste m
visitor visiteur m
wife/wives femme f kin
aunt tante f kin
baby bébé m
boy garçon m
brother frère m kin
child/children enfant m
daughter fille f kin
father père m kin
friend ami m kin
girl fille f
grandfather grand-père/grands-pères m kin
grandmother grand-mère/grands-mères f kin
king roi m
man/men homme m
mother mère f kin
neighbor voisin m kin
neighbour voisin m kin
prince prince m
princess princesse f
queen reine f
sister sœur f kin
son fils m kin
uncle oncle m kin
woman/women femme f

[person job]
actor acteur m
actress actrice f
butcher boucher m
dentist dentiste m
driver chauffeur m
engineer ingénieur m
journalist journaliste m
lawyer avocat m
musician musicien m
painter peintre m
pilot pilote m
policeman/policemen policier m
scientist scientifique m
secretary secrétaire m
soldier soldat m
waiter serveur m
waitress serveuse f
writer écrivain m
artist artiste m
baker boulanger m
doctor médecin m
farmer fermier m
nurse infirmière f
singer chanteur m
student étudiant m
teacher professeur m

[thing food]
cherry cerise f fruit
mushroom champignon m
onion oignon m
pancake crêpe f
peach pêche f fruit
pear poire f fruit
vegetable légume m
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
chicken poulet m
ham jambon m
jam confiture f
salt sel m
sugar sucre m
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
beer bière f
juice jus m
coffee café m
milk lait m
tea thé m
water eau f
wine vin m

[thing idea mass]
attention attention f
help aide f
love amour m
peace paix f
time temps m
homework devoirs m massplural
money argent m
sport sport m
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
airport aéroport m built
apartment appartement m built
bakery boulangerie f built
building bâtiment m built
cinema cinéma m built
classroom classe f
cafe café m built
country pays m
flat appartement m built
pharmacy pharmacie f built
pool piscine f
room pièce f
square place f
supermarket supermarché m built
theater théâtre m built
theatre théâtre m built
town ville f
university université f built
zoo zoo m
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
desert désert m
hill colline f
sea mer f
beach plage f
island île f
mountain montagne f

[thing support]
desk bureau m object
shelf/shelves étagère f object
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
basket panier m container
bike vélo m
blanket couverture f
boot botte f clothing
bowl bol m
camera caméra f
candle bougie f
dictionary dictionnaire m text
doll poupée f
email courriel m text
fork fourchette f
glove gant m clothing
hammer marteau m
jacket veste f clothing
ladder échelle f
magazine magazine m text
map carte f
message message m text
notebook cahier m text
pen stylo m
pencil crayon m
piano piano m
pillow oreiller m
poem poème m text
radio radio f listen
scarf/scarves écharpe f clothing
skirt jupe f clothing
sock chaussette f clothing
soap savon m
spoon cuillère f
sweater pull m clothing
television télévision f watch
ticket billet m
tie cravate f clothing
towel serviette f
violin violon m
wallet portefeuille m container
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
game jeu m
movie film m watch
song chanson f listen
story histoire f text

[thing matter]
answer réponse f
exercise exercice m
exam examen m
idea idée f
lesson leçon f
mistake erreur f
problem problème m
project projet m
question question f
word mot m

[thing event]
meeting réunion f
party fête f
trip voyage m
wedding mariage m

birthday anniversaire m

[thing group]
class classe f
family famille f
team équipe f

[thing whole]
life vie f
world monde m

[body]
arm bras m
back dos m
ear oreille f
eye œil/yeux m
face visage m
finger doigt m
foot/feet pied m
hair cheveux m massplural
hand main f
head tête f
knee genou/genoux m
leg jambe f
mouth bouche f
nose nez m
stomach ventre m
tooth/teeth dent f

[country name]
America Amérique f
Belgium Belgique f
Brazil Brésil m
Canada Canada m
China Chine f
England Angleterre f
Europe Europe f
France France f
Germany Allemagne f
Ireland Irlande f
Italy Italie f
Japan Japon m
Portugal Portugal m
Spain Espagne f
Switzerland Suisse f

[language mass]
english anglais m
french français m
german allemand m
italian italien m
spanish espagnol m

[thing nature]
moon lune f
sky ciel m
star étoile f
sun soleil m

[thing vehicle object]
motorcycle moto f
taxi taxi m
bicycle vélo m
boat bateau m
bus bus m
car voiture f
plane avion m
train train m
truck camion m
"""
