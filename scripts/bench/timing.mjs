// All sides take turns in every round, so that a slow phase of the machine affects all of them.

/** How long a side computes before it is the next one's turn. */
const turnMilliseconds = 100;

/**
 * The pause between two turns. The threads of onnxruntime-web spin for 25 ms after their work, measured as the CPU time of an
 * idle process; ours spin for less. With this pause, a side is as fast beside others as alone (--sides), within the spread.
 */
const settleMilliseconds = 50;

/** A turn begins with a warm-up that does not count: sleeping threads and cores take a while to wake up. */
const leadInMilliseconds = 10;

/** V8 starts with quickly compiled code and replaces it by optimised code. */
const warmUpMilliseconds = 150;

const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

export const median = (numbers) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)];

async function timeOf({ run }, repeats) {
  const start = performance.now();
  for (let i = 0; i < repeats; i++) await run();
  return (performance.now() - start) / repeats;
}

/** The clock of a page counts in such steps, so that a shorter call may seem to take no time at all. */
const clockMilliseconds = 0.005;

/** Runs for the given time; returns the shortest time of a call. */
async function warm(solver, milliseconds) {
  let shortest = Number.POSITIVE_INFINITY;
  const end = performance.now() + milliseconds;
  do shortest = Math.min(shortest, await timeOf(solver, 1));
  while (performance.now() < end);
  return Math.max(shortest, clockMilliseconds);
}

/** `solvers`: side -> solver. Returns side -> milliseconds per call, one number per round. */
export async function timesOf(solvers, rounds) {
  const turns = [];
  for (const [side, solver] of solvers) {
    const call = await warm(solver, warmUpMilliseconds);
    turns.push({ solver, call, repeats: Math.max(1, Math.round(turnMilliseconds / call)), side, times: [] });
  }
  for (let round = 0; round < rounds; round++) {
    for (const { solver, call, repeats, times } of turns) {
      await sleep(settleMilliseconds);
      if (call < leadInMilliseconds) await warm(solver, leadInMilliseconds);
      times.push(await timeOf(solver, repeats));
    }
  }
  return new Map(turns.map(({ side, times }) => [side, times]));
}

/** As records have it. */
export const threeDigits = (value) => (value === undefined ? undefined : Number(value.toPrecision(3)));
