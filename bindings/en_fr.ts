/**
 * `transformer-wasm/en-fr`: the English-French model that comes with the package, 1.9 MB. Its files are next to this
 * module in Node.js and on a CDN; bundlers copy them.
 * @module transformer-wasm/en-fr
 */

import { shippedModel } from './files/shipped_model.js';

/**
 * What `loadModel` takes: the address of each file.
 * @example
 * import enFr from 'transformer-wasm/en-fr';
 * const model = await loadModel(enFr);
 */
const enFr: ReadonlyMap<string, URL> = shippedModel('en-fr', () => ({
  'config.json': new URL('./models/en-fr/config.json', import.meta.url),
  'generation_config.json': new URL('./models/en-fr/generation_config.json', import.meta.url),
  'model.safetensors': new URL('./models/en-fr/model.safetensors', import.meta.url),
  'tokenizer.json': new URL('./models/en-fr/tokenizer.json', import.meta.url),
  'tokenizer_config.json': new URL('./models/en-fr/tokenizer_config.json', import.meta.url),
}));

export default enFr;
