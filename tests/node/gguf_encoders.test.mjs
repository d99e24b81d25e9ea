// GGUF files of encoders and of T5: what PyTorch gives for the same weights, under the names of llama.cpp's converter.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { parseSentencePiece } from '../../build/modules/tokenizers/sentencepiece_file.js';
import { createEngine, loadModel, loadTokenizer } from '../../dist/index.js';
import { pipeline } from '../../dist/pipeline.js';
import { assertPass, readFamilyCase } from '../lib/families.mjs';
import { writeGguf } from '../lib/gguf.mjs';
import { assertClose } from '../lib/reference.mjs';
import { readSafetensors } from '../lib/safetensors.mjs';
import { expectedOf, fixture, lines } from '../lib/tokenizer_folders.mjs';

let engine;
before(async () => {
  engine = await createEngine({ threads: 1 });
});
after(() => engine.dispose());

const bertNames = [
  [/^(bert|roberta)\./, ''],
  [/^embeddings\.word_embeddings/, 'token_embd'],
  [/^embeddings\.token_type_embeddings/, 'token_types'],
  [/^embeddings\.position_embeddings/, 'position_embd'],
  [/^embeddings\.LayerNorm/, 'token_embd_norm'],
  [/^encoder\.layer\./, 'blk.'],
  [/attention\.self\.query/, 'attn_q'],
  [/attention\.self\.key/, 'attn_k'],
  [/attention\.self\.value/, 'attn_v'],
  [/attention\.output\.dense/, 'attn_output'],
  [/attention\.output\.LayerNorm/, 'attn_output_norm'],
  [/intermediate\.dense/, 'ffn_up'],
  [/output\.dense/, 'ffn_down'],
  [/output\.LayerNorm/, 'layer_output_norm'],
  [/^(pooler|classifier)\.dense/, 'cls'],
  [/^classifier(\.out_proj)?\./, 'cls.output.'],
];
const nomicNames = [
  [/^embeddings\.word_embeddings/, 'token_embd'],
  [/^embeddings\.token_type_embeddings/, 'token_types'],
  [/^emb_ln/, 'token_embd_norm'],
  [/^encoder\.layers\./, 'blk.'],
  [/attn\.Wqkv/, 'attn_qkv'],
  [/attn\.out_proj/, 'attn_output'],
  [/norm1/, 'attn_output_norm'],
  [/mlp\.fc11/, 'ffn_up'],
  [/mlp\.fc12/, 'ffn_gate'],
  [/mlp\.fc2/, 'ffn_down'],
  [/norm2/, 'layer_output_norm'],
];
const modernNames = [
  [/^model\./, ''],
  [/^embeddings\.tok_embeddings/, 'token_embd'],
  [/^embeddings\.norm/, 'token_embd_norm'],
  [/^final_norm/, 'output_norm'],
  [/^layers\./, 'blk.'],
  [/attn\.Wqkv/, 'attn_qkv'],
  [/attn\.Wo/, 'attn_output'],
  [/mlp_norm/, 'ffn_norm'],
  [/mlp\.Wi/, 'ffn_up'],
  [/mlp\.Wo/, 'ffn_down'],
  [/^head\.dense/, 'cls'],
  [/^head\.norm/, 'cls.norm'],
  [/^classifier/, 'cls.output'],
];
const gemmaNames = [
  [/^embed_tokens/, 'token_embd'],
  [/^norm/, 'output_norm'],
  [/^layers\./, 'blk.'],
  [/self_attn\.([qkv])_proj/, 'attn_$1'],
  [/self_attn\.([qk])_norm/, 'attn_$1_norm'],
  [/self_attn\.o_proj/, 'attn_output'],
  [/input_layernorm/, 'attn_norm'],
  [/post_attention_layernorm/, 'post_attention_norm'],
  [/pre_feedforward_layernorm/, 'ffn_norm'],
  [/post_feedforward_layernorm/, 'post_ffw_norm'],
  [/mlp\.(gate|up|down)_proj/, 'ffn_$1'],
];
const t5Names = [
  [/^shared/, 'token_embd'],
  [/^lm_head/, 'output'],
  [/^(enc|dec)oder\./, '$1.'],
  [/block\./, 'blk.'],
  [/final_layer_norm/, 'output_norm'],
  [/layer\.\d\.SelfAttention\.relative_attention_bias/, 'attn_rel_b'],
  [/layer\.\d\.SelfAttention\./, 'attn_'],
  [/layer\.\d\.EncDecAttention\./, 'cross_attn_'],
  [/layer\.0\.layer_norm/, 'attn_norm'],
  [/(dec\.blk\.\d+\.)layer\.1\.layer_norm/, '$1cross_attn_norm'],
  [/layer\.\d\.layer_norm/, 'ffn_norm'],
  [/layer\.\d\.DenseReluDense\.wi_0/, 'ffn_gate'],
  [/layer\.\d\.DenseReluDense\.(wi|wi_1)\./, 'ffn_up.'],
  [/layer\.\d\.DenseReluDense\.wo/, 'ffn_down'],
];

const u32 = (value) => ['u32', value];
const f32 = (value) => ['f32', value];

/** The keys of a case, without the name of its architecture. */
const commonKeys = (config) => ({
  context_length: u32(config.max_position_embeddings),
  embedding_length: u32(config.hidden_size),
  block_count: u32(config.num_hidden_layers),
  feed_forward_length: u32(config.intermediate_size),
  'attention.head_count': u32(config.num_attention_heads),
  'attention.causal': ['bool', false],
});
const layerNorm = (epsilon) => ({ 'attention.layer_norm_epsilon': f32(epsilon) });

const kinds = {
  bert: {
    names: bertNames,
    keys: (config) => ({ ...commonKeys(config), ...layerNorm(config.layer_norm_eps) }),
  },
  'nomic-bert': {
    names: nomicNames,
    keys: (config) => ({
      ...commonKeys(config),
      ...layerNorm(config.layer_norm_eps),
      'rope.freq_base': f32(config.rope_parameters.rope_theta),
      pooling_type: u32(1),
    }),
  },
  'modern-bert': {
    names: modernNames,
    keys: (config) => ({
      ...commonKeys(config),
      ...layerNorm(config.norm_eps),
      'rope.freq_base': f32(config.rope_parameters.full_attention.rope_theta),
      'rope.scaling.type': 'none',
      'attention.sliding_window': u32(config.local_attention),
      'attention.sliding_window_pattern': u32(3),
    }),
  },
  'gemma-embedding': {
    names: gemmaNames,
    keys: (config) => ({
      ...commonKeys(config),
      'attention.head_count_kv': u32(config.num_key_value_heads),
      'attention.key_length': u32(config.head_dim),
      'attention.value_length': u32(config.head_dim),
      'attention.layer_norm_rms_epsilon': f32(config.rms_norm_eps),
      'attention.sliding_window': u32(config.sliding_window),
      'attention.sliding_window_pattern': u32(config._sliding_window_pattern),
      'rope.freq_base': f32(1e6),
      pooling_type: u32(1),
    }),
    // Its norms are stored as they are used.
    change: (name, tensor) =>
      /norm\.weight$/.test(name) ? { ...tensor, data: tensor.data.map((number) => number + 1) } : tensor,
  },
  t5: {
    names: t5Names,
    keys: (config) => ({
      context_length: u32(config.n_positions),
      embedding_length: u32(config.d_model),
      block_count: u32(config.num_layers),
      decoder_block_count: u32(config.num_decoder_layers),
      feed_forward_length: u32(config.d_ff),
      'attention.head_count': u32(config.num_heads),
      'attention.key_length': u32(config.d_kv),
      'attention.value_length': u32(config.d_kv),
      'attention.relative_buckets_count': u32(config.relative_attention_num_buckets),
      decoder_start_token_id: u32(config.decoder_start_token_id),
      ...layerNorm(config.layer_norm_epsilon),
      'attention.layer_norm_rms_epsilon': f32(config.layer_norm_epsilon),
    }),
  },
};

/** A case's model as a file. `drop`: tensors that a converter leaves out; `rows`: a table's first rows, likewise. */
function asGguf(given, architecture, { drop = /^$/, skipRows = 0, more = [], keys = [] } = {}) {
  const { names, keys: keysOf, change = (_, tensor) => tensor } = kinds[architecture];
  const stored = [...readSafetensors(given.file('model.safetensors'))].filter(([name]) => !drop.test(name));
  const tensors = stored.map(([name, tensor]) => {
    const own = names.reduce((changed, [from, to]) => changed.replace(from, to), name);
    const { shape, data, dtype } = change(own, tensor);
    const skipped = own === 'position_embd.weight' ? skipRows : 0;
    return {
      name: own,
      type: dtype,
      shape: skipped ? [shape[0] - skipped, shape[1]] : shape,
      data: data.subarray(skipped * (shape[1] ?? 1)),
    };
  });
  const metadata = [
    ['general.architecture', architecture],
    ...Object.entries(keysOf(given.config)).map(([key, value]) => [`${architecture}.${key}`, value]),
    ...keys,
  ];
  return writeGguf(metadata, [...tensors, ...more]);
}

async function withModel(bytes, work) {
  const model = await loadModel(new Blob([bytes]), { engine });
  try {
    assert.deepEqual(model.info.unusedTensors, []);
    return await work(model);
  } finally {
    await model.dispose();
  }
}

/** A vocabulary of Unigram whose words are the ids themselves. */
function idWords(count, keys = []) {
  const tokens = Array.from({ length: count }, (_, id) => `\u2581${id}`);
  return [
    ['tokenizer.ggml.model', 't5'],
    ['tokenizer.ggml.tokens', tokens],
    ['tokenizer.ggml.scores', { of: 'f32', values: tokens.map(() => -1) }],
    ['tokenizer.ggml.token_type', { of: 'i32', values: tokens.map(() => 1) }],
    ['tokenizer.ggml.unknown_token_id', u32(count - 1)],
    ['tokenizer.ggml.add_bos_token', ['bool', false]],
    ['tokenizer.ggml.add_eos_token', ['bool', false]],
    ...keys,
  ];
}
const idTexts = ({ about: { inputs } }) =>
  inputs.input_ids.map((row, i) => row.filter((_, j) => inputs.attention_mask[i][j] === 1).join(' '));

describe('encoders of folders as GGUF files', () => {
  const cases = [
    ['bert_seqcls', 'bert'],
    // Its positions begin after the padding's; the converter leaves out those before.
    ['xlm_roberta', 'bert', { skipRows: 2 }],
    ['nomic_bert', 'nomic-bert'],
    ['modernbert', 'modern-bert'],
    ['modernbert_seqcls_cls', 'modern-bert'],
    ['embeddinggemma', 'gemma-embedding'],
    ['t5', 't5'],
  ];
  for (const [name, architecture, options] of cases)
    test(name, async () => {
      const given = readFamilyCase(name);
      const results = { outputAttentions: true, outputHiddenStates: true };
      await withModel(asGguf(given, architecture, options), async (model) => {
        assertPass(given, await model.forward(given.inputs, results));
      });
    });

  test('bert without its pooler, as the converter writes it', async () => {
    const given = readFamilyCase('bert');
    await withModel(asGguf(given, 'bert', { drop: /^pooler/ }), async (model) => {
      const { lastHiddenState } = await model.forward(given.inputs);
      const { shape, data } = given.get('last_hidden_state');
      const width = shape[2];
      const mask = given.get('attention_mask').data;
      for (let row = 0; row < mask.length; row++)
        if (mask[row])
          for (let i = row * width; i < (row + 1) * width; i++)
            assert.ok(Math.abs(lastHiddenState.data[i] - data[i]) < 5e-5, `element ${i}`);
    });
  });

  test('gated feed-forward layers and an output of its own: T5 1.1', async () => {
    // 8 buckets and distances of 16: these files have no key for the distance, which is 128 in all published models.
    const given = readFamilyCase('t5_v1_1');
    await withModel(asGguf(given, 't5'), async (model) => {
      const own = await loadModel(given.changed({ config: { relative_attention_max_distance: 128 } }), {
        engine,
      });
      const [ours, theirs] = await Promise.all([model, own].map((one) => one.forward(given.inputs)));
      assert.deepEqual(ours.logits, theirs.logits);
      await own.dispose();
    });
  });

  test('a classifier without its dense layer is refused', async () => {
    const file = asGguf(readFamilyCase('bert_seqcls'), 'bert', { drop: /pooler/ });
    await assert.rejects(loadModel(new Blob([file]), { engine }), {
      code: 'unsupported',
      message: /cls\.weight/,
    });
  });
});

describe('embeddings of GGUF files', () => {
  test('the mean of the tokens, with length 1', async () => {
    const given = readFamilyCase('nomic_bert');
    const keys = idWords(given.config.vocab_size);
    await withModel(asGguf(given, 'nomic-bert', { keys }), async (model) => {
      const embeddings = await model.embed(idTexts(given));
      const { inputIds, attentionMask } = given.inputs;
      const { lastHiddenState } = await model.forward({ inputIds, attentionMask });
      const { data: states, shape } = lastHiddenState;
      const mask = given.get('attention_mask').data;
      const [, time, width] = shape;
      for (let row = 0; row < shape[0]; row++) {
        const sum = new Float64Array(width);
        for (let at = row * time; at < (row + 1) * time; at++)
          if (mask[at]) for (let i = 0; i < width; i++) sum[i] += states[at * width + i];
        const length = Math.hypot(...sum);
        for (let i = 0; i < width; i++)
          assert.ok(Math.abs(sum[i] / length - embeddings.data[row * width + i]) < 1e-5, `${row}, ${i}`);
      }
    });
  });

  for (const type of ['F32', 'F16'])
    test(`two dense layers after the mean, stored as ${type}`, async () => {
      const given = readFamilyCase('embeddinggemma');
      const dense = [2, 3].map((number) => {
        const [[, { shape, data }]] = [...readSafetensors(given.file(`${number}_Dense/model.safetensors`))];
        return {
          name: `dense_${number}.weight`,
          shape,
          type,
          data: type === 'F32' ? data : Uint16Array.from(data, halfOf),
        };
      });
      const keys = idWords(given.config.vocab_size);
      await withModel(asGguf(given, 'gemma-embedding', { more: dense, keys }), async (model) => {
        const embeddings = await model.embed(idTexts(given));
        const tolerance = type === 'F32' ? 1e-5 : 2e-3;
        assertClose(embeddings, given.get('sentence_embedding'), tolerance, 'embeddings');
      });
    });

  test('a reranker scores pairs, with the token between them that its file names', async () => {
    const given = readFamilyCase('bert_seqcls');
    const count = given.config.vocab_size;
    const between = [
      ['tokenizer.ggml.bos_token_id', u32(1)],
      ['tokenizer.ggml.eos_token_id', u32(2)],
      ['tokenizer.ggml.seperator_token_id', u32(3)],
    ];
    const keys = [
      ...idWords(count).filter(([key]) => !/add_/.test(key)),
      ['tokenizer.ggml.add_bos_token', ['bool', true]],
      ...between,
    ];
    await withModel(asGguf(given, 'bert', { keys }), async (model) => {
      const { ids } = model.tokenizer.encode('5 6', { pair: '7' });
      assert.deepEqual(Array.from(ids), [1, 5, 6, 2, 3, 7, 2]);
      const classify = await pipeline('text-classification', model);
      const [label] = await classify('5 6');
      assert.ok(label.score > 0);
    });
  });
});

/** The float16 next to a number of ordinary size. */
function halfOf(number) {
  const bits = new Uint32Array(Float32Array.of(number).buffer)[0];
  const exponent = ((bits >>> 23) & 255) - 112;
  return exponent <= 0
    ? (bits >>> 16) & 0x8000
    : ((bits >>> 16) & 0x8000) + (((bits & 0x7fffffff) - (112 << 23) + 0x1000) >>> 13);
}

const kindNumbers = { normal: 1, unknown: 2, control: 3, user: 4, unused: 5, byte: 6 };

test('Unigram pieces, as SentencePiece cuts them', async () => {
  const { pieces, normalizer } = parseSentencePiece(fixture('unigram.model'), 'a model');
  const bytes = [...normalizer.charsMap].map((byte) => (byte << 24) >> 24);
  const of = (type, values) => ({ of: type, values });
  const file = writeGguf(
    [
      ['general.architecture', 't5'],
      ['tokenizer.ggml.model', 't5'],
      ['tokenizer.ggml.tokens', pieces.map(({ text }) => text)],
      [
        'tokenizer.ggml.scores',
        of(
          'f32',
          pieces.map(({ score }) => score),
        ),
      ],
      [
        'tokenizer.ggml.token_type',
        of(
          'i32',
          pieces.map(({ kind }) => kindNumbers[kind]),
        ),
      ],
      ['tokenizer.ggml.unknown_token_id', u32(pieces.findIndex(({ kind }) => kind === 'unknown'))],
      ['tokenizer.ggml.precompiled_charsmap', of('i8', bytes)],
      ['tokenizer.ggml.add_eos_token', ['bool', false]],
    ],
    [],
  );
  const tokenizer = await loadTokenizer(new Blob([file]));
  const { cases } = expectedOf('unigram');
  // Special tokens are found in texts. Half-width kana with marks: `tokenizers` looks up both, SentencePiece the first.
  for (const [i, [ids]] of cases.entries())
    if (!/<|[\uff66-\uff9f]/.test(lines[i]))
      assert.deepEqual(Array.from(tokenizer.encode(lines[i]).ids), ids, JSON.stringify(lines[i]));
});
