// Everything that reads a file of a checkpoint, with damaged and invented content: a typed error in the file's terms, soon.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { createEngine, loadModel, TransformerError } from '../../../dist/index.js';
import { tinyModel } from '../../lib/tiny_model.mjs';
import { settings } from './settings.mjs';

const text = (bytes) => new TextDecoder().decode(bytes);
const bytesOf = (value) =>
  new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value));

/** What a damaged file may end in: never an error of the caller's arguments, who has given none. */
const codes = new Set(['bad_checkpoint', 'unsupported', 'missing_file', 'out_of_memory']);

/** Values that configs do not expect. */
const odd = fc.oneof(
  fc.constantFrom(null, -1, 0, 1.5, 1e9, 2 ** 31 - 1, 2 ** 31, 2 ** 32, 1e300, '', 'x', [], {}, true, [[]]),
  fc.jsonValue({ maxDepth: 2 }),
);

/** Changes some bytes. */
const changes = fc.array(fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(255)), {
  minLength: 1,
  maxLength: 6,
});
function damaged(file, list) {
  const bytes = Uint8Array.from(file);
  for (const [place, value] of list) {
    // Mostly in the header.
    const within = value % 2 ? bytes.length : Math.min(bytes.length, 400);
    bytes[Math.min(bytes.length - 1, Math.floor(place * within))] = value;
  }
  return bytes;
}

describe('readers of checkpoints', () => {
  const model = tinyModel();
  let engine;
  before(async () => {
    engine = await createEngine({ threads: 1 });
  });
  after(() => engine.dispose());

  async function load(files) {
    const heap = engine.info.heapBytes;
    const begin = process.cpuUsage().user;
    try {
      const loaded = await loadModel(files, { engine });
      if (loaded.tokenizer) loaded.tokenizer.decode(loaded.tokenizer.encode('a cat sat').ids);
      await loaded.dispose();
    } catch (error) {
      assert.ok(error instanceof TransformerError, String(error?.stack ?? error));
      assert.ok(codes.has(error.code), `${error.code}: ${error.message}`);
    }
    const took = (process.cpuUsage().user - begin) / 1000;
    assert.ok(took < 5000, `took ${took} ms`);
    await engine.softmax([1]);
    assert.ok(engine.info.heapBytes <= heap + 4096, 'memory is left behind');
  }

  for (const name of model.keys()) {
    test(`${name} with changed bytes`, () =>
      fc.assert(
        fc.asyncProperty(changes, (list) => load(new Map(model).set(name, damaged(model.get(name), list)))),
        settings(60),
      ));
  }

  for (const name of [...model.keys()].filter((file) => file.endsWith('.json'))) {
    const fields = Object.keys(JSON.parse(text(model.get(name))));
    test(`${name} with other values in its fields`, () =>
      fc.assert(
        fc.asyncProperty(
          fc.dictionary(fc.constantFrom(...fields), odd, { minKeys: 1, maxKeys: 2 }),
          (given) =>
            load(new Map(model).set(name, bytesOf({ ...JSON.parse(text(model.get(name))), ...given }))),
        ),
        settings(150),
      ));
  }

  for (const name of ['llama/q4_0', 'llama/q5_1', 'llama_k/kmix']) {
    const file = readFileSync(new URL(`../../fixtures/gguf/${name}.gguf`, import.meta.url));
    const asMap = (bytes) => new Map([['model.gguf', bytes]]);
    test(`the GGUF file ${name} with changed bytes`, () =>
      fc.assert(
        fc.asyncProperty(changes, (list) => load(asMap(damaged(file, list)))),
        settings(60),
      ));

    test(`the GGUF file ${name} with changed bytes in its header, or cut off`, () =>
      fc.assert(
        fc.asyncProperty(fc.nat(9000), fc.nat(255), fc.boolean(), (place, value, isCut) => {
          const bytes = Uint8Array.from(file);
          bytes[place] = value;
          return load(asMap(isCut ? bytes.subarray(0, place) : bytes));
        }),
        settings(60),
      ));
  }

  test('config.json of every family with any sizes', () => {
    const families =
      'marian t5 bart mbart m2m_100 whisper gpt2 llama bloom bert roberta distilbert vit transformer nn.Transformer qwen3 gemma2 gemma3_text t5gemma modernbert modernbert-decoder nomic_bert eurobert smollm3 granite olmo3 exaone4 phi3 starcoder2 gptj stablelm gpt_bigcode cohere2 hunyuan_v1_dense ernie4_5 falcon mpt'.split(
        ' ',
      );
    const names =
      'd_model num_layers num_hidden_layers encoder_layers decoder_layers n_layer vocab_size hidden_size num_attention_heads max_position_embeddings d_kv d_ff intermediate_size rope_theta eos_token_id pad_token_id decoder_start_token_id forced_bos_token_id bad_words_ids suppress_tokens image_size patch_size head_dim num_key_value_heads sliding_window layer_types rope_scaling rope_parameters partial_rotary_factor rotary_dim query_pre_attn_scalar no_rope_layers no_rope_layer_interval local_attention attn_config num_kv_heads logits_scaling use_bidirectional_attention encoder decoder'.split(
        ' ',
      );
    const cases = fc.tuple(
      fc.constantFrom(...families),
      fc.dictionary(fc.constantFrom(...names), odd, { maxKeys: 12 }),
    );
    return fc.assert(
      fc.asyncProperty(cases, ([model_type, given]) =>
        load(new Map(model).set('config.json', bytesOf({ ...given, model_type }))),
      ),
      settings(300),
    );
  });
});
