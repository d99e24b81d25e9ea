/** What runs in this browser, and how long it took to start. */

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
    ['Threads', threads === 1 ? '1 (one)' : `${threads}`],
    ['Runs in', worker ? 'a worker: the page never waits' : 'the page itself'],
    ['Model', `${parameters.toLocaleString('en')} parameters, ${megabytes(bytes)}`],
    ['Memory', megabytes(heapBytes)],
    ['Loaded in', `${milliseconds(loadTimes.engine)} (engine) + ${milliseconds(loadTimes.model)} (model)`],
  ];
  find('dl', root).replaceChildren(
    ...facts.map(([name, value]) => make('div', {}, make('dt', {}, name), make('dd', {}, value))),
  );
  find('.notes', root).replaceChildren(...notes.map((note) => make('li', {}, note)));
}
