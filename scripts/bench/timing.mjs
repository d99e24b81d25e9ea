// All sides in turn, round by round, so that a machine that slows down slows all.

/** How long a side computes before the next one's turn. */
const turnMilliseconds = 100;

/**
 * Between two turns. The threads of onnxruntime-web spin for 25 ms after their work, measured as the time of a process that
 * is idle; ours for less. With this pause a side's time beside others is its time alone (--sides), within the spread.
 */
const settleMilliseconds = 50;

/** A turn begins with work that does not count: sleeping threads and a sleeping core take a while to wake. */
const leadInMilliseconds = 10;

/** V8 first runs what it compiled quickly, then what it compiled well. */
const warmUpMilliseconds = 150;

const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

export const median = (numbers) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)];

async function timeOf({ run }, repeats) {
  const start = performance.now();
  for (let i = 0; i < repeats; i++) await run();
  return (performance.now() - start) / repeats;
}

/** Runs until so much time has passed; the shortest time of a call. */
async function warm(solver, milliseconds) {
  let shortest = Number.POSITIVE_INFINITY;
  const end = performance.now() + milliseconds;
  do shortest = Math.min(shortest, await timeOf(solver, 1));
  while (performance.now() < end);
  return shortest;
}

/** `solvers`: side -> solver. Gives side -> milliseconds a call, one number for each round. */
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
