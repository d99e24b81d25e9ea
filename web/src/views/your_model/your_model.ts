/** A model of the visitor's own: its files stay in this tab, and all views show it. */

import { words } from '../../words/words.js';
import './your_model.css';
import { type CheckpointSource, loadModel } from 'transformer-wasm';
import { action } from '../../drawing/controls.js';
import { make } from '../../drawing/dom.js';
import type { Frame } from '../../page/frame.js';
import { messageOf, shownMessage } from '../../page/messages.js';
import type { Page, State } from '../../page/view.js';
import { factsOf, headCount, progressOf } from './compute.js';
import { dropZone } from './controls.js';

export class YourModel {
  readonly #frame: Frame;
  readonly #page: Page;
  readonly #facts = make('dl', { class: 'facts-list' });
  readonly #status = make('div', { class: 'note', role: 'status' });
  readonly #back = action(words.yourModel.back, () => this.#page.use(null));

  constructor(frame: Frame, page: Page) {
    this.#frame = frame;
    this.#page = page;
    const zone = dropZone(this.#back, (source) => void this.#load(source));
    frame.figure.append(zone, this.#status, this.#facts);
    frame.code(code);
  }

  async draw({ reading }: State): Promise<void> {
    const model = await this.#page.model();
    const isVisitors = this.#page.isVisitors();
    this.#back.hidden = !isVisitors;
    const listed = factsOf(model);
    this.#facts.replaceChildren(
      ...listed.flatMap(([name, value]) => [make('dt', {}, name), make('dd', {}, value)]),
    );
    const heads = headCount(reading);
    this.#frame.say((isVisitors ? words.yourModel.yours : words.yourModel.ours)(model.info.family, heads));
    this.#frame.table(() => ({
      caption: words.yourModel.table,
      columns: [words.yourModel.value],
      rows: listed.map(([name, value]) => ({ name, values: [value] })),
    }));
  }

  async #load(source: CheckpointSource): Promise<void> {
    this.#status.textContent = words.yourModel.loadingNow;
    try {
      const model = await loadModel(source, {
        engine: await this.#page.engine(),
        onProgress: ({ loaded, total, phase }) => {
          if (phase === 'weights') this.#status.textContent = progressOf(loaded, total);
        },
      });
      this.#status.textContent = '';
      this.#page.use(model);
    } catch (error) {
      this.#status.replaceChildren(...shownMessage(messageOf(error)));
    }
  }
}

const code = {
  ours: `const model = await loadModel(input.files);          // an <input type="file" multiple>
const { attentions } = await model.forward({ inputIds: [ids] }, { outputAttentions: true });`,
  pytorch: `model = AutoModel.from_pretrained("path/to/folder")
attentions = model(input_ids=ids, output_attentions=True).attentions`,
};
