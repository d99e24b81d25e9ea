/** UTF-8 decoders, made when they are first used: Jest's jsdom has none, and an import must not fail there. */

import { fail } from './errors.js';

/** @throws TransformerError `unsupported` when it is first called where there are none */
export function utf8Decoder(options: TextDecoderOptions): (bytes: Uint8Array) => string {
  let decoder: TextDecoder | undefined;
  return (bytes) => {
    decoder ??= makeDecoder(options);
    return decoder.decode(bytes);
  };
}

/** @throws TypeError for bytes that are not UTF-8; a byte order mark is a character of the text */
export const decodeStrictly = utf8Decoder({ fatal: true, ignoreBOM: true });

function makeDecoder(options: TextDecoderOptions): TextDecoder {
  if (typeof TextDecoder === 'function') return new TextDecoder('utf-8', options);
  return fail(
    'unsupported',
    "There is no TextDecoder here. In Jest's jsdom environment, set globalThis.TextDecoder to that of node:util.",
  );
}
