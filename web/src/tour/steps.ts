/** The twelve steps of "Read along": in the order of the paper (Vaswani et al. 2017), each beside what it names. */

import { chosenHead, chosenWord, type Reading, strongest } from '../reading/reading.js';
import { percent } from '../reading/tokens.js';
import type { Head } from '../selection/heads.js';
import type { Selection } from '../selection/selection.js';

export interface TourStep {
  readonly title: string;
  /** Where the paper says it. */
  readonly section: string;
  readonly text: string;
  /** The same on the sentence that is shown; '' where it has nothing to say. */
  readonly here?: (reading: Reading, selection: Selection) => string;
  /** The view, and what in it is highlighted: a CSS selector. */
  readonly view: string;
  readonly named: string;
  /** Settings of the view, without which what is named is not there. */
  readonly settings?: Readonly<Record<string, string>>;
  /** The head that the step is about; default: the selected one. */
  readonly head?: (reading: Reading) => Head | null;
}

const word = (reading: Reading, { word }: Selection) => reading.written[chosenWord(reading, word)];

/** “elle” looked at “street”: 96 %. In the head that the view shows. */
function look(reading: Reading, { head, word }: Selection): string {
  const { kind, layer, head: index } = chosenHead(reading, head);
  const map = reading.maps[kind];
  const place = chosenWord(reading, word);
  if (kind !== 'cross' || !map || place >= map.queries.length) return '';
  const row = map.row(layer, index, place);
  const key = strongest(row);
  return `“${reading.written[place]?.label}” looked at “${reading.source[key]?.label}”: ${percent(row[key] ?? 0)}.`;
}

const ofSentence = { 'attention.source': 'sentence', 'attention.mode': 'whole' };
/** The columns of the view "Attention", counted from 1. */
const column = (number: number) => `#attention .steps thead th:nth-child(${number + 1})`;

const lastCross = (reading: Reading) => {
  const { cross } = reading.maps;
  return cross ? chosenHead(reading, null) : null;
};

const ownOfDecoder = ({ maps }: Reading): Head | null =>
  maps.decoder ? { kind: 'decoder', layer: 0, head: 0 } : null;

export const tourSteps: readonly TourStep[] = [
  {
    title: 'A sentence is cut into tokens',
    section: '5.1',
    text: 'The model reads numbers. Each word or piece of a word has one; a special token marks the end.',
    here: ({ source, inputIds }) => `Here: ${source.length} tokens, with the numbers ${inputIds.join(', ')}.`,
    view: 'stage',
    named: '#stage .words.english',
  },
  {
    title: 'A token becomes a vector, and its place is added',
    section: '3.4 and 3.5',
    text: 'Attention does not know what comes first. So a wave pattern, another in each place, is added to each word’s vector: a row of this picture for each position.',
    view: 'positions',
    named: '#positions .heat-map',
    settings: { 'positions.scheme': 'sinusoidal' },
  },
  {
    title: 'Without places, order means nothing',
    section: '3.5',
    text: 'The same words in another order: without positions each gets the same output as before, to the last digit. With them, what moved is noticed.',
    view: 'positions',
    named: '#positions .shuffle',
  },
  {
    title: 'A query, and a key for every word',
    section: '3.2',
    text: 'Three matrices turn a vector into a query (what am I looking for?), a key (what do I offer?) and a value (what do I say?). In colours: one query, and all the keys.',
    here: (reading, selection) =>
      reading.maps.cross ? `The query is that of “${word(reading, selection)?.label}”.` : '',
    view: 'attention',
    named: column(1),
    settings: ofSentence,
    head: lastCross,
  },
  {
    title: 'Their products are scores',
    section: '3.2.1',
    text: 'Multiply query and key, number by number, and add up. The sum is large where the two fit.',
    view: 'attention',
    named: column(2),
    settings: ofSentence,
    head: lastCross,
  },
  {
    title: 'The scores are scaled',
    section: '3.2.1',
    text: 'Sums of many products grow with their number. Dividing by √d keeps the softmax from choosing one word alone. Move the slider to see what happens without.',
    view: 'attention',
    named: column(3),
    settings: ofSentence,
    head: lastCross,
  },
  {
    title: 'The softmax makes weights of them',
    section: '3.2.1',
    text: 'Exponentials, divided by their sum: all weights are positive and add up to one.',
    here: look,
    view: 'attention',
    named: column(5),
    settings: ofSentence,
    head: lastCross,
  },
  {
    title: 'The weights mix the values',
    section: '3.2.1',
    text: 'Each value is multiplied by its weight, and all are added: that is the output. What was looked at most says most.',
    view: 'attention',
    named: column(6),
    settings: ofSentence,
    head: lastCross,
  },
  {
    title: 'A mask hides what is not written yet',
    section: '3.2.3',
    text: 'While it writes, the decoder must not see what follows. Those scores become −∞, their weights zero; the rest of the row shares what is left.',
    view: 'masks',
    named: '#masks .heat-map',
    settings: { 'masks.preset': 'causal' },
    head: ownOfDecoder,
  },
  {
    title: 'Many heads look at once',
    section: '3.2.2',
    text: 'Each head has its own three matrices, and so its own way of looking. Click one to see it large.',
    here: (reading, { head }) => {
      const { maps } = reading;
      const count = Object.values(maps).reduce((sum, map) => sum + map.layers * map.heads, 0);
      const chosen = chosenHead(reading, head);
      return `This model has ${count}; shown is head ${chosen.head + 1} of layer ${chosen.layer + 1}.`;
    },
    view: 'heads',
    named: '#heads .wall',
    head: lastCross,
  },
  {
    title: 'Layer upon layer',
    section: '3.1 and 3.3',
    text: 'What attention found is added to the vector, then what a small network makes of it. After each layer one can ask what the model would say.',
    view: 'layers',
    named: '#layers .way',
  },
  {
    title: 'The last vector chooses a word',
    section: '3.4',
    text: 'It is compared with the vector of every word in the vocabulary. The likeliest is written, read again, and so on to the end. Click another: the rest is written anew.',
    here: (reading, selection) => {
      const token = word(reading, selection);
      return token ? `“${token.label}” was written with ${percent(token.probability)}.` : '';
    },
    view: 'beams',
    named: '#beams .candidates',
    head: lastCross,
  },
];
