// A clock that a test winds on, so that no limit of a wait is waited for.

import { mock } from 'node:test';

const realTimeout = setTimeout;
const moment = () => new Promise((resolve) => realTimeout(resolve, 2));

/** Winds the clock on, a second at a time, until the work is over; the outcome, and the seconds that it took. */
export async function onMockClock(work) {
  mock.timers.enable({ apis: ['setTimeout'] });
  try {
    let outcome;
    Promise.resolve(work()).then(
      (value) => {
        outcome = { value };
      },
      (error) => {
        outcome = { error };
      },
    );
    let seconds = 0;
    for (; !outcome; seconds++) {
      if (seconds > 1000) throw new Error('The work is not over after 1000 seconds.');
      await moment();
      if (!outcome) mock.timers.tick(1000);
    }
    return { ...outcome, seconds };
  } finally {
    mock.timers.reset();
  }
}

/** Makes the pauses between attempts take no time, until the returned function is called; limits stay as they are. */
export function hurried() {
  globalThis.setTimeout = (work, milliseconds, ...rest) =>
    realTimeout(work, milliseconds < 10_000 ? 0 : milliseconds, ...rest);
  return () => {
    globalThis.setTimeout = realTimeout;
  };
}
