/** A model of the visitor's own: its files stay in this tab, and all views show it. */

import './your_model.css';
import { type CheckpointSource, loadModel, type Model } from 'transformer-wasm';
import { action } from '../../controls.js';
import { make } from '../../dom.js';
import type { Frame } from '../../frame.js';
import type { Draw, Page } from '../../view.js';
import { droppedFiles } from './dropped.js';

export function mount(frame: Frame, page: Page): Draw {
  const facts = make('dl', { class: 'facts-list' });
  const state = make('p', { class: 'note', role: 'status' });
  const files = make('input', { type: 'file', multiple: true, id: 'model-files' });
  const id = make('input', { type: 'text', id: 'model-id', placeholder: 'owner/name', autocomplete: 'off' });
  const back = action('Back to our model', () => page.use(null));
  const zone = make(
    'form',
    { class: 'drop' },
    make('label', { for: 'model-files' }, 'Drop a folder here, or choose its files:'),
    files,
    make('label', { for: 'model-id' }, 'or a model of huggingface.co:'),
    id,
    make('button', { type: 'submit' }, 'Load'),
    back,
  );
  frame.figure.append(zone, state, facts);
  frame.code(code);

  const load = async (source: CheckpointSource) => {
    state.textContent = 'Loading …';
    try {
      const model = await loadModel(source, {
        engine: await page.engine(),
        onProgress: ({ loaded, total, phase }) => {
          if (phase === 'weights') state.textContent = progressOf(loaded, total);
        },
      });
      state.textContent = '';
      page.use(model);
    } catch (error) {
      state.textContent = error instanceof Error ? error.message : String(error);
    }
  };
  files.addEventListener('change', () => void load([...(files.files ?? [])]));
  zone.addEventListener('submit', (event) => {
    event.preventDefault();
    if (id.value.trim() !== '') void load(id.value.trim());
  });
  for (const [name, isOver] of [
    ['dragover', true],
    ['dragleave', false],
    ['drop', false],
  ] as const) {
    zone.addEventListener(name, (event) => {
      event.preventDefault();
      zone.classList.toggle('over', isOver);
    });
  }
  zone.addEventListener('drop', (event) => {
    if (event.dataTransfer) void droppedFiles(event.dataTransfer).then(load);
  });

  return async ({ reading }) => {
    const model = await page.model();
    back.hidden = !page.isVisitors();
    const listed = factsOf(model);
    facts.replaceChildren(
      ...listed.flatMap(([name, value]) => [make('dt', {}, name), make('dd', {}, value)]),
    );
    const heads = Object.values(reading.maps).reduce((sum, map) => sum + map.layers * map.heads, 0);
    frame.say(
      `All views on this page now show ${page.isVisitors() ? 'your' : 'our'} model: ${model.info.family}, ${heads} ${heads === 1 ? 'head' : 'heads'}.`,
    );
    frame.table(() => ({
      caption: 'The model',
      columns: ['value'],
      rows: listed.map(([name, value]) => ({ name, values: [value] })),
    }));
  };
}

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;

const progressOf = (loaded: number, total: number | null) =>
  `Loading: ${megabytes(loaded)}${total ? ` of ${megabytes(total)}` : ''}`;

function factsOf({ info }: Model): [string, string][] {
  return [
    ['Family', info.family],
    ['Parameters', info.parameters.toLocaleString('en')],
    ['Files', megabytes(info.bytes)],
    ['In memory', `${megabytes(info.weightBytes)}, ${info.dtype}`],
    ['Loaded in', `${Math.round(info.loadMilliseconds)} ms`],
  ];
}

const code = {
  ours: `const model = await loadModel(input.files);          // an <input type="file" multiple>
const { attentions } = await model.forward({ inputIds: [ids] }, { outputAttentions: true });`,
  pytorch: `model = AutoModel.from_pretrained("path/to/folder")
attentions = model(input_ids=ids, output_attentions=True).attentions`,
};
