// Greedy decoding and beam search in plain JavaScript over a model's teacher-forced logits: an independent, slow and
// simple twin of the engine's.

/** [vocabulary] -> log-probabilities in double precision */
export function logSoftmax(logits) {
  const max = Math.max(...logits);
  const logSum = Math.log(logits.reduce((sum, x) => sum + Math.exp(x - max), 0));
  return logits.map((x) => x - max - logSum);
}

/** The logits after each token of the decoder: [time][vocabulary]. */
export async function logitsOf(model, source, ids) {
  const { logits } = await model.forward({ inputIds: [source], decoderInputIds: [ids] });
  const vocab = logits.shape[2];
  return Array.from({ length: ids.length }, (_, t) =>
    Array.from(logits.data.subarray(t * vocab, (t + 1) * vocab)),
  );
}

const argmax = (values) => values.indexOf(Math.max(...values));

export async function greedy(model, source, { start, eos, maxNewTokens }) {
  const ids = [start];
  while (ids.length <= maxNewTokens && ids.at(-1) !== eos)
    ids.push(argmax((await logitsOf(model, source, ids)).at(-1)));
  return ids;
}

/**
 * @returns {Promise<{ ids: number[], score: number }[]>} the finished hypotheses, best first
 */
export async function beamSearch(
  model,
  source,
  { start, eos, maxNewTokens, numBeams, lengthPenalty, earlyStopping },
) {
  let live = [{ ids: [start], sum: 0 }];
  const finished = [];
  const finish = ({ ids, sum }) => {
    finished.push({ ids, score: sum / (ids.length - 1) ** lengthPenalty });
    finished.sort((a, b) => b.score - a.score);
    finished.splice(numBeams);
  };
  for (let step = 1; step <= maxNewTokens; step++) {
    const candidates = [];
    for (const { ids, sum } of live) {
      const scores = logSoftmax((await logitsOf(model, source, ids)).at(-1));
      for (const [id, score] of scores.entries()) candidates.push({ ids: [...ids, id], sum: sum + score });
    }
    candidates.sort((a, b) => b.sum - a.sum);
    const best = candidates.slice(0, 2 * numBeams);
    live = [];
    for (const [rank, candidate] of best.entries()) {
      if (candidate.ids.at(-1) !== eos) {
        if (live.length < numBeams) live.push(candidate);
      } else if (rank < numBeams && live.length < numBeams) finish(candidate);
    }
    if (finished.length === numBeams) {
      if (earlyStopping === true) return finished;
      const length = earlyStopping === 'never' && lengthPenalty > 0 ? maxNewTokens : step;
      if (finished.at(-1).score >= best[0].sum / length ** lengthPenalty) return finished;
    }
  }
  for (const beam of live) finish(beam);
  return finished;
}
