// The same model in other files: other names, tensors stored once or repeatedly, missing fields.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createEngine, loadModel } from '../../dist/index.js';
import { assertNear, assertPass, readFamilyCase, tolerance } from '../lib/families.mjs';

const everything = { outputAttentions: true, outputHiddenStates: true };

describe('files of families', () => {
  let engine;
  before(async () => {
    engine = await createEngine({ threads: 1 });
  });
  after(() => engine.dispose());

  /** Loads a case with other fields and tensors, and compares a pass. */
  async function passes(name, changes) {
    const given = readFamilyCase(name);
    const model = await loadModel(given.changed(changes), { engine });
    try {
      assertPass(given, await model.forward(given.inputs, everything));
      return model.info;
    } finally {
      await model.dispose();
    }
  }

  const renamed = (rename) => (weights) =>
    new Map([...weights].map(([name, tensor]) => [rename(name), tensor]));

  describe('names', () => {
    for (const [name, prefix] of [
      ['bart', 'model.'],
      ['mbart', 'model.'],
      ['m2m100', 'model.'],
      ['marian', 'model.'],
      ['whisper', 'model.'],
      ['roberta_seqcls', 'roberta.'],
      ['distilbert_seqcls', 'distilbert.'],
      ['vit', 'vit.'],
      ['gpt2', 'transformer.'],
      ['bloom', 'transformer.'],
      ['llama', 'model.'],
    ]) {
      test(`${name} without '${prefix}'`, async () => {
        const tensors = renamed((stored) =>
          stored.startsWith(prefix) ? stored.slice(prefix.length) : stored,
        );
        await passes(name, { tensors });
      });
    }

    test("bert with 'bert.' and the prefix of a wrapping module", async () => {
      await passes('bert', { tensors: renamed((stored) => `module.bert.${stored}`) });
    });

    test("t5 with 'transformer.'", async () => {
      await passes('t5', { tensors: renamed((stored) => `transformer.${stored}`) });
    });

    const buffer = (shape = [1]) => ({
      shape,
      data: new Float32Array(shape.reduce((all, size) => all * size, 1)),
    });
    for (const [name, buffers] of [
      ['bert', ['embeddings.position_ids', 'embeddings.token_type_ids']],
      ['gpt2', ['transformer.h.0.attn.bias', 'transformer.h.1.attn.masked_bias']],
      ['bart', ['model.encoder.version', 'model.decoder.version']],
      ['marian', ['model.encoder.embed_positions.weight', 'model.decoder.embed_positions.weight']],
      ['m2m100', ['model.encoder.embed_positions.weights']],
      ['llama', ['model.layers.0.self_attn.rotary_emb.inv_freq']],
      ['t5', ['decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight']],
    ]) {
      test(`${name}: ${buffers.join(', ')} are skipped`, async () => {
        const tensors = (weights) => new Map([...weights, ...buffers.map((one) => [one, buffer()])]);
        const { unusedTensors } = await passes(name, { tensors });
        assert.deepEqual(unusedTensors, []);
      });
    }
  });

  describe('tied tensors', () => {
    const copied =
      (from, ...to) =>
      (weights) =>
        new Map([...weights, ...to.map((one) => [one, weights.get(from)])]);
    const moved = (from, to) => renamed((stored) => (stored === from ? to : stored));
    const names = [
      'model.encoder.embed_tokens.weight',
      'model.decoder.embed_tokens.weight',
      'lm_head.weight',
    ];

    for (const name of ['bart', 'mbart', 'm2m100', 'marian']) {
      test(`${name}: stored under every name`, () =>
        passes(name, { tensors: copied('model.shared.weight', ...names) }));
      for (const alias of names)
        test(`${name}: stored as ${alias} only`, () =>
          passes(name, { tensors: moved('model.shared.weight', alias) }));
    }
    for (const alias of ['encoder.embed_tokens.weight', 'decoder.embed_tokens.weight', 'lm_head.weight']) {
      test(`t5: stored as ${alias} only, or in addition`, async () => {
        await passes('t5', { tensors: moved('shared.weight', alias) });
        await passes('t5', { tensors: copied('shared.weight', alias) });
      });
    }
    for (const [name, stored, alias] of [
      ['gpt2', 'transformer.wte.weight', 'lm_head.weight'],
      ['bloom', 'transformer.word_embeddings.weight', 'lm_head.weight'],
      ['whisper', 'model.decoder.embed_tokens.weight', 'proj_out.weight'],
      ['bert_mlm', 'bert.embeddings.word_embeddings.weight', 'cls.predictions.decoder.weight'],
    ]) {
      test(`${name}: stored as ${alias} only, or in addition`, async () => {
        await passes(name, { tensors: moved(stored, alias) });
        await passes(name, { tensors: copied(stored, alias) });
      });
    }

    test('bert_mlm: the bias under its other name', () =>
      passes('bert_mlm', { tensors: moved('cls.predictions.bias', 'cls.predictions.decoder.bias') }));

    for (const [name, isTied] of ['bart', 'gpt2', 'marian', 't5'].flatMap((one) => [
      [one, false],
      [one, true],
    ])) {
      test(`${name}: an output matrix of its own is used, tie_word_embeddings: ${isTied}`, async () => {
        const given = readFamilyCase(name);
        const table = { bart: 'model.shared', marian: 'model.shared', gpt2: 'transformer.wte', t5: 'shared' }[
          name
        ];
        const double = (weights) => {
          const { shape, data } = weights.get(`${table}.weight`);
          // T5 scales the output only if config.json ties the matrix.
          const factor = name === 't5' && !isTied ? 2 / Math.sqrt(shape[1]) : 2;
          const twice = { shape, data: data.map((value) => value * factor) };
          const bias = weights.get('final_logits_bias');
          if (bias) weights.set('final_logits_bias', { ...bias, data: bias.data.map((value) => value * 2) });
          return new Map([...weights, ['lm_head.weight', twice]]);
        };
        const untied = { config: { tie_word_embeddings: isTied }, tensors: double };
        const model = await loadModel(given.changed(untied), { engine });
        assert.deepEqual(model.info.unusedTensors, []);
        const { logits } = await model.forward(given.inputs);
        await model.dispose();
        const half = { shape: logits.shape, data: logits.data.map((value) => value / 2) };
        const mask = given.has('decoder_input_ids') ? undefined : given.get('attention_mask');
        assertNear(half, given.get('logits'), 'half of the logits', tolerance.states, { mask });
      });
    }

    test('marian: two embeddings instead of one', () =>
      passes('marian', {
        config: { share_encoder_decoder_embeddings: false },
        tensors: (weights) => {
          const table = weights.get('model.shared.weight');
          weights.delete('model.shared.weight');
          return new Map([...weights, [names[0], table], [names[1], table]]);
        },
      }));
  });

  describe('fields that older files lack', () => {
    const none = (...fields) => Object.fromEntries(fields.map((field) => [field, undefined]));
    const bart = [
      'scale_embedding',
      'architectures',
      'tie_word_embeddings',
      'pad_token_id',
      'decoder_start_token_id',
    ];
    for (const [name, fields] of [
      ['bart', [...bart, 'activation_function']],
      ['mbart', ['activation_function', 'architectures', 'pad_token_id']],
      ['m2m100', ['scale_embedding', 'activation_function', 'architectures', 'pad_token_id']],
      [
        'marian',
        ['share_encoder_decoder_embeddings', 'decoder_vocab_size', 'tie_word_embeddings', 'architectures'],
      ],
      [
        't5',
        ['layer_norm_epsilon', 'feed_forward_proj', 'num_decoder_layers', 'relative_attention_max_distance'],
      ],
      [
        'bert',
        ['layer_norm_eps', 'hidden_act', 'type_vocab_size', 'position_embedding_type', 'pad_token_id'],
      ],
      ['bert_seqcls', ['layer_norm_eps', 'hidden_act', 'type_vocab_size']],
      ['distilbert_seqcls', ['activation', 'id2label', 'sinusoidal_pos_embds']],
      ['roberta_seqcls', ['pad_token_id', 'hidden_act', 'position_embedding_type']],
      ['vit', ['layer_norm_eps', 'hidden_act', 'num_channels', 'qkv_bias']],
      [
        'gpt2',
        ['activation_function', 'n_inner', 'layer_norm_epsilon', 'scale_attn_weights', 'tie_word_embeddings'],
      ],
      ['llama', ['rope_theta', 'hidden_act', 'tie_word_embeddings', 'attention_bias', 'rope_scaling']],
      ['bloom', ['layer_norm_epsilon', 'apply_residual_connection_post_layernorm', 'tie_word_embeddings']],
      ['whisper', ['activation_function', 'scale_embedding', 'tie_word_embeddings']],
    ]) {
      test(`${name}: ${fields.join(', ')}`, () => passes(name, { config: none(...fields) }));
    }

    test('bloom: the names of published files', async () => {
      const { config } = readFamilyCase('bloom');
      const old = { n_embed: config.hidden_size, num_attention_heads: config.n_head };
      await passes('bloom', { config: { ...old, ...none('hidden_size', 'n_head') } });
    });
    test('whisper: its embeddings are not scaled, as in Python', () =>
      passes('whisper', { config: { scale_embedding: true } }));
    test('llama: rotary positions in the newer format', () =>
      passes('llama', {
        config: {
          rope_theta: undefined,
          rope_parameters: { rope_type: 'default', rope_theta: 10000 },
          head_dim: 8,
        },
      }));
    test('mt5: its defaults are those of version 1.1', () =>
      passes('t5_v1_1', {
        config: { model_type: 'mt5', ...none('architectures', 'feed_forward_proj', 'tie_word_embeddings') },
      }));
    test('phi3: a part of each head rotates, as where the other numbers rotate by nothing', async () => {
      const given = readFamilyCase('phi3_longrope');
      const base = 10000;
      const scaling = {
        rope_type: 'longrope',
        rope_theta: base,
        original_max_position_embeddings: 32,
        attention_factor: 1, // which would be of the rotated numbers only
      };
      const [short, long] = [
        [1.2, 1.1],
        [2.6, 12.3],
      ];
      // Of the whole head: the second pair turns faster, the others as good as never.
      const whole = ([first, second]) => [first, second * base ** 0.25, 1e30, 1e30];
      const parts = { ...scaling, short_factor: short, long_factor: long, partial_rotary_factor: 0.5 };
      const wholes = { ...scaling, short_factor: whole(short), long_factor: whole(long) };
      const order = [0, 1, 4, 5, 2, 3, 6, 7];
      const tensors = (weights) => {
        for (const [name, { data, shape }] of weights) {
          if (!name.endsWith('qkv_proj.weight')) continue;
          const width = shape[1];
          const moved = data.slice();
          for (let row = 0; row < 6 * 8; row++) {
            const to = row - (row % 8) + order[row % 8];
            moved.set(data.subarray(row * width, (row + 1) * width), to * width);
          }
          weights.set(name, { ...weights.get(name), data: moved });
        }
        return weights;
      };
      const logits = [];
      for (const changes of [
        { config: { rope_parameters: parts } },
        { config: { rope_parameters: wholes }, tensors },
      ]) {
        const model = await loadModel(given.changed(changes), { engine });
        for (const inputIds of [given.get('input_ids'), given.get('long_input_ids')])
          logits.push((await model.forward({ inputIds })).logits);
        await model.dispose();
      }
      assertNear(logits[0], logits[2], 'short', tolerance.states);
      assertNear(logits[1], logits[3], 'long', tolerance.states);
    });
    test('llama: -1 for no padding token', () => passes('llama', { config: { pad_token_id: -1 } }));
    test('unknown fields are ignored', () =>
      passes('bert', { config: { something_new: [1, 2], use_magic: true } }));
  });
});
