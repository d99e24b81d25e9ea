/** Where the files of the page's models are: beside the page. The page that is a single file has them inside instead. */

/** All files of the small models, so that the page asks for nothing that is not there. */
const files = {
  digits: ['config.json', 'preprocessor_config.json', 'model.safetensors'],
} as const;

/** The folder of the translation model, for `loadModel`. */
export const translationModel = new URL('models/en-fr/', document.baseURI).href;

/** The files of a small model, for `loadModel`. */
export async function smallModel(name: keyof typeof files): Promise<Map<string, Blob>> {
  const blobs = files[name].map(
    async (file) => [file, await (await request(`models/${name}/${file}`)).blob()] as const,
  );
  return new Map(await Promise.all(blobs));
}

/** A file that is not part of a checkpoint. */
export const readJson = async <T>(path: string): Promise<T> => (await request(path)).json() as Promise<T>;

async function request(path: string): Promise<Response> {
  const response = await fetch(new URL(path, document.baseURI));
  if (!response.ok) throw new Error(`${path} could not be loaded: the server answered ${response.status}.`);
  return response;
}
