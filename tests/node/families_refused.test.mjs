// Checkpoints that families reject: unsupported settings, by name, and inconsistent files.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { inspectCheckpoint } from '../../build/modules/checkpoint/inspect_checkpoint.js';
import { createEngine, loadModel } from '../../dist/index.js';
import { json, readFamilyCase } from '../lib/families.mjs';
import { writeGguf } from '../lib/gguf.mjs';

describe('what families reject', () => {
  let engine;
  before(async () => {
    engine = await createEngine({ threads: 1 });
  });
  after(() => engine.dispose());

  const load = (files) => loadModel(files, { engine });

  describe('unsupported settings are named', () => {
    for (const [name, config, message] of [
      ['bert', { hidden_act: 'laplace' }, /hidden_act 'laplace'/],
      ['bert', { position_embedding_type: 'relative_key' }, /position_embedding_type "relative_key"/],
      ['bert', { is_decoder: true }, /is_decoder true/],
      ['bert', { architectures: ['BertForMultipleChoice'] }, /BertForMultipleChoice.*BertForMaskedLM/],
      ['bert', { model_type: 'deberta' }, /'deberta' is not supported; supported types: .*'bert'/],
      ['bert', { pruned_heads: { 1: [0, 2] } }, /pruned_heads/],
      ['llama', { quantization_config: { bits: 4 } }, /quantization_config/],
      ['marian', { architectures: ['MarianForCausalLM'] }, /MarianForCausalLM/],
      ['bert_mlm', { tie_word_embeddings: false }, /tie_word_embeddings false/],
      ['llama', { rope_scaling: { type: 'proportional', factor: 2 } }, /rope_scaling .*proportional/],
      ['llama', { rope_parameters: { rope_type: 'mrope', factor: 4 } }, /rope_parameters .*mrope/],
      ['llama', { hidden_act: 'xielu' }, /hidden_act 'xielu'/],
      ['gpt2', { scale_attn_by_inverse_layer_idx: true }, /scale_attn_by_inverse_layer_idx true/],
      ['gpt2', { add_cross_attention: true }, /add_cross_attention true/],
      ['gpt2', { architectures: ['GPT2DoubleHeadsModel'] }, /GPT2DoubleHeadsModel/],
      ['t5', { feed_forward_proj: 'gated-laplace' }, /feed_forward_proj 'laplace'/],
      ['t5', { architectures: ['T5ForSequenceClassification'] }, /T5ForSequenceClassification/],
      ['bart', { architectures: ['BartForQuestionAnswering'] }, /BartForQuestionAnswering/],
      [
        'ved_trocr',
        { decoder: { model_type: 'xglm' } },
        /the decoder 'xglm' is not supported; known are 'bert'/,
      ],
      ['ved_vit_gpt2', { encoder: { model_type: 'swin' } }, /the encoder 'swin'.* known are 'vit', 'deit'/],
      ['eurobert_seqcls', { classifier_pooling: 'late' }, /classifier_pooling 'late'/],
      ['smollm3', { use_sliding_window: true }, /use_sliding_window true/],
      ['nomic_bert', { rotary_emb_fraction: 0.5 }, /rotary_emb_fraction 0.5/],
      ['clip', { architectures: ['CLIPForImageClassification'] }, /CLIPForImageClassification/],
      ['dinov2', { apply_layernorm: false }, /apply_layernorm false/],
      ['dinov3_vit', { architectures: ['DINOv3ViTBackbone'] }, /DINOv3ViTBackbone/],
      ['mpt', { attn_config: { alibi: true, clip_qkv: 8 } }, /attn_config: clip_qkv 8/],
      ['stablelm', { qk_layernorm: true }, /qk_layernorm true/],
      ['vit', { patch_size: [4, 2] }, /not square/],
      ['vit', { model_type: 'swin' }, /'swin' is not supported; supported types: .*'vit', 'deit'/],
      [
        'vit',
        { architectures: ['ViTForImageClassificationWithTeacher'] },
        /known are ViTModel, ViTForImageClassification$/,
      ],
    ]) {
      test(`${name}: ${JSON.stringify(config)}`, () =>
        assert.rejects(load(readFamilyCase(name).changed({ config })), { code: 'unsupported', message }));
    }
  });

  describe('what is no model of ours is blamed, not a file beside it', () => {
    const configOnly = (config) => new Map([['config.json', json(config)]]);
    for (const [name, config] of [
      ['hubert', { model_type: 'hubert', architectures: ['HubertForCTC'] }],
      ['wav2vec2', { model_type: 'wav2vec2', architectures: ['Wav2Vec2ForCTC'] }],
    ]) {
      // As such folders are: a vocabulary of letters, which no tokenizer of ours reads.
      const files = configOnly(config)
        .set('vocab.json', json({ '<pad>': 0, '|': 4, E: 5 }))
        .set('tokenizer_config.json', json({ tokenizer_class: 'Wav2Vec2CTCTokenizer' }));
      const expected = { code: 'unsupported', message: new RegExp(`^model type '${name}' is not supported`) };
      test(`${name}: its type`, () => assert.rejects(load(files), expected));
      test(`${name}: so does inspect`, async () => {
        const { refusals } = await inspectCheckpoint(files);
        assert.ok(
          refusals.some((refusal) => expected.message.test(refusal)),
          refusals.join('\n'),
        );
      });
    }

    const adapter = new Map([
      ['adapter_config.json', json({ peft_type: 'LORA', base_model_name_or_path: 'org/base' })],
      ['adapter_model.safetensors', new Uint8Array(8)],
    ]);
    test('a folder of PEFT: the adapter and its model', async () => {
      const message = /adapter \(PEFT\) for org\/base, not a model.*merge_and_unload/;
      await assert.rejects(load(adapter), { code: 'unsupported', message });
      const { refusals } = await inspectCheckpoint(adapter);
      assert.match(refusals[0], message);
    });
    test('a folder of nothing: its config.json', () =>
      assert.rejects(load(new Map([['README.md', json({})]])), {
        code: 'missing_file',
        message: /config\.json/,
      }));

    test('T5Gemma of two widths: both', () => {
      const { config } = readFamilyCase('t5gemma');
      const encoder = { ...config.encoder, hidden_size: 2 * config.decoder.hidden_size };
      const message = new RegExp(
        `an encoder of width ${encoder.hidden_size} and a decoder of width ${config.decoder.hidden_size}`,
      );
      return assert.rejects(load(readFamilyCase('t5gemma').changed({ config: { encoder } })), {
        code: 'unsupported',
        message,
      });
    });

    test('a GGUF file of a vocabulary alone', async () => {
      const file = writeGguf(
        [
          ['general.architecture', 'llama'],
          ['llama.block_count', ['u32', 32]],
          ['llama.embedding_length', ['u32', 4096]],
          ['tokenizer.ggml.model', 'llama'],
          ['tokenizer.ggml.tokens', ['<unk>', '<s>', '</s>', 'a']],
        ],
        [],
      );
      await assert.rejects(load(new Map([['vocab.gguf', file]])), {
        code: 'unsupported',
        message: 'vocab.gguf: the file has no tensors, only a vocabulary or settings',
      });
    });
  });

  describe('inconsistent files', () => {
    for (const [name, config, message] of [
      ['gemma3_text', { query_pre_attn_scalar: 0 }, /query_pre_attn_scalar must be positive, got 0/],
      ['granite', { logits_scaling: 0 }, /logits_scaling must be positive/],
      ['llama_yarn', { rope_parameters: { rope_type: 'yarn', factor: -1 } }, /factor must be positive/],
      ['llama_yarn', { rope_parameters: { rope_theta: 0 } }, /rope_theta must be positive/],
      [
        'phi3_longrope',
        { rope_parameters: { rope_type: 'longrope', short_factor: [1, 2] } },
        /short_factor must be 4 positive numbers/,
      ],
      ['phi3', { rope_parameters: { partial_rotary_factor: 0 } }, /0 numbers of each head cannot be rotated/],
      [
        'phi3',
        { rope_parameters: { partial_rotary_factor: 0.625 } },
        /5 numbers of each head cannot be rotated in pairs/,
      ],
      ['smollm3', { no_rope_layers: [1, 1] }, /no_rope_layers must be a list of 4 numbers/],
      ['modernbert_decoder', { local_attention: 1 }, /local_attention must be an integer from 2/],
      [
        'falcon_40b_style',
        { num_kv_heads: 3 },
        /query_key_value\.weight' \[64,32\] cannot be split into 3 times/,
      ],
      ['t5gemma', { encoder: null }, /has no encoder/],
    ]) {
      test(`${name}: ${JSON.stringify(config)}`, () =>
        assert.rejects(load(readFamilyCase(name).changed({ config })), { code: 'bad_checkpoint', message }));
    }

    const without = (name) => (weights) => new Map([...weights].filter(([stored]) => stored !== name));
    for (const [name, change, message] of [
      [
        'bart',
        { tensors: without('model.decoder.layers.1.fc2.bias') },
        /model\.decoder\.layers\.1\.fc2\.bias/,
      ],
      ['bert', { tensors: without('embeddings.LayerNorm.weight') }, /embeddings\.LayerNorm\.weight/],
      [
        't5',
        { tensors: without('decoder.block.1.layer.2.DenseReluDense.wo.weight') },
        /decoder\.block\.1\.layer\.2\.DenseReluDense\.wo\.weight/,
      ],
      ['llama', { tensors: without('lm_head.weight') }, /'lm_head\.weight'/],
      ['bert_mlm', { tensors: without('cls.predictions.bias') }, /'cls\.predictions\.bias'/],
      [
        'gpt2',
        { tensors: without('transformer.h.1.attn.c_attn.weight') },
        /'transformer\.h\.1\.attn\.c_attn\.weight'/,
      ],
      [
        'bart',
        { tensors: without('model.encoder.embed_positions.weight') },
        /'model\.encoder\.embed_positions\.weight'/,
      ],
      ['whisper', { tensors: without('model.encoder.conv2.bias') }, /conv2\.bias/],
      ['vit', { tensors: without('vit.embeddings.cls_token') }, /cls_token/],
      ['gpt2', { config: { n_inner: 60 } }, /mlp\.c_fc/],
      ['mistral', { config: { num_hidden_layers: 2 ** 31 - 1 } }, /2147483647 layers are more/],
      ['llama', { config: { head_dim: 2 ** 30 } }, /heads of 1073741824 numbers are too wide/],
      ['gpt2', { config: { vocab_size: 101 } }, /wte\.weight/],
      ['marian', { config: { encoder_ffn_dim: 40 } }, /encoder\.layers\.0\.fc1/],
      ['bloom', { config: { n_layer: 3 } }, /h\.2\./],
      ['vit', { config: { image_size: 20 } }, /position_embeddings/],
      ['whisper', { config: { num_mel_bins: 9 } }, /conv1/],
    ]) {
      test(`${name}: ${message}`, () =>
        assert.rejects(load(readFamilyCase(name).changed(change)), { code: 'bad_checkpoint', message }));
    }
  });
});
