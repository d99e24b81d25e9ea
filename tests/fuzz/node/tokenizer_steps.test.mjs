// Random steps of tokenizer.json on random texts: ids, tokens, types, places and decoded texts are those of the original library,
// Hugging Face's tokenizers in Rust.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Tokenizer as Original } from '@anush008/tokenizers';
import fc from 'fast-check';
import { tokenizerOf } from '../../lib/tokenizer_folders.mjs';
import { safeText, texts, tokenizerFiles } from '../../lib/tokenizer_steps.mjs';
import { settings } from './settings.mjs';

/** Places in code points as UTF-16 units, without white space at their ends. */
function placesIn(text, places) {
  const units = [0];
  for (const letter of text) units.push(units.at(-1) + letter.length);
  return places.map(([first, last]) => {
    let [begin, end] = [units[first], units[last]];
    if (end <= begin) return null;
    const whole = [begin, end];
    while (begin < end && /\s/.test(text[begin])) begin++;
    while (end > begin && /\s/.test(text[end - 1])) end--;
    return begin < end ? [begin, end] : whole;
  });
}

/** The original moves the places of what follows a letter that it leaves out, and those of bytes with marks. */
const hasPlaces = ({ model }) =>
  model.type !== 'BPE' ||
  (model.unk_token !== null &&
    !model.end_of_word_suffix &&
    !(model.byte_fallback && model.continuing_subword_prefix));

let compared = 0;

async function compare(json, given, other) {
  const [text, pair] = [safeText(json, given), safeText(json, other)];
  const original = Original.fromString(JSON.stringify(json));
  const ours = await tokenizerOf({ 'tokenizer.json': json });
  for (const [second, addSpecialTokens] of [
    [null, false],
    [pair, true],
  ]) {
    // A word that no token stands for is an error there, and here.
    const expected = await original.encode(text, second, { addSpecialTokens }).catch(() => null);
    if (!expected) continue;
    const encoding = ours.encode(text, { addSpecialTokens, ...(second !== null && { pair: second }) });
    assert.deepEqual(encoding.ids, expected.getIds());
    assert.deepEqual(encoding.tokens, expected.getTokens());
    assert.deepEqual(encoding.typeIds, expected.getTypeIds());
    if (second === null && hasPlaces(json))
      assert.deepEqual(encoding.offsets, placesIn(text, expected.getOffsets()));
    for (const skipSpecialTokens of [true, false])
      assert.equal(
        ours.decode(encoding.ids, { skipSpecialTokens }),
        await original.decode(encoding.ids, skipSpecialTokens),
      );
    compared++;
  }
}

test("the original library's results", async () => {
  await fc.assert(fc.asyncProperty(tokenizerFiles, texts, texts, compare), settings(3000));
  assert.ok(compared > 1000, `${compared}`);
});
