// What load.mjs measures in a page.

/**
 * The engine is there already, as it is when it starts while the files are on their way.
 *
 * @param weights address of the file with the weights, which `url` itself may be
 * @returns milliseconds to fetch the weights and do nothing with them, and to load the model; the longest task of the page
 *   meanwhile, 0 for none of 50 ms
 */
export async function measureLoading({ createEngine, loadModel }, { url, weights, dtype }) {
  const engine = await createEngine();
  const times = [];
  const time = async (work) => {
    const begin = performance.now();
    await work();
    times.push(performance.now() - begin);
  };
  await time(async () => {
    const reader = (await fetch(weights)).body.getReader();
    while (!(await reader.read()).done);
  });
  let longest = 0;
  const observer = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) longest = Math.max(longest, duration);
  });
  observer.observe({ type: 'longtask' });
  await time(() => loadModel(url, { engine, dtype }));
  await new Promise((resolve) => setTimeout(resolve, 100)); // entries come later
  observer.disconnect();
  return [...times, longest];
}
