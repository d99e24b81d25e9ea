/** Which word next: the likeliest words of one place, and the best sentences of a search as a tree. */

import { words } from '../../words/words.js';
import './beams.css';
import type { Model } from 'transformer-wasm';
import { lead } from '../../drawing/centred.js';
import { slider } from '../../drawing/controls.js';
import { make } from '../../drawing/dom.js';
import type { CodeSample, Frame } from '../../page/frame.js';
import type { Page, State } from '../../page/view.js';
import { chosenWord, type Reading } from '../../reading/reading.js';
import { generationOf } from '../../reading/request.js';
import { percent, tokenOf } from '../../reading/tokens.js';
import { Candidates } from './candidates.js';
import { type Beam, type Branch, claimOf, greedyBeam, treeOf } from './compute.js';
import { drawTemperatures } from './temperatures.js';

const view = 'beams';
const usual = '4';

export class Beams {
  readonly #frame: Frame;
  readonly #page: Page;
  readonly #width = slider({
    label: words.beams.beams,
    value: 4,
    min: 1,
    max: 8,
    step: 1,
    onChange: (beams) =>
      this.#page.selection.setSetting(view, 'width', `${beams}` === usual ? null : `${beams}`),
  });
  readonly #candidates: Candidates;
  readonly #tree = make('div', {
    class: 'beam-tree',
    tabindex: 0,
    role: 'group',
    'aria-label': words.beams.tree,
  });

  readonly #temperatures = make('div', { class: 'scroller' });

  constructor(frame: Frame, page: Page) {
    this.#frame = frame;
    this.#page = page;
    this.#candidates = new Candidates(({ id }, place, reading) => {
      const before = reading.ids.slice(1, place + 1);
      page.selection.set({ prefix: [...before, id], word: place });
    });
    frame.controls.append(this.#width.element);
    frame.figure.append(this.#candidates.element, this.#tree, this.#temperatures);
    frame.code(code);
  }

  async draw({ reading, selection, signal }: State): Promise<void> {
    const width = Math.min(8, Math.max(1, Number(this.#page.selection.setting(view, 'width', usual)) || 4));
    this.#width.set(width);
    const word = chosenWord(reading, selection.word);
    this.#candidates.show(reading, word);
    const { candidates = [] } = reading.written[word] ?? {};
    this.#temperatures.replaceChildren(...(candidates.length > 0 ? [drawTemperatures(candidates)] : []));
    const model = await this.#page.model();
    const beams = await beamsOf(model, reading, { width, prefix: selection.prefix, signal });
    if (signal.aborted) return;
    this.#tree.replaceChildren(drawBranch(treeOf(beams), beams));
    // On a narrow screen: from the fork on.
    lead(this.#tree, this.#tree.querySelector('ul'));
    const greedy = greedyBeam(
      beams,
      reading.written.map(({ label }) => label),
    );
    this.#frame.claim(claimOf(greedy, selection.beams === 1));
    this.#frame.say(saidOf(beams, greedy, selection.beams === 1));
    this.#frame.table(() => ({
      caption: words.beams.table,
      columns: [words.beams.probability, words.beams.sentence],
      rows: beams.map(({ words, probability }, i) => ({
        name: `${i + 1}`,
        values: [percent(probability), words.map(({ label }) => label).join(' ')],
      })),
    }));
  }
}

function saidOf(beams: readonly Beam[], greedy: number, isGreedy: boolean): string {
  const best = words.beams.best(beams.length, percent(beams[0]?.probability ?? 0));
  if (!isGreedy) return best;
  if (greedy === 0) return words.beams.same(best);
  return greedy > 0 ? words.beams.number(best, greedy + 1) : words.beams.none(best);
}

/** The sentences that a beam search of this width ends with. */
async function beamsOf(
  model: Model,
  reading: Reading,
  { width, prefix, signal }: { width: number; prefix: readonly number[]; signal: AbortSignal },
): Promise<Beam[]> {
  const { sequences } = await model.generate(model.tokenizer ? reading.text : [...reading.inputIds], {
    ...generationOf({ off: reading.off, prefix, beams: width, signal }),
    numReturnSequences: width,
    ...(reading.stacks === 'decoder' && { maxNewTokens: 12 }),
  });
  return sequences.map(({ ids, tokenScores }) => {
    const written = ids.slice(ids.length - tokenScores.length);
    return {
      words: written.map((id, i) => ({
        label: tokenOf(model.tokenizer?.tokenOf(id) ?? `${id}`, 'fr').label,
        probability: Math.exp(tokenScores[i] ?? 0),
      })),
      probability: Math.exp(tokenScores.reduce((sum, score) => sum + score, 0)),
    };
  });
}

function drawBranch({ words, branches, beams: through }: Branch, beams: readonly Beam[]): HTMLElement {
  const best = through[0] ?? 0;
  const end =
    branches.length === 0
      ? [make('b', { class: 'number' }, percent(beams[best]?.probability ?? 0))]
      : [make('ul', {}, ...branches.map((one) => make('li', {}, drawBranch(one, beams))))];
  return make(
    'div',
    { class: best === 0 ? 'branch best' : 'branch' },
    make(
      'span',
      { class: 'branch-words', lang: 'fr' },
      ...words.map(({ label, probability }) => {
        const word = make('span', { title: percent(probability) }, label);
        word.style.setProperty('--share', probability.toFixed(3));
        return word;
      }),
    ),
    ...end,
  );
}

const code: CodeSample = {
  ours: `const { sequences } = await model.generate(text, { numBeams: 4, numReturnSequences: 4 });
sequences.map(({ text, tokenScores }) => [text, tokenScores]);   // log-probabilities, best first`,
  pytorch: `out = model.generate(**inputs, num_beams=4, num_return_sequences=4,
                     output_scores=True, return_dict_in_generate=True)
model.compute_transition_scores(out.sequences, out.scores, out.beam_indices)`,
};
