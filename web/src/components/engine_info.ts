/** Which engine and model run in this browser, and how long they took to load. */

import { find, make } from '../dom.js';
import type { Translator } from '../translator.js';

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;
const milliseconds = (time: number) => `${Math.round(time).toLocaleString('en')} ms`;

export function showEngine(root: HTMLElement, { engine, model, loadTimes }: Translator): void {
  const { version, threads, simd, worker, heapBytes, notes } = engine.info;
  const { parameters, bytes } = model.info;
  const facts: [string, string][] = [
    ['Engine', `transformer-wasm ${version}`],
    ['Instructions', simd === 'relaxed' ? 'relaxed SIMD' : 'SIMD128'],
    ['Threads', `${threads}`],
    ['Runs in', worker ? 'a worker, so the page stays responsive' : 'the page itself'],
    ['Model', `${parameters.toLocaleString('en')} parameters, ${megabytes(bytes)}`],
    ['Memory', megabytes(heapBytes)],
    ['Loaded in', `${milliseconds(loadTimes.engine)} (engine) + ${milliseconds(loadTimes.model)} (model)`],
  ];
  find('dl', root).replaceChildren(
    ...facts.map(([name, value]) => make('div', {}, make('dt', {}, name), make('dd', {}, value))),
  );
  find('.notes', root).replaceChildren(...notes.map((note) => make('li', {}, note)));
}
