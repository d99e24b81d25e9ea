// What load.mjs measures in a page.

/**
 * The engine is there already, as it is when it starts while the files are on their way.
 *
 * @returns milliseconds to fetch the weights and do nothing with them, and to load the model
 */
export async function measureLoading({ createEngine, loadModel }, { url, dtype }) {
  const engine = await createEngine();
  const times = [];
  const time = async (work) => {
    const begin = performance.now();
    await work();
    times.push(performance.now() - begin);
  };
  await time(async () => {
    const reader = (await fetch(`${url}/model.safetensors`)).body.getReader();
    while (!(await reader.read()).done);
  });
  await time(() => loadModel(`${url}/`, { engine, dtype }));
  return times;
}
