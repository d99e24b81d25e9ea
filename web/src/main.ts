/** Connects the components of the page: translates a sentence and shows the result in each of them. */

import { AttentionView } from './components/attention_view.js';
import { showEngine } from './components/engine_info.js';
import { Pronoun } from './components/pronoun.js';
import { Sentence } from './components/sentence.js';
import { showTokens, showWritten } from './components/token_lists.js';
import { Translation } from './components/translation.js';
import { find } from './dom.js';
import { examples, isSame, pair } from './examples.js';
import { loadMessage, translateMessage } from './messages.js';
import type { Token } from './tokens.js';
import { type Reading, Translator } from './translator.js';

const folder = new URL('models/en-fr/', document.baseURI).href;

const indexOf = (tokens: readonly Token[], words: readonly string[]) =>
  tokens.findLastIndex(({ label }) => words.includes(label));

const views = {
  encoder: new AttentionView(find('#encoder'), {
    label: 'Encoder self-attention, in percent',
    axes: 'Rows: queries. Columns: keys. Each row adds up to 100 %.',
    writes: false,
    isCausal: false,
    firstQuery: ({ queries }) => indexOf(queries, [pair.source]),
  }),
  cross: new AttentionView(find('#cross'), {
    label: 'Cross-attention, in percent',
    axes: 'Rows: the French token being written. Columns: the English token it looks at.',
    writes: true,
    isCausal: false,
    firstQuery: ({ queries }) => indexOf(queries, pair.written),
  }),
  decoder: new AttentionView(find('#decoder'), {
    label: 'Decoder self-attention, in percent',
    axes: 'Rows: the French token being written. Columns: what had been written by then. Empty: not yet written.',
    writes: true,
    isCausal: true,
    firstQuery: ({ queries }) => indexOf(queries, pair.written),
  }),
};

const translation = new Translation(find('#translation'));
const pronoun = new Pronoun(find('#pronoun'), (kind, choice, query) => views[kind].open(choice, query));
const sentence = new Sentence(find<HTMLFormElement>('#sentence'), (text) => void translate(text));
sentence.addExamples(find('#examples ul'), examples);

let loading: Promise<Translator>;
let running = new AbortController();

function load(): void {
  translation.showLoading(null);
  loading = Translator.load(folder, (share) => translation.showLoading(share));
  loading.then(
    (translator) => showEngine(find('#engine'), translator),
    (error: unknown) =>
      translation.showError(loadMessage(error), () => {
        load();
        sentence.text = sentence.text || (examples[0] as string);
      }),
  );
}

/** Translates a sentence and shows everything about it. A newer sentence aborts the previous one. */
async function translate(text: string): Promise<void> {
  running.abort();
  running = new AbortController();
  const { signal } = running;
  const translator = await loading.catch(() => null);
  if (signal.aborted || !translator) return;
  sentence.showUnknown([]);
  if (text === '') {
    sentence.showEmpty();
    translation.clear();
    return;
  }
  try {
    const begin = performance.now();
    let tokens = 0;
    translation.begin();
    for await (const piece of translator.stream(text, { signal })) {
      translation.add(piece);
      tokens++;
    }
    const milliseconds = performance.now() - begin;
    const reading = await translator.read(text, { signal });
    const both = await readPair(translator, reading, signal);
    signal.throwIfAborted();
    translation.end(reading.translation, tokens, milliseconds);
    show(reading, both);
  } catch (error) {
    if (!signal.aborted) translation.showError(translateMessage(error));
  }
}

function show(reading: Reading, both: readonly Reading[]): void {
  sentence.showUnknown(reading.unknownWords);
  pronoun.show(both, both.indexOf(reading));
  showTokens(find('#tokens ol'), reading.source);
  views.encoder.show(reading.encoder);
  views.cross.show(reading.cross);
  views.decoder.show(reading.decoder);
  showWritten(find('#words ol'), reading.written);
  find('#results').classList.remove('waiting');
}

/** The readings of both sentences of the pair if this is one of them; otherwise none. */
async function readPair(translator: Translator, reading: Reading, signal: AbortSignal): Promise<Reading[]> {
  const isThis = ({ text }: { text: string }) => isSame(text, reading.text);
  if (!pair.readings.some(isThis)) return [];
  return Promise.all(
    pair.readings.map((one) => (isThis(one) ? reading : translator.read(one.text, { signal }))),
  );
}

load();
sentence.text = examples[0] as string;
