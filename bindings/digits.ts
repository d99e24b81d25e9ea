/**
 * `transformer-wasm/digits`: the vision transformer that comes with the package and reads digits, 180 kB. Its files are
 * next to this module in Node.js and on a CDN; bundlers copy them.
 * @module transformer-wasm/digits
 */

import { shippedModel } from './files/shipped_model.js';

/**
 * What `loadModel` takes: the address of each file.
 * @example
 * import digits from 'transformer-wasm/digits';
 * const model = await loadModel(digits);
 */
const digits: ReadonlyMap<string, URL> = shippedModel('digits', () => ({
  'config.json': new URL('./models/digits/config.json', import.meta.url),
  'model.safetensors': new URL('./models/digits/model.safetensors', import.meta.url),
  'preprocessor_config.json': new URL('./models/digits/preprocessor_config.json', import.meta.url),
}));

export default digits;
