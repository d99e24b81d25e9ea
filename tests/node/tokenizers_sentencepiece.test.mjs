// SentencePiece models against SentencePiece itself: the same ids and text, for ordinary and unusual lines.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { atOnce } from '../../build/modules/engine/steps.js';
import { SentencePiece } from '../../build/modules/tokenizers/sentencepiece.js';
import { parseSentencePiece } from '../../build/modules/tokenizers/sentencepiece_file.js';
import { expectedOf, fixture, lines } from '../lib/tokenizer_folders.mjs';

const modelOf = (name) => new SentencePiece(parseSentencePiece(fixture(`${name}.model`), `${name}.model`));

/** The letters of a piece, as in a text. */
const lettersOf = (piece) => piece.replaceAll('▁', ' ').trim();

const models = {
  unigram: 'unigram with the character map of NFKC, as T5, mBART and NLLB',
  bpe_bytes: 'BPE that falls back to bytes and keeps all spaces, as Llama',
  unigram_symbols: 'unigram with symbols, a map of its own, bytes, and no space before the first word',
  bpe_suffix: 'BPE with symbols and with the space after the words',
};

for (const [name, what] of Object.entries(models)) {
  describe(what, () => {
    const model = modelOf(name);
    const { cases, decodes } = expectedOf(name);
    const piecesOf = (ids) => ids.map((id) => model.file.pieces[id].text);

    test(`ids of ${lines.length} lines`, () => {
      assert.equal(cases.length, lines.length);
      for (const [i, line] of lines.entries()) {
        const ids = atOnce(model.encode(line)).map(({ id }) => id);
        assert.deepEqual(ids, cases[i][0], JSON.stringify(line));
      }
    });

    test('text of their ids, and of ids in any order', () => {
      for (const [ids, text] of [...cases, ...decodes])
        assert.equal(model.decode(piecesOf(ids)), text, `${ids}`);
    });

    test('positions: in order, within the text, with only spaces between them', () => {
      for (const line of lines) {
        let end = 0;
        for (const { span } of atOnce(model.encode(line))) {
          if (!span) continue;
          assert.ok(span[0] >= 0 && span[0] < span[1] && span[1] <= line.length);
          const isSame = span[1] === end;
          assert.ok(isSame || span[0] >= end || line.slice(span[0], end).length <= 2, JSON.stringify(line));
          end = Math.max(end, span[1]);
        }
      }
    });
  });
}

test('if no character changes, each position contains the letters of its token', () => {
  const model = modelOf('bpe_bytes');
  let compared = 0;
  for (const line of lines) {
    for (const { piece, span } of atOnce(model.encode(line))) {
      if (!span || piece.startsWith('<0x')) continue;
      assert.equal(lettersOf(line.slice(...span)), lettersOf(piece), JSON.stringify(line));
      compared++;
    }
  }
  assert.ok(compared > 1000);
});

test('positions through a normalizer that merges and splits characters', () => {
  const model = modelOf('unigram');
  const look = (text) =>
    atOnce(model.encode(text)).map(({ piece, span }) => [piece, span && text.slice(...span)]);
  assert.deepEqual(look('  the   cat '), [
    ['▁the', 'the'],
    ['▁cat', 'cat'],
  ]);
  assert.deepEqual(look('ｔｈｅ cat')[0], ['▁the', 'ｔｈｅ']);
  const marks = 'e\u0301le\u0300ve';
  const joined = look(marks).map(([, place]) => place);
  assert.equal(joined.join(''), marks);
  // Both letters come from the same ligature, so both have its position.
  const ligature = look('ﬀ');
  assert.ok(ligature.length >= 1 && ligature.every(([, place]) => place === null || place === 'ﬀ'));
  // A lone surrogate is its replacement in UTF-8.
  assert.equal(atOnce(model.encode('a\ud800b')).at(-1).span[1], 3);
});

test('all bytes of a character have its position', () => {
  const model = modelOf('bpe_bytes');
  const text = 'a ꀀ b';
  const bytes = atOnce(model.encode(text)).filter(({ piece }) => piece.startsWith('<0x'));
  assert.deepEqual(
    bytes.map(({ piece, span }) => [piece, text.slice(...span)]),
    [
      ['<0xEA>', 'ꀀ'],
      ['<0x80>', 'ꀀ'],
      ['<0x80>', 'ꀀ'],
    ],
  );
});
