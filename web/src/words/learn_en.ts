/** English: what “Watch it learn” says. It is loaded with that card. */

import type { Shown } from './en.js';

export const en = {
  texts: {
    task: 'learn to',
    without: 'now break it',
    two: 'two seeds side by side',
    learn: 'Learn',
    stop: 'Stop',
    goOn: 'Go on',
    again: 'Start over',
    time: 'back in time',
    head: 'head',
    allHeads: 'mean of all',
    own: 'ask it yourself',
  },
  tasks: { reverse: 'reverse a word', add: 'add', translate: 'translate twenty sentences' },
  without: {
    nothing: 'nothing left out',
    positions: 'no positions',
    scale: 'no ÷ √d',
    mask: 'no mask',
  },
  hints: {
    reverse: 'two to eight letters from a to z',
    add: 'two numbers of up to three digits, such as 478 + 356',
    translate:
      'it knows: The black, white, green cat, dog, mouse, cow, bird is tired, small, old, happy, beautiful.',
  },
  captions: {
    reverse: 'Where it looks: a row for each letter that it writes. Dots are blanks.',
    add: 'Where it looks: a row for each digit that it writes. The lowest digit comes first.',
    translate:
      'Where it looks: a row for each French word that it writes, English at the left, its own French at the right.',
  },
  seed: (seed: Shown) => `Seed ${seed}`,
  step: (step: Shown) => `step ${step}`,
  steps: (steps: Shown) => `${steps} steps`,
  loss: 'loss',
  lossOf: (loss: Shown) => `loss ${loss}`,
  rightAxis: 'right',
  right: (right: Shown, all: Shown) => `${right} of ${all} new ones right`,
  byHeart: (right: Shown, all: Shown) => `${right} of ${all} by heart`,
  isRight: 'right',
  isWrong: 'wrong',
  map: 'Attention: a row for each token that is written, a column for each token that can be seen',
  cell: (row: Shown, column: Shown, weight: Shown) => `To write ${row}, it looks at ${column}: ${weight}`,
  curve: (step: Shown, loss: Shown) => `The loss, step by step. At step ${step} it is ${loss}.`,
  table: 'The loss, and the answers that are right, over time',
  columns: {
    loss: (seed: Shown) => `loss, seed ${seed}`,
    right: (seed: Shown) => `right, seed ${seed}`,
  },
  states: {
    idle: 'Press “Learn”: then the part that trains is loaded, and the first step is taken.',
    opening: 'Loading the part that trains …',
    learning: 'It learns. The slider goes back in time, while it goes on.',
    stopped: 'Stopped. The slider goes back in time.',
    failed: 'It has ended.',
  },
  back: (step: Shown, loss: Shown) => `As it was at step ${step}, with a loss of ${loss}.`,
  done: (steps: Shown, right: Shown, all: Shown) =>
    `After ${steps} steps, ${right} of ${all} examples that it has never seen are right.`,
  doneByHeart: (right: Shown, all: Shown) =>
    `Of the ${all} that it learned from, it knows ${right} by heart.`,
  measured: (steps: Shown, right: Shown, all: Shown, whole: Shown) =>
    `Measured with seed 1 after ${steps} steps: ${right} of ${all} right; with nothing left out, ${whole}.`,
  why: {
    positions: {
      reverse:
        'Without positions, attention sees which letters there are, not where they stand: “ab” and “ba” look the same. It cannot know which letter comes last.',
      add: 'Without positions, attention sees which digits there are, not where they stand: 12 + 345 and 21 + 543 look the same.',
      translate:
        'Without positions, it does not see the order of the words. Here each word says by itself what it is, so it still learns the twenty sentences; on new ones it does worse.',
    },
    scale: {
      reverse: (scale: Shown, largest: Shown, usual: Shown) =>
        `Without ÷ √d, scores are ${scale} times as large. Softmax decides before anything is learned: the largest weight of a row is ${largest} on average, not ${usual}. Its gradient nearly vanishes, and attention finds its way late or never.`,
      add: (scale: Shown, largest: Shown, usual: Shown) =>
        `Without ÷ √d, scores are ${scale} times as large. Softmax decides before anything is learned: the largest weight of a row is ${largest} on average, not ${usual}. Its gradient nearly vanishes, and learning takes much longer.`,
      translate: (scale: Shown, largest: Shown, usual: Shown) =>
        `Without ÷ √d, scores are ${scale} times as large, and softmax decides before anything is learned: the largest weight of a row is ${largest} on average, not ${usual}. With so few words to choose from, that does no harm here.`,
    },
    mask: 'Without a mask, each place sees the very token that it is to write, and copies it: the loss falls to nearly nothing. When it writes by itself, that token is not there yet.',
  },
  notFinite: (step: Shown) =>
    `At step ${step} the loss was no longer a number: the steps had become too large. Start over.`,
};

/** What a file of these words has. */
export type LearnWords = typeof en;
