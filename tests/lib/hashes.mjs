// Hashes of what an engine computes, the same in Node.js and in every browser.

import { hashOf } from '../../build/modules/engine/fingerprint.js';

export const texts = [
  'I am hungry.',
  'The big cat sleeps on the red chair because it is tired.',
  'Where is the station?',
];

/** As `translate --hash` prints it: of the tokens and the bits of their score. */
const hashOfTranslation = ({ tokens, score }) =>
  hashOf([new TextEncoder().encode(JSON.stringify(tokens)), new Uint8Array(Float32Array.of(score).buffer)]);

/** The engine's own hash, and those of translations: greedy and with beams, one by one and as a batch; drawn. */
export async function hashesOf(engine, model) {
  const translate = async (input, options) => (await model.translate(input, options)).map(hashOfTranslation);
  const oneByOne = async (options) =>
    (await Promise.all(texts.map((text) => translate([text], options)))).flat();
  return {
    engine: engine.info.hash,
    greedy: await oneByOne({}),
    greedyBatch: await translate(texts, {}),
    beams: await oneByOne({ numBeams: 3 }),
    beamsBatch: await translate(texts, { numBeams: 3 }),
    drawn: await translate(texts, { doSample: true, seed: 7 }),
  };
}
