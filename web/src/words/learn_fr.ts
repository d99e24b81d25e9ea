/** French: what “Watch it learn” says. */

import type { Shown } from './en.js';
import type { LearnWords } from './learn_en.js';

export const fr: LearnWords = {
  texts: {
    task: 'apprendre à',
    without: 'cassez-le',
    two: 'deux graines côte à côte',
    learn: 'Apprendre',
    stop: 'Arrêter',
    goOn: 'Continuer',
    again: 'Recommencer',
    time: 'remonter le temps',
    head: 'tête',
    allHeads: 'moyenne de toutes',
    own: 'posez-lui votre question',
  },
  tasks: {
    reverse: 'inverser un mot',
    add: 'additionner',
    translate: 'traduire vingt phrases',
  },
  without: {
    nothing: 'sans rien retirer',
    positions: 'sans positions',
    scale: 'sans ÷ √d',
    mask: 'sans masque',
  },
  hints: {
    reverse: 'de deux à huit lettres, de a à z',
    add: 'deux nombres de trois chiffres au plus, par exemple 478 + 356',
    translate:
      'il connaît : The black, white, green cat, dog, mouse, cow, bird is tired, small, old, happy, beautiful.',
  },
  captions: {
    reverse: 'Où il regarde : une ligne pour chaque lettre qu’il écrit. Les points sont des blancs.',
    add: 'Où il regarde : une ligne pour chaque chiffre qu’il écrit. Les unités viennent en premier.',
    translate:
      'Où il regarde : une ligne pour chaque mot français qu’il écrit, l’anglais à gauche, son propre français à droite.',
  },
  seed: (seed: Shown) => `Graine ${seed}`,
  step: (step: Shown) => `pas ${step}`,
  steps: (steps: Shown) => `${steps} pas`,
  loss: 'perte',
  lossOf: (loss: Shown) => `perte ${loss}`,
  rightAxis: 'justes',
  right: (right: Shown, all: Shown) => `${right} nouveaux sur ${all} justes`,
  byHeart: (right: Shown, all: Shown) => `${right} sur ${all} par cœur`,
  isRight: 'juste',
  isWrong: 'faux',
  map: 'Attention : une ligne pour chaque token écrit, une colonne pour chaque token visible',
  cell: (row: Shown, column: Shown, weight: Shown) => `Pour écrire ${row}, il regarde ${column} : ${weight}`,
  curve: (step: Shown, loss: Shown) => `La perte, pas à pas. Au pas ${step}, elle vaut ${loss}.`,
  table: 'La perte et les réponses justes au fil du temps',
  columns: {
    loss: (seed: Shown) => `perte, graine ${seed}`,
    right: (seed: Shown) => `justes, graine ${seed}`,
  },
  states: {
    idle: 'Cliquez sur « Apprendre » : la partie qui entraîne se charge, et le premier pas est fait.',
    opening: 'Chargement de la partie qui entraîne…',
    learning: 'Il apprend. Le curseur remonte le temps pendant qu’il continue.',
    stopped: 'Arrêté. Le curseur remonte le temps.',
    failed: 'C’est terminé.',
  },
  back: (step: Shown, loss: Shown) => `Tel qu’il était au pas ${step}, avec une perte de ${loss}.`,
  done: (steps: Shown, right: Shown, all: Shown) =>
    `Après ${steps} pas, ${right} exemples sur ${all} qu’il n’a jamais vus sont justes.`,
  doneByHeart: (right: Shown, all: Shown) => `Des ${all} phrases apprises, il en sait ${right} par cœur.`,
  measured: (steps: Shown, right: Shown, all: Shown, whole: Shown) =>
    `Mesuré avec la graine 1 après ${steps} pas : ${right} justes sur ${all} ; sans rien retirer, ${whole}.`,
  why: {
    positions: {
      reverse:
        'Sans positions, l’attention voit quelles lettres sont là, mais pas à quelle place : « ab » et « ba » se ressemblent. Il ne peut pas savoir quelle lettre est la dernière.',
      add: 'Sans positions, l’attention voit quels chiffres sont là, mais pas à quelle place : 12 + 345 et 21 + 543 se ressemblent.',
      translate:
        'Sans positions, il ne voit pas l’ordre des mots. Ici, chaque mot dit de lui-même ce qu’il est : il apprend quand même les vingt phrases, mais réussit moins bien sur de nouvelles.',
    },
    scale: {
      reverse: (scale: Shown, largest: Shown, usual: Shown) =>
        `Sans ÷ √d, les scores sont ${scale} fois plus grands. Le softmax se décide avant d’avoir rien appris : le plus grand poids d’une ligne est en moyenne de ${largest} au lieu de ${usual}. Son gradient s’annule presque, et l’attention trouve son chemin tard, ou jamais.`,
      add: (scale: Shown, largest: Shown, usual: Shown) =>
        `Sans ÷ √d, les scores sont ${scale} fois plus grands. Le softmax se décide avant d’avoir rien appris : le plus grand poids d’une ligne est en moyenne de ${largest} au lieu de ${usual}. Son gradient s’annule presque, et l’apprentissage prend bien plus de temps.`,
      translate: (scale: Shown, largest: Shown, usual: Shown) =>
        `Sans ÷ √d, les scores sont ${scale} fois plus grands, et le softmax se décide avant d’avoir rien appris : le plus grand poids d’une ligne est en moyenne de ${largest} au lieu de ${usual}. Avec si peu de mots entre lesquels choisir, cela ne nuit pas ici.`,
    },
    mask: 'Sans masque, chaque place voit le token même qu’elle doit écrire, et le copie : la perte tombe à presque rien. Quand il écrit seul, ce token n’est pas encore là.',
  },
  notFinite: (step: Shown) =>
    `Au pas ${step}, la perte n’était plus un nombre : les pas étaient devenus trop grands. Recommencez.`,
};
