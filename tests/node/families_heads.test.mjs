// Model classes without reference data, derived from those with: other heads on the same encoder.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createEngine, loadModel } from '../../dist/index.js';
import { assertNear, readFamilyCase, tolerance } from '../lib/families.mjs';
import { randomNumbers } from '../lib/random.mjs';
import { assertClose } from '../lib/reference.mjs';
import { readSafetensors } from '../lib/safetensors.mjs';

describe('other heads', () => {
  let engine;
  before(async () => {
    engine = await createEngine({ threads: 1 });
  });
  after(() => engine.dispose());

  const run = async (given, changes, inputs = given.inputs) => {
    const model = await loadModel(given.changed(changes), { engine });
    try {
      return await model.forward(inputs, { outputHiddenStates: true });
    } finally {
      await model.dispose();
    }
  };

  const { uniform } = randomNumbers(11);
  const randomTensor = (...shape) => ({
    shape,
    data: Float32Array.from({ length: shape.reduce((all, size) => all * size, 1) }, () => uniform() - 0.5),
  });

  /** activation(x W^T + b) of each vector. */
  const linear = ({ data, shape }, weight, bias, activation = (x) => x) => {
    const [out, width] = weight.shape;
    const rows = data.length / width;
    const result = new Float32Array(rows * out);
    for (let row = 0; row < rows; row++)
      for (let i = 0; i < out; i++) {
        let sum = bias.data[i];
        for (let j = 0; j < width; j++) sum += data[row * width + j] * weight.data[i * width + j];
        result[row * out + i] = activation(sum);
      }
    return { data: result, shape: [...shape.slice(0, -1), out] };
  };

  const firstStates = ({ data, shape: [batch, time, width] }) => ({
    data: Float32Array.from(
      { length: batch * width },
      (_, i) => data[Math.floor(i / width) * time * width + (i % width)],
    ),
    shape: [batch, width],
  });

  test('T5EncoderModel', async () => {
    const given = readFamilyCase('t5');
    const { inputIds, attentionMask } = given.inputs;
    for (const keep of [() => true, (name) => !/^(decoder|lm_head)/.test(name)]) {
      const tensors = (weights) => new Map([...weights].filter(([name]) => keep(name)));
      const changes = { config: { architectures: ['T5EncoderModel'] }, tensors };
      const output = await run(given, changes, { inputIds, attentionMask });
      const mask = given.get('attention_mask');
      assertNear(output.lastHiddenState, given.get('encoder_last_hidden_state'), 't5', tolerance.states, {
        mask,
      });
      assert.equal(output.logits, undefined);
    }
  });

  for (const [name, family, classifier] of [
    ['bert_seqcls', 'Bert', 'classifier'],
    ['distilbert_seqcls', 'DistilBert', 'classifier'],
    ['roberta_seqcls', 'Roberta', 'classifier'],
  ]) {
    test(`${family}ForTokenClassification`, async () => {
      const given = readFamilyCase(name);
      const labels = { A: 0, B: 1, C: 2, D: 3 };
      const id2label = Object.fromEntries(Object.entries(labels).map(([label, id]) => [id, label]));
      const width = given.get('hidden_states.0').shape[2];
      const weight = randomTensor(4, width);
      const bias = randomTensor(4);
      const tensors = (weights) =>
        new Map([
          ...[...weights].filter(([stored]) => !/^(pre_)?classifier|pooler/.test(stored)),
          [`${classifier}.weight`, weight],
          [`${classifier}.bias`, bias],
        ]);
      const config = { architectures: [`${family}ForTokenClassification`], id2label };
      const output = await run(given, { config, tensors });
      const mask = given.get('attention_mask');
      const last = given.get('hidden_states.2');
      assertNear(output.logits, linear(last, weight, bias), name, tolerance.states, { mask });
    });
  }

  test('BertForPreTraining returns logits and the pooled state', async () => {
    const given = readFamilyCase('bert_mlm');
    const width = given.get('hidden_states.0').shape[2];
    const weight = randomTensor(width, width);
    const bias = randomTensor(width);
    const tensors = (weights) =>
      new Map([...weights, ['bert.pooler.dense.weight', weight], ['bert.pooler.dense.bias', bias]]);
    const output = await run(given, { config: { architectures: ['BertForPreTraining'] }, tensors });
    const mask = given.get('attention_mask');
    assertNear(output.logits, given.get('logits'), 'logits', tolerance.states, { mask });
    const pooled = linear(firstStates(given.get('hidden_states.2')), weight, bias, Math.tanh);
    assertClose(output.poolerOutput, pooled, tolerance.states, 'pooled');
  });

  test('ViTModel returns the states after the final norm, and the pooled class vector', async () => {
    const given = readFamilyCase('vit');
    const weight = randomTensor(32, 32);
    const bias = randomTensor(32);
    const tensors = (weights) =>
      new Map([
        ...[...weights].filter(([stored]) => !stored.startsWith('classifier')),
        ['vit.pooler.dense.weight', weight],
        ['vit.pooler.dense.bias', bias],
      ]);
    const output = await run(given, { config: { architectures: ['ViTModel'] }, tensors });
    assertNear(output.hiddenStates[2], given.get('hidden_states.2'), 'states', tolerance.states);
    const pooled = linear(firstStates(output.lastHiddenState), weight, bias, Math.tanh);
    assertClose(output.poolerOutput, pooled, tolerance.states, 'pooled');
    const mean = output.lastHiddenState.data.reduce((sum, value) => sum + value, 0);
    assert.notEqual(
      mean,
      given.get('hidden_states.2').data.reduce((sum, value) => sum + value, 0),
    );
  });

  test('DeiTForImageClassificationWithTeacher returns the mean of its two classifiers', async () => {
    const given = readFamilyCase('vit');
    const { shape } = given.get('pixel_values');
    const [batch] = shape;
    const classifiers = [0, 1].map(() => [randomTensor(7, 32), randomTensor(7)]);
    const tensors = (weights) => {
      const renamed = new Map(
        [...weights]
          .filter(([stored]) => !stored.startsWith('classifier'))
          .map(([stored, tensor]) => [stored.replace(/^vit\./, 'deit.'), tensor]),
      );
      // A second token before the patches, with a position of its own.
      const positions = renamed.get('deit.embeddings.position_embeddings');
      const own = randomTensor(1, 1, 32);
      const data = [...positions.data.slice(0, 32), ...own.data, ...positions.data.slice(32)];
      renamed.set('deit.embeddings.position_embeddings', {
        shape: [1, positions.shape[1] + 1, 32],
        data: Float32Array.from(data),
      });
      renamed.set('deit.embeddings.distillation_token', randomTensor(1, 1, 32));
      for (const [i, name] of ['cls_classifier', 'distillation_classifier'].entries()) {
        renamed.set(`${name}.weight`, classifiers[i][0]);
        renamed.set(`${name}.bias`, classifiers[i][1]);
      }
      return renamed;
    };
    const fixed = tensors(readSafetensors(given.file('model.safetensors')));
    const id2label = Object.fromEntries(Array.from({ length: 7 }, (_, i) => [i, `L${i}`]));
    const deit = (architecture, stored = fixed) => ({
      config: { model_type: 'deit', architectures: [architecture], id2label },
      tensors: () => stored,
    });
    const { lastHiddenState } = await run(given, deit('DeiTModel'));
    const [, time, width] = lastHiddenState.shape;
    const stateAt = (place) => ({
      shape: [batch, width],
      data: Float32Array.from(
        { length: batch * width },
        (_, i) => lastHiddenState.data[(Math.floor(i / width) * time + place) * width + (i % width)],
      ),
    });
    const [first, second] = classifiers.map(([weight, bias], i) => linear(stateAt(i), weight, bias));
    const output = await run(given, deit('DeiTForImageClassificationWithTeacher'));
    assertClose(output.clsLogits, first, tolerance.states, 'the classifier of the class token');
    assertClose(output.distillationLogits, second, tolerance.states, 'that of the distillation token');
    const mean = { shape: first.shape, data: first.data.map((value, i) => (value + second.data[i]) / 2) };
    assertClose(output.logits, mean, tolerance.states, 'logits');
    assert.equal(output.poolerOutput, undefined);

    const missing = new Map([...fixed].filter(([stored]) => stored !== 'distillation_classifier.bias'));
    await assert.rejects(run(given, deit('DeiTForImageClassificationWithTeacher', missing)), {
      code: 'bad_checkpoint',
      message: /'distillation_classifier\.bias'/,
    });
    const model = await loadModel(given.changed(deit('DeiTForImageClassificationWithTeacher')), { engine });
    const [{ label }] = await model.classifyImage({
      data: new Uint8Array(768),
      width: 16,
      height: 16,
      channels: 3,
    });
    assert.match(label, /^L[0-6]$/);
    await model.dispose();
  });

  /** BERT's masked-language-model tensors under the names of another family, with token types 0. */
  const maskedWords = readFamilyCase('bert_mlm');
  const ids = { inputIds: [[5, 6, 7, 8, 9]] };
  const withNames = (weights, rename) =>
    new Map([...weights].flatMap(([name, tensor]) => (rename(name) ? [[rename(name), tensor]] : [])));
  const { config: bert } = maskedWords;

  test('RobertaForMaskedLM equals BERT with shifted positions', async () => {
    const expected = await run(maskedWords, {}, ids);
    const rename = (name) =>
      name
        .replace(/^bert\./, 'roberta.')
        .replace('cls.predictions.transform.dense', 'lm_head.dense')
        .replace('cls.predictions.transform.LayerNorm', 'lm_head.layer_norm')
        .replace('cls.predictions.bias', 'lm_head.bias');
    const tensors = (weights) => {
      const moved = withNames(weights, rename);
      const { shape, data } = moved.get('roberta.embeddings.position_embeddings.weight');
      // One row before the first position, for the padding id 0.
      const shifted = {
        shape: [shape[0] + 1, shape[1]],
        data: Float32Array.from([...Array(shape[1]).fill(9), ...data]),
      };
      return moved.set('roberta.embeddings.position_embeddings.weight', shifted);
    };
    const config = {
      model_type: 'roberta',
      architectures: ['RobertaForMaskedLM'],
      max_position_embeddings: bert.max_position_embeddings + 1,
    };
    const { logits } = await run(maskedWords, { config, tensors }, ids);
    assertClose(logits, expected.logits, tolerance.states, 'logits');
  });

  test('DistilBertForMaskedLM equals BERT with token type 0 added to its positions', async () => {
    const expected = await run(maskedWords, {}, ids);
    const parts = {
      'attention.self.query': 'attention.q_lin',
      'attention.self.key': 'attention.k_lin',
      'attention.self.value': 'attention.v_lin',
      'attention.output.dense': 'attention.out_lin',
      'attention.output.LayerNorm': 'sa_layer_norm',
      'intermediate.dense': 'ffn.lin1',
      'output.dense': 'ffn.lin2',
      'output.LayerNorm': 'output_layer_norm',
    };
    const rename = (name) => {
      const [, layer, part, kind] = /^bert\.encoder\.layer\.(\d+)\.(.+)\.(weight|bias)$/.exec(name) ?? [];
      if (layer) return `distilbert.transformer.layer.${layer}.${parts[part]}.${kind}`;
      if (name.includes('token_type')) return null;
      return name
        .replace(/^bert\./, 'distilbert.')
        .replace('cls.predictions.transform.dense', 'vocab_transform')
        .replace('cls.predictions.transform.LayerNorm', 'vocab_layer_norm')
        .replace('cls.predictions.bias', 'vocab_projector.bias');
    };
    const tensors = (weights) => {
      const types = weights.get('bert.embeddings.token_type_embeddings.weight');
      const moved = withNames(weights, rename);
      const { shape, data } = moved.get('distilbert.embeddings.position_embeddings.weight');
      const sums = data.map((value, i) => value + types.data[i % shape[1]]);
      return moved.set('distilbert.embeddings.position_embeddings.weight', { shape, data: sums });
    };
    const config = {
      model_type: 'distilbert',
      architectures: ['DistilBertForMaskedLM'],
      dim: bert.hidden_size,
      n_layers: bert.num_hidden_layers,
      n_heads: bert.num_attention_heads,
      hidden_dim: bert.intermediate_size,
    };
    const { logits } = await run(maskedWords, { config, tensors }, ids);
    assertClose(logits, expected.logits, tolerance.states, 'logits');
  });

  for (const sliding_window of [null, 1e6])
    test(`Mistral with the window ${sliding_window} is a Llama`, async () => {
      const given = readFamilyCase('llama');
      const config = { model_type: 'mistral', architectures: ['MistralForCausalLM'], sliding_window };
      const { logits } = await run(given, { config });
      assertNear(logits, given.get('logits'), 'logits', tolerance.states, {
        mask: given.get('attention_mask'),
      });
    });

  test('CamemBERT is an XLM-RoBERTa', async () => {
    const given = readFamilyCase('xlm_roberta');
    const config = { model_type: 'camembert', architectures: ['CamembertForSequenceClassification'] };
    const { logits } = await run(given, { config });
    assertNear(logits, given.get('logits'), 'logits', tolerance.states);
  });
});
