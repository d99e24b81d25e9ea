/** The page "The same bits": computes the receipts of the page's models here, and shows both hashes. */

import { createEngine, type Engine, loadModel } from 'transformer-wasm';
import { action } from '../drawing/controls.js';
import { find, make } from '../drawing/dom.js';
import { fillStaticWords } from '../page/language.js';
import { loadMessage, shownMessage } from '../page/messages.js';
import { words } from '../words/words.js';
import { type Answer, answerOf, differences, engineOptions, integrityOf, type Receipt } from './answers.js';

/** The addresses of the receipts of our own models; those of the hub's have two hyphens in their names. */
const receipts = Object.values(
  import.meta.glob<string>(['../../proof/receipts/*.json', '!**/*--*.json'], {
    query: '?url',
    import: 'default',
    eager: true,
  }),
);

fillStaticWords();

let running: AbortController | null = null;
const start = action(words.proof.compute, () => void (running ? running.abort() : compute()));
const progress = make('progress', {
  max: receipts.length,
  value: 0,
  hidden: true,
  'aria-label': words.proof.computing,
});
const status = make('p', { class: 'spoken', role: 'status' });
const alert = make('div', { class: 'message', role: 'alert' });
const list = make('ol', { class: 'proofs' });

const pair = (name: string, ...values: (string | HTMLElement)[]) => [
  make('dt', {}, name),
  make('dd', {}, ...values),
];
const code = (text: string) => make('code', {}, text);

function drawAnswer({ input, ...expected }: Receipt['answers'][number], found: Answer): HTMLElement {
  const isSame = differences(expected, found).length === 0;
  return make(
    'dl',
    { class: isSame ? 'same' : 'other' },
    ...pair(words.proof.input, typeof input === 'number' ? words.proof.pattern(input + 1) : String(input)),
    ...(found.text ? pair(words.proof.answer, found.text) : []),
    ...pair(words.proof.here, code(found.bits)),
    ...pair(words.proof.receipt, code(expected.bits), ` ${isSame ? words.proof.same : words.proof.differs}`),
  );
}

/** @returns whether everything is the same */
async function prove(engine: Engine, receipt: Receipt, signal: AbortSignal): Promise<boolean> {
  const folder = new URL(`../models/${receipt.model}/`, location.href);
  const files = new Map(Object.keys(receipt.files).map((name) => [name, new URL(name, folder)]));
  // Refused if a file is not the one that the receipt names.
  const model = await loadModel(files, { engine, signal, integrity: integrityOf(receipt) });
  try {
    const drawn: HTMLElement[] = [];
    let isSame = true;
    for (const example of receipt.answers) {
      const found = await answerOf(model, example);
      isSame &&= differences(example, found).length === 0;
      drawn.push(drawAnswer(example, found));
    }
    const note = words.proof.files(files.size);
    const title = make('h2', {}, receipt.model);
    list.append(make('li', {}, title, make('p', { class: 'note' }, note), ...drawn));
    return isSame;
  } finally {
    await model.dispose();
  }
}

async function proveAll(signal: AbortSignal): Promise<void> {
  const engine = await createEngine(engineOptions);
  let same = 0;
  try {
    for (const [at, address] of receipts.entries()) {
      progress.value = at;
      const receipt = (await (await fetch(address, { signal })).json()) as Receipt;
      status.textContent = words.proof.step(at + 1, receipts.length, receipt.model);
      if (await prove(engine, receipt, signal)) same++;
    }
    status.textContent = words.proof.done(same, receipts.length, engine.info.version, engine.info.variant);
  } finally {
    await engine.dispose();
  }
}

async function compute(): Promise<void> {
  running = new AbortController();
  const { signal } = running;
  start.textContent = words.proof.stop;
  progress.hidden = false;
  list.replaceChildren();
  alert.textContent = '';
  try {
    await proveAll(signal);
  } catch (error) {
    status.textContent = signal.aborted ? words.proof.stopped : '';
    if (!signal.aborted) alert.replaceChildren(...shownMessage(loadMessage(error)));
  }
  running = null;
  start.textContent = words.proof.again;
  progress.hidden = true;
}

find('.proof .links').before(make('div', { class: 'controls' }, start, progress), status, alert, list);
