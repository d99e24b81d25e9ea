/** The page "How fast is it here?": measures when asked, draws what is known, and shares it. */

import { action } from '../drawing/controls.js';
import { find, make } from '../drawing/dom.js';
import { copyButton } from '../page/copy_button.js';
import { fillStaticWords, languageQuery } from '../page/language.js';
import { loadMessage, shownMessage } from '../page/messages.js';
import { showThreads } from '../page/threads_note.js';
import { words } from '../words/words.js';
import { browserText } from './browser.js';
import { drawReports } from './draw.js';
import { measureAll, type Step, stepText } from './measure.js';
import { formatReport, parseReport, type Report, rowNames, textOf } from './report.js';

/** What is not measured by then is left out. */
const mostMilliseconds = 115_000;

/** `?rounds=1` for the impatient. */
const rounds = Math.min(20, Math.max(1, Number(new URLSearchParams(location.search).get('rounds')) || 5));

fillStaticWords();

const shared = parseReport(location.hash);
let here: Report | null = null;
let running: AbortController | null = null;

const start = action(words.speed.measure, () => void (running ? running.abort() : measure()));
const progress = make('progress', { max: 1, value: 0, hidden: true, 'aria-label': words.speed.measuring });
const status = make('p', { class: 'spoken', role: 'status' });
const alert = make('div', { class: 'message', role: 'alert' });
const results = make('div', { class: 'results' });
const addressOf = (report: Report) =>
  `${location.origin}${location.pathname}${languageQuery()}${formatReport(report)}`;
const sharing = make(
  'div',
  { class: 'controls', hidden: true },
  copyButton(words.speed.copyText, () => (here ? textOf(here, addressOf(here)) : '')),
  copyButton(words.page.copyLink, () => (here ? addressOf(here) : '')),
  make('span', { class: 'name' }, words.speed.linkCarries),
);

function draw(): void {
  results.replaceChildren(...drawReports(here, shared));
  sharing.hidden = !here || here.measured.length === 0;
}

function showStep(step: Step): void {
  progress.value = step.done / step.all;
  status.textContent = words.speed.step(step.done + 1, step.all, stepText(step, rowNames));
}

/** Collects what is found until all is, or the time is over, or the visitor has had enough. */
async function collect(signal: AbortSignal): Promise<void> {
  for await (const found of measureAll({ rounds, onStep: showStep, signal })) {
    const { limits, measured, ...rest } = here as Report;
    if (found.kind === 'engine') {
      here = { ...rest, limits, measured, engine: `${found.version}, ${found.variant}` };
      showThreads(threads, found, '../isolation.js');
    } else if (found.kind === 'limits') here = { ...rest, limits: [...limits, found.limits], measured };
    else here = { ...rest, limits, measured: [...measured, found] };
    draw();
  }
}

async function measure(): Promise<void> {
  running = new AbortController();
  const { signal } = running;
  const timer = setTimeout(() => running?.abort(), mostMilliseconds);
  here = { engine: '', browser: browserText(), limits: [], measured: [] };
  start.textContent = words.speed.stop;
  progress.hidden = false;
  alert.textContent = '';
  try {
    await collect(signal);
    status.textContent = words.speed.done;
    history.replaceState(null, '', formatReport(here));
  } catch (error) {
    status.textContent = signal.aborted ? words.speed.stopped : '';
    if (!signal.aborted) alert.replaceChildren(...shownMessage(loadMessage(error)));
  }
  clearTimeout(timer);
  running = null;
  start.textContent = words.speed.again;
  progress.hidden = true;
  draw();
}

const threads = make('div', { class: 'note' });
find('.speed .links').before(
  make('div', { class: 'controls' }, start, progress),
  status,
  alert,
  sharing,
  results,
  threads,
);
draw();
