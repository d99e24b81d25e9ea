/** Where the time goes: by part, by thread, by precision, by length. */

import './cost.css';
import type { Profile } from 'transformer-wasm';
import { action, choice } from '../controls.js';
import { make } from '../dom.js';
import type { Frame } from '../frame.js';
import { isolate } from '../isolation.js';
import type { Draw, Page } from '../view.js';
import { type Growth, growthOf, type Variant, variantsOf } from './cost/measure.js';
import { costsOf, kindNames, type PartKind } from './cost/parts.js';

const id = 'cost';

const passNames = {
  encoder: 'reading (encoder)',
  decoder: 'reading the result (decoder)',
  step: 'writing one token',
};

const milliseconds = (time: number) =>
  `${time >= 10 ? time.toFixed(0) : time >= 1 ? time.toFixed(1) : time.toFixed(3)} ms`;
const bytes = (count: number) =>
  count >= 1e6 ? `${(count / 1e6).toFixed(2)} MB` : `${(count / 1e3).toFixed(count >= 1e4 ? 0 : 1)} kB`;
const operations = (count: number) => `${(count / 1e6).toFixed(2)} million`;

/** A row with a bar as long as its share. */
function barRow(name: string, share: number, text: string): HTMLElement {
  const bar = make('span', { class: 'bar-of-cost' });
  bar.style.setProperty('width', `${Math.max(0, Math.min(1, share)) * 100}%`);
  return make(
    'li',
    {},
    make('span', {}, name),
    make('span', { class: 'track' }, bar),
    make('span', { class: 'amount' }, text),
  );
}

export function mount(frame: Frame, page: Page): Draw {
  const { selection } = page;
  const pass = choice({
    label: 'pass',
    options: passNames,
    value: 'encoder',
    onChange: (value) => selection.setSetting(id, 'pass', value),
  });
  const parts = make('ol', { class: 'costs' });
  const growth = make('ol', { class: 'costs' }, make('li', {}, 'Measured when you ask for it.'));
  const variants = make(
    'ol',
    { class: 'costs' },
    make('li', {}, 'Measured when you ask for it: some seconds of work.'),
  );
  const status = make('p', { class: 'spoken', role: 'status' });
  const measure = action('Measure threads, precision and length', () => void compare());
  const measureParts = action('Measure the parts again', () => {
    profile = null;
    void show();
  });
  frame.controls.append(pass.element, measureParts, measure);
  frame.figure.append(
    make('h3', {}, 'Time by part, for 32 tokens'),
    parts,
    make('h3', {}, 'One thread against many, 8 bits against 32: the encoder for 64 tokens'),
    variants,
    make('h3', {}, 'n against n²: operations as the sentence grows'),
    growth,
    status,
    threadsNote(page),
  );
  frame.code({
    ours: `const profile = await model.profile({ tokens: 32 });
for (const { name, parts } of profile)
  for (const { path, milliseconds, flops, weightBytes } of parts) console.log(name, path, milliseconds);`,
    pytorch: `with torch.profiler.profile(with_modules=True) as profile:
    model(src, tgt)
print(profile.key_averages().table(sort_by="cpu_time_total"))`,
  });

  let profile: Profile | null = null;
  let running = new AbortController();

  async function show(): Promise<void> {
    const model = await page.model();
    profile ??= await model.profile({ tokens: 32, rounds: 3 });
    const wanted = selection.setting(id, 'pass', 'encoder');
    const shown = profile.find(({ name }) => name === wanted) ?? profile[0];
    if (!shown) return;
    pass.set(shown.name);
    const costs = costsOf(shown);
    const kinds = (Object.keys(kindNames) as PartKind[]).filter(
      (kind) => costs[kind].flops + costs[kind].milliseconds > 0,
    );
    parts.replaceChildren(
      ...kinds.map((kind) => {
        const cost = costs[kind];
        return barRow(
          kindNames[kind],
          cost.milliseconds / shown.milliseconds,
          `${milliseconds(cost.milliseconds)} · ${bytes(cost.bytes)}`,
        );
      }),
    );
    const most = kinds.reduce((a, b) => (costs[a].milliseconds > costs[b].milliseconds ? a : b));
    frame.say(
      `${passNames[shown.name]}: ${milliseconds(shown.milliseconds)}, most of it in ${kindNames[most]}.`,
    );
    frame.table(() => ({
      caption: `${passNames[shown.name]}, ${shown.tokens} tokens`,
      columns: ['milliseconds', 'operations', 'bytes'],
      rows: kinds.map((kind) => ({
        name: kindNames[kind],
        values: [costs[kind].milliseconds.toPrecision(3), Math.round(costs[kind].flops), costs[kind].bytes],
      })),
    }));
  }

  async function compare(): Promise<void> {
    running.abort();
    running = new AbortController();
    const { signal } = running;
    measure.disabled = true;
    try {
      status.textContent = 'Measuring …';
      const grown: Growth[] = [];
      for await (const one of growthOf(await page.model(), signal)) {
        grown.push(one);
        showGrowth(growth, grown);
      }
      const tried: Variant[] = [];
      for await (const one of variantsOf(await page.engine(), signal)) {
        tried.push(one);
        showVariants(variants, tried);
      }
      status.textContent = 'Measured in this tab; a busy machine measures more.';
    } catch (error) {
      status.textContent = error instanceof Error ? error.message : `${error}`;
    }
    measure.disabled = false;
  }
  return show;
}

function showGrowth(list: HTMLElement, grown: readonly Growth[]): void {
  const most = Math.max(...grown.map(({ squared, linear }) => squared + linear));
  list.replaceChildren(
    ...grown.map(({ tokens, squared, linear, milliseconds: time }) =>
      barRow(
        `${tokens} tokens`,
        (squared + linear) / most,
        `n: ${operations(linear)}, n²: ${operations(squared)} · ${milliseconds(time)}`,
      ),
    ),
  );
}

function showVariants(list: HTMLElement, tried: readonly Variant[]): void {
  const most = Math.max(...tried.map(({ milliseconds: time }) => time));
  list.replaceChildren(
    ...tried.map(({ threads, dtype, weightBytes, milliseconds: time }) =>
      barRow(
        `${threads === 1 ? 'one thread' : `${threads} threads`}, ${dtype}`,
        time / most,
        `${milliseconds(time)} · ${bytes(weightBytes)} of weights`,
      ),
    ),
  );
}

/** Says how many threads there are and why; where the server sends no headers for more, offers a way to get them. */
function threadsNote(page: Page): HTMLElement {
  const note = make('p', { class: 'spoken' });
  void page.engine().then(({ info }) => {
    note.append(info.notes.join(' '));
    if (!isolate.isPossible) return;
    note.append(
      ' ',
      action('Use more threads on this site', () => void isolate.start()),
    );
  });
  return note;
}
