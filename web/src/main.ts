/** Puts the page together: the stage, the views below it, and the selection that they share. */

import { createEngine, type Engine, type Model } from 'transformer-wasm';
import { action } from './drawing/controls.js';
import { find, make } from './drawing/dom.js';
import { onSightChange } from './drawing/visible.js';
import { arriveAt, holdAnchor } from './page/anchor.js';
import { cardsOf, chaptersOf } from './page/chapters.js';
import { embed } from './page/embedded.js';
import { fillStaticWords, languageSwitch } from './page/language.js';
import { loadMessage } from './page/messages.js';
import { present } from './page/present.js';
import { onPrintKey, printAddress, printSheets } from './page/printed.js';
import { drawStory, ShownViews } from './page/sight.js';
import type { Page } from './page/view.js';
import { firstTexts } from './reading/examples.js';
import { Readings } from './reading/readings.js';
import type { Session } from './reading/session.js';
import { visitOf } from './reading/visit.js';
import { SelectionStore } from './selection/selection.js';
import { End } from './stage/end.js';
import { playOpening } from './stage/opening.js';
import { Stage } from './stage/stage.js';
import { follow } from './tour/follow.js';
import { story, views, workbench } from './views/index.js';
import { words } from './words/words.js';
import { Workbench } from './workbench/workbench.js';

// Before anything is drawn: its worker starts meanwhile, which takes longest.
const engine = startEngine();

fillStaticWords();

const embedded = new URLSearchParams(location.search).get('embed');
const selection = new SelectionStore(firstTexts[0], holdAnchor);
const readings = new Readings(selection);

let opening: Promise<Session> | undefined;
let visitors: Model | null = null;
/** What a model without a tokenizer is shown with at first. */
const someIds = '5 17 3 9';

/** The session, which `open` has begun. */
const ready = () => opening as Promise<Session>;
const page: Page = {
  selection,
  engine: async () => (await ready()).engine,
  model: async () => visitors ?? (await ready()).model,
  use: (model) => {
    const former = visitors;
    visitors = model;
    const isWithoutWords = model !== null && !model.tokenizer && !/\d/.test(selection.current.text);
    const text = isWithoutWords ? someIds : selection.current.text;
    selection.set({ head: null, word: null, off: [], prefix: [], text });
    void page.model().then((next) => {
      stage.use(next);
      readings.use(next, model === null);
      if (model)
        stage.facts.showOwn(
          model.info.bytes,
          action(words.yourModel.back, () => page.use(null)),
        );
      else void ready().then(showVisit);
      former?.dispose();
    });
  },
  isVisitors: () => visitors !== null,
};

const stage = new Stage(find('#stage'), page);
find('.bar-inside').append(languageSwitch());
printAddress(find('#stage'));
document.body.classList.toggle('embed', embedded !== null);
find('#stage').hidden = embedded !== null && embedded !== 'stage';
// The heading of the hidden stage does not count.
if (find('#stage').hidden) find('main').prepend(make('h1', { class: 'visually-hidden' }, words.page.aView));
const drawn = new ShownViews(page, () =>
  readings.current ? { selection: selection.current, reading: readings.current } : null,
);
const told = embedded === null ? chaptersOf(story) : [];
const laid = cardsOf(workbench);
const storyRoot = make('div', { class: 'story' }, ...drawStory(told, drawn));
find('main').append(storyRoot);
const alone = views.find(({ id }) => id === embedded);
if (alone) storyRoot.append(drawn.show(alone));
/** How long a reader stays with a chapter. */
const minutesOfChapter = 1.8;
const follower = told.length > 0 ? follow(storyRoot, { told, laid }, page, () => readings.current) : null;
const end = told.length > 0 ? new End(page, () => printSheets(storyRoot, drawn)) : null;
const bench = told.length > 0 ? new Workbench(laid, drawn, selection) : null;
if (end && bench) find('main').append(end.element, bench.element);
if (told[0] && follower) {
  stage.ask(told[0]);
  const play = action(`▶ ${words.tour.readAlong}`, follower.play);
  play.className = 'read-along';
  stage.facts.showStory(told.length, Math.round(told.length * minutesOfChapter), play);
  onPrintKey(() => printSheets(storyRoot, drawn));
}

readings.subscribe((reading, outcome) => {
  stage.show(reading, outcome);
  end?.show(reading);
  drawn.changed();
  follower?.changed();
  if (reading) void page.model().then((model) => bench?.draw(model, reading));
});
selection.subscribe(() => {
  stage.select();
  bench?.open();
  drawn.changed();
  follower?.changed();
});

if (embedded !== null) embed(find('main'), selection);
if (new URLSearchParams(location.search).has('present')) present(find('main'));

onSightChange(find('#stage'), (isInSight) => {
  stage.facts.isAway = !isInSight;
});

/** Says in the bar what is loaded of our model's page. */
const showVisit = ({ engine, model }: Session) =>
  stage.facts.showVisit(visitOf(model.info.bytes), engine.info.threads);

// What is fetched as one scrolls counts too.
new PerformanceObserver(() => {
  if (!visitors) void opening?.then(showVisit).catch(() => undefined);
}).observe({ type: 'resource' });

function startEngine(): Promise<Engine> {
  const starting = createEngine();
  // Whoever waits for it hears of a failure.
  starting.catch(() => {});
  return starting;
}

/** The session, or no engine either. */
async function openWith(starting: Promise<Engine>): Promise<Session> {
  try {
    const { openSession } = await import('./reading/session.js');
    return await openSession(starting, (progress) => stage.facts.showLoading(progress));
  } catch (error) {
    await (await starting.catch(() => undefined))?.dispose();
    throw error;
  }
}

function open(starting: Promise<Engine>): void {
  opening = openWith(starting);
  opening.then(
    (session) => {
      const { model } = session;
      showVisit(session);
      stage.use(model);
      readings.use(model, true);
    },
    (error: unknown) => stage.showError(loadMessage(error), () => open(startEngine())),
  );
}

const isFresh = location.hash === '' && embedded === null;
if (readings.current) stage.show(readings.current, { kind: 'read', milliseconds: null });
open(engine);
if (isFresh) {
  playOpening(() => {
    stage.playSlowly();
    selection.set({ text: firstTexts[1] }, 'replace');
  });
}
const { view, step } = selection.current;
if (view || step > 0) arriveAt(view || (told[step - 1]?.views[0].id ?? ''));
