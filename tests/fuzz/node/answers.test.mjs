// What a model of random weights answers at temperature 2 is valid, with Ajv as the judge: a form keeps every answer valid. For so
// many answers: npm run fuzz -- answers --seconds N, where every 8 seconds stand for 96.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import Ajv from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { createEngine, loadModel } from '../../../dist/index.js';
import { byteModel } from '../../lib/byte_model.mjs';
import { seeds } from './settings.mjs';

const ajv = new Ajv({ strict: false });
addFormats(ajv);

const text = { type: 'string', maxLength: 12 };
const schemas = {
  record: {
    type: 'object',
    properties: {
      name: text,
      age: { type: 'integer', minimum: 0, maximum: 130 },
      tags: { type: 'array', items: { enum: ['new', 'old "one"', 'ü'] }, maxItems: 3 },
      parent: { $ref: '#' },
      since: { type: 'string', format: 'date-time' },
    },
    required: ['name', 'age'],
    additionalProperties: false,
  },
  number: { type: 'number', exclusiveMinimum: -2.5, maximum: 1003.07 },
  text: { type: 'string', minLength: 3, maxLength: 9 },
  pattern: { type: 'string', pattern: '^[a-f]{2}\\d+$', maxLength: 7 },
  list: {
    prefixItems: [{ type: 'integer' }, { const: 'x' }],
    items: { type: 'null' },
    type: 'array',
    minItems: 1,
  },
  branches: {
    oneOf: [
      {
        type: 'object',
        properties: { kind: { const: 'cat' }, lives: { type: 'integer' } },
        required: ['kind', 'lives'],
      },
      {
        type: 'object',
        properties: { kind: { const: 'dog' }, good: { type: 'boolean' } },
        required: ['kind'],
      },
    ],
  },
  open: {
    type: 'object',
    properties: { a: { type: 'null' } },
    additionalProperties: { anyOf: [text, { type: 'number' }] },
  },
  anything: true,
};

let engine;
let model;
before(async () => {
  engine = await createEngine({ threads: 2 });
  model = await loadModel(byteModel(), { engine });
});
after(async () => engine.dispose());

const prompt = 'Write:';
const together = 12;
const { first, count } = seeds(together * Object.keys(schemas).length);

test('sampled answers are valid', async () => {
  const judges = Object.entries(schemas).map(([name, schema]) => [name, schema, ajv.compile(schema)]);
  const texts = new Set();
  let answers = 0;
  // The results of a call have the seeds from its own on.
  for (let seed = first; answers < count; seed += together) {
    for (const [name, jsonSchema, isValid] of judges) {
      const { sequences } = await model.generate(prompt, {
        ...{ doSample: true, temperature: 2, topK: 0, maxNewTokens: 300, constrain: { jsonSchema } },
        ...{ numReturnSequences: together, seed },
      });
      for (const { text: whole } of sequences) {
        const answer = whole.slice(prompt.length);
        assert.ok(isValid(JSON.parse(answer)), `${name}, seed ${seed}: ${answer}`);
        texts.add(answer);
      }
      answers += sequences.length;
    }
  }
  assert.ok(texts.size > answers / 3, `${texts.size} different answers of ${answers}`);
});
