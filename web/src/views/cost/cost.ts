/** Where the time goes: by part, by thread, by precision, by length. */

import { words } from '../../words/words.js';
import './cost.css';
import type { Profile } from 'transformer-wasm';
import { action, choice } from '../../drawing/controls.js';
import { make } from '../../drawing/dom.js';
import type { CodeSample, Frame } from '../../page/frame.js';
import { messageOf, shownMessage } from '../../page/messages.js';
import { showThreads } from '../../page/threads_note.js';
import type { Page } from '../../page/view.js';
import { costliest, costsOf, kindNames, kindsOf } from './compute.js';
import { milliseconds, showGrowth, showParts, showVariants, tableOf } from './draw.js';
import { type Growth, growthOf, type Variant, variantsOf } from './measure.js';

const id = 'cost';

const passNames = {
  encoder: words.cost.passes.encoder,
  decoder: words.cost.passes.decoder,
  step: words.cost.passes.step,
};

const listOf = (text?: string) =>
  make('ol', { class: 'costs' }, ...(text === undefined ? [] : [make('li', { class: 'unmeasured' }, text)]));

export class Cost {
  readonly #frame: Frame;
  readonly #page: Page;
  readonly #pass = choice({
    label: words.cost.pass,
    options: passNames,
    value: 'encoder',
    onChange: (value) => this.#page.selection.setSetting(id, 'pass', value),
  });
  readonly #measure = action(words.cost.compare, () => void this.#compare());
  readonly #parts = listOf();
  readonly #growth = listOf(words.cost.measuredOnDemand);
  readonly #variants = listOf(words.cost.measuredSeconds);
  readonly #status = make('div', { class: 'spoken', role: 'status' });
  readonly #threads = make('div', { class: 'note' });
  #profile: Profile | null = null;
  #running = new AbortController();

  constructor(frame: Frame, page: Page) {
    this.#frame = frame;
    this.#page = page;
    const again = action(words.cost.again, () => {
      this.#profile = null;
      void this.draw();
    });
    frame.controls.append(this.#pass.element, again, this.#measure);
    frame.figure.append(
      make('h3', {}, words.cost.byPart),
      this.#parts,
      make('h3', {}, words.cost.variants),
      this.#variants,
      make('h3', {}, words.cost.growth),
      this.#growth,
      this.#status,
      this.#threads,
    );
    frame.code(code);
  }

  async draw(): Promise<void> {
    const { info } = await this.#page.engine();
    // Once: what a visitor has opened in it stays open.
    if (this.#threads.childElementCount === 0) showThreads(this.#threads, info);
    const model = await this.#page.model();
    this.#profile ??= await model.profile({ tokens: 32, rounds: 9 });
    const wanted = this.#page.selection.setting(id, 'pass', 'encoder');
    const shown = this.#profile.find(({ name }) => name === wanted) ?? this.#profile[0];
    if (!shown) return;
    this.#pass.set(shown.name);
    const costs = costsOf(shown);
    const kinds = kindsOf(costs);
    const name = passNames[shown.name];
    showParts(this.#parts, shown.milliseconds, kinds, costs);
    this.#frame.say(
      words.cost.said(name, milliseconds(shown.milliseconds), kindNames[costliest(kinds, costs)]),
    );
    this.#frame.table(() => tableOf(name, shown, kinds, costs));
  }

  async #compare(): Promise<void> {
    this.#running.abort();
    this.#running = new AbortController();
    this.#measure.disabled = true;
    this.#status.textContent = words.cost.measuring;
    try {
      await this.#measureAll(this.#running.signal);
      this.#status.textContent = words.cost.measured;
    } catch (error) {
      this.#status.replaceChildren(...shownMessage(messageOf(error)));
    }
    this.#measure.disabled = false;
  }

  async #measureAll(signal: AbortSignal): Promise<void> {
    const grown: Growth[] = [];
    for await (const one of growthOf(await this.#page.model(), signal)) {
      grown.push(one);
      showGrowth(this.#growth, grown);
    }
    const tried: Variant[] = [];
    for await (const one of variantsOf(await this.#page.engine(), signal)) {
      tried.push(one);
      showVariants(this.#variants, tried);
    }
  }
}

const code: CodeSample = {
  ours: `const profile = await model.profile({ tokens: 32 });
for (const { name, parts } of profile)
  for (const { path, milliseconds, flops, weightBytes } of parts) console.log(name, path, milliseconds);`,
  pytorch: `with torch.profiler.profile(with_modules=True) as profile:
    model(src, tgt)
print(profile.key_averages().table(sort_by="cpu_time_total"))`,
};
