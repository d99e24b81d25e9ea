/** German: what “Watch it learn” says. */

import type { Shown } from './en.js';
import type { LearnWords } from './learn_en.js';

export const de: LearnWords = {
  texts: {
    task: 'lernen:',
    without: 'machen Sie es kaputt',
    two: 'zwei Seeds nebeneinander',
    learn: 'Lernen',
    stop: 'Anhalten',
    goOn: 'Weiter',
    again: 'Von vorn',
    time: 'zurück in der Zeit',
    head: 'Kopf',
    allHeads: 'Mittel aller',
    own: 'fragen Sie selbst',
  },
  tasks: {
    reverse: 'ein Wort umdrehen',
    add: 'addieren',
    translate: 'zwanzig Sätze übersetzen',
  },
  without: {
    nothing: 'nichts fehlt',
    positions: 'ohne Positionen',
    scale: 'ohne ÷ √d',
    mask: 'ohne Maske',
  },
  hints: {
    reverse: 'zwei bis acht Buchstaben von a bis z',
    add: 'zwei Zahlen mit höchstens drei Ziffern, etwa 478 + 356',
    translate:
      'es kennt: The black, white, green cat, dog, mouse, cow, bird is tired, small, old, happy, beautiful.',
  },
  captions: {
    reverse: 'Wohin es blickt: eine Zeile für jeden Buchstaben, den es schreibt. Punkte sind Leerstellen.',
    add: 'Wohin es blickt: eine Zeile für jede Ziffer, die es schreibt. Die Einer stehen vorn.',
    translate:
      'Wohin es blickt: eine Zeile für jedes französische Wort, das es schreibt; links das Englische, rechts sein eigenes Französisch.',
  },
  seed: (seed: Shown) => `Seed Nr. ${seed}`,
  step: (step: Shown) => `Schritt ${step}`,
  steps: (steps: Shown) => `${steps} Schritte`,
  loss: 'Verlust',
  lossOf: (loss: Shown) => `Verlust ${loss}`,
  rightAxis: 'richtig',
  right: (right: Shown, all: Shown) => `${right} von ${all} neuen richtig`,
  byHeart: (right: Shown, all: Shown) => `${right} von ${all} auswendig`,
  isRight: 'richtig',
  isWrong: 'falsch',
  map: 'Attention: eine Zeile für jedes Token, das geschrieben wird, eine Spalte für jedes, das zu sehen ist',
  cell: (row: Shown, column: Shown, weight: Shown) =>
    `Um ${row} zu schreiben, blickt es auf ${column}: ${weight}`,
  curve: (step: Shown, loss: Shown) =>
    `Der Verlust, Schritt für Schritt. Bei Schritt ${step} beträgt er ${loss}.`,
  table: 'Der Verlust und die richtigen Antworten im Lauf der Zeit',
  columns: {
    loss: (seed: Shown) => `Verlust, Seed ${seed}`,
    right: (seed: Shown) => `richtig, Seed ${seed}`,
  },
  states: {
    idle: 'Drücken Sie „Lernen“: Dann wird geladen, was trainiert, und der erste Schritt getan.',
    opening: 'Was trainiert, wird geladen …',
    learning: 'Es lernt. Der Schieber führt in der Zeit zurück, während es weiterlernt.',
    stopped: 'Angehalten. Der Schieber führt in der Zeit zurück.',
    failed: 'Es ist zu Ende.',
  },
  back: (step: Shown, loss: Shown) => `So war es bei Schritt ${step}, mit einem Verlust von ${loss}.`,
  done: (steps: Shown, right: Shown, all: Shown) =>
    `Nach ${steps} Schritten sind ${right} von ${all} Beispielen richtig, die es nie gesehen hat.`,
  doneByHeart: (right: Shown, all: Shown) =>
    `Von den ${all} Sätzen, aus denen es lernte, kann es ${right} auswendig.`,
  measured: (steps: Shown, right: Shown, all: Shown, whole: Shown) =>
    `Gemessen mit Seed 1 nach ${steps} Schritten: ${right} von ${all} richtig; wenn nichts fehlt, ${whole}.`,
  why: {
    positions: {
      reverse:
        'Ohne Positionen sieht Attention, welche Buchstaben da sind, aber nicht, wo sie stehen: „ab“ und „ba“ sehen gleich aus. Es kann nicht wissen, welcher der letzte ist.',
      add: 'Ohne Positionen sieht Attention, welche Ziffern da sind, aber nicht, wo sie stehen: 12 + 345 und 21 + 543 sehen gleich aus.',
      translate:
        'Ohne Positionen sieht es die Reihenfolge der Wörter nicht. Hier sagt jedes Wort selbst, was es ist: Die zwanzig Sätze lernt es trotzdem, an neuen scheitert es öfter.',
    },
    scale: {
      reverse: (scale: Shown, largest: Shown, usual: Shown) =>
        `Ohne ÷ √d sind die Scores ${scale}-mal so groß. Die Softmax legt sich fest, bevor etwas gelernt ist: Das größte Gewicht einer Zeile ist im Mittel ${largest} statt ${usual}. Ihr Gradient verschwindet fast, und Attention findet ihren Weg spät oder nie.`,
      add: (scale: Shown, largest: Shown, usual: Shown) =>
        `Ohne ÷ √d sind die Scores ${scale}-mal so groß. Die Softmax legt sich fest, bevor etwas gelernt ist: Das größte Gewicht einer Zeile ist im Mittel ${largest} statt ${usual}. Ihr Gradient verschwindet fast, und das Lernen dauert viel länger.`,
      translate: (scale: Shown, largest: Shown, usual: Shown) =>
        `Ohne ÷ √d sind die Scores ${scale}-mal so groß, und die Softmax legt sich fest, bevor etwas gelernt ist: Das größte Gewicht einer Zeile ist im Mittel ${largest} statt ${usual}. Bei so wenigen Wörtern zur Auswahl schadet das hier nicht.`,
    },
    mask: 'Ohne Maske sieht jede Stelle genau das Token, das sie schreiben soll, und schreibt es ab: Der Verlust fällt auf fast nichts. Schreibt das Modell selbst, ist dieses Token noch nicht da.',
  },
  notFinite: (step: Shown) =>
    `Bei Schritt ${step} war der Verlust keine Zahl mehr: Die Schritte waren zu groß geworden. Beginnen Sie von vorn.`,
};
