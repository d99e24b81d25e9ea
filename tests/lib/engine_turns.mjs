// Engines made, filled and disposed one after the other, in Node.js or in a browser: what one has held must come back.

/** Of one engine: much more than what it costs besides. */
export const bytesOfTurn = 4e6;

/** Makes and disposes `turns` engines. The last call of each is pending when it ends. */
export async function turnEngines({ createEngine }, turns, options) {
  const size = Math.sqrt(bytesOfTurn / 4);
  for (let i = 0; i < turns; i++) {
    const engine = await createEngine(options);
    if (engine.info.threads !== options.threads) throw new Error(engine.info.notes.join(' '));
    const layer = await engine.linear({ inFeatures: size | 0, outFeatures: size | 0 }, { seed: i });
    await layer.forward([new Float32Array(size | 0)]);
    const pending = engine.softmax([1]).catch((error) => {
      if (error.code !== 'disposed') throw error;
    });
    await engine.dispose();
    await pending;
  }
}

/** Every kind of engine that ends on its own: with its threads, in a worker or not. */
export const engineKinds = [1, 2, 3].flatMap((threads) => [
  { threads, worker: false },
  { threads, worker: true },
]);

/**
 * Measures until the memory is back near what it was, since collectors and systems take their time; at most `attempts` times.
 * @returns how many bytes more there are now
 */
export async function growthSince(before, measure, attempts = 20) {
  let grown = Infinity;
  for (let i = 0; i < attempts && grown > 2 * bytesOfTurn; i++)
    grown = Math.min(grown, (await measure()) - before);
  return grown;
}

/** @returns the bytes by which this process, started with --expose-gc, grows while so many engines come and go */
export async function growthInNode(library, turns, kind) {
  const residentBytes = async () => {
    await new Promise((resolve) => setTimeout(resolve, 20)); // threads that were ended take their time
    globalThis.gc();
    return process.memoryUsage.rss();
  };
  await turnEngines(library, Math.ceil(turns / 5), kind);
  const before = await residentBytes();
  await turnEngines(library, turns, kind);
  return growthSince(before, residentBytes);
}
