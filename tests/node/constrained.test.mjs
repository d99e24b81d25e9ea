// Answers that keep to a form: whatever a model of random weights writes, with another judge for each notation.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import Ajv from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { createEngine, loadModel } from '../../dist/index.js';
import { byteLevel, byteModel, pieces } from '../lib/byte_model.mjs';
import { folderWithWords } from '../lib/tiny_folder.mjs';

const ajv = new Ajv({ strict: false });
addFormats(ajv);

let engine;
let model;
const models = [];
const load = async (files) => {
  const made = await loadModel(files, { engine });
  models.push(made);
  return made;
};
before(async () => {
  engine = await createEngine({ threads: 2 });
  model = await load(byteModel());
});
after(async () => {
  for (const made of models) await made.dispose();
  await engine.dispose();
});

const sampling = { doSample: true, temperature: 2, topK: 0, maxNewTokens: 300 };
const prompt = 'Write:';
const answerOf = ({ sequences: [{ text }] }) => text.slice(prompt.length);

/** Texts of the form, sampled in batches. */
async function sampled(constrain, { count = 32, of = model, ...options } = {}) {
  const { sequences } = await of.generate(prompt, {
    ...{ ...sampling, constrain, numReturnSequences: count, seed: 3 },
    ...options,
  });
  return sequences.map(({ text }) => text.slice(prompt.length));
}

const person = {
  type: 'object',
  properties: {
    name: { type: 'string', maxLength: 12 },
    age: { type: 'integer', minimum: 0, maximum: 130 },
    tags: { type: 'array', items: { enum: ['new', 'old "one"', 'ü'] }, maxItems: 3 },
    parent: { $ref: '#/$defs/person' },
    since: { type: 'string', format: 'date' },
  },
  required: ['name', 'age'],
  additionalProperties: false,
};
const schemas = {
  person: { $ref: '#/$defs/person', $defs: { person } },
  number: { type: 'number', exclusiveMinimum: -2.5, maximum: 1003.07 },
  text: { type: 'string', minLength: 3, maxLength: 9 },
  pattern: { type: 'string', pattern: '^[a-f]{2}\\d+$', maxLength: 7 },
  list: {
    type: 'array',
    prefixItems: [{ type: 'integer' }, { const: 'x' }],
    items: { type: 'null' },
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
  merged: {
    allOf: [
      { type: 'object', properties: { a: { type: 'integer', minimum: 3 } }, required: ['a'] },
      { properties: { a: { maximum: 5 }, b: { type: ['string', 'null'], maxLength: 2 } }, required: ['b'] },
    ],
  },
  open: {
    type: 'object',
    properties: { ab: { type: 'null' } },
    required: ['ab'],
    additionalProperties: { type: 'integer' },
  },
  anything: true,
};

describe('JSON Schema, judged by Ajv', () => {
  for (const [name, schema] of Object.entries(schemas)) {
    test(`${name}: sampled at temperature 2`, async () => {
      const isValid = ajv.compile(schema);
      const answers = await sampled({ jsonSchema: schema }, { count: 64 });
      for (const answer of answers) assert.ok(isValid(JSON.parse(answer)), answer);
      assert.ok(new Set(answers).size > 1, 'the answers differ');
    });
  }

  test('every kind of search', async () => {
    const isValid = ajv.compile(schemas.person);
    const constrain = { jsonSchema: schemas.person };
    const kinds = {
      greedy: {},
      beams: { numBeams: 4, numReturnSequences: 4 },
      'sampled beams': { numBeams: 3, doSample: true, temperature: 2 },
      groups: { numBeams: 4, numBeamGroups: 2, diversityPenalty: 1, numReturnSequences: 4 },
      drafts: { promptLookupNumTokens: 4 },
      rules: { repetitionPenalty: 1.3, topP: 0.9, doSample: true },
    };
    for (const [name, options] of Object.entries(kinds)) {
      const { sequences } = await model.generate(prompt, {
        maxNewTokens: 120,
        seed: 1,
        constrain,
        ...options,
      });
      for (const { text } of sequences)
        assert.ok(isValid(JSON.parse(text.slice(prompt.length))), `${name}: ${text}`);
    }
  });

  test('a draft changes nothing', async () => {
    const options = { constrain: { jsonSchema: schemas.open }, maxNewTokens: 100 };
    const [alone, looked, assisted] = [
      await model.generate(prompt, options),
      await model.generate(prompt, { ...options, promptLookupNumTokens: 5 }),
      await model.generate(prompt, { ...options, assistantModel: await load(byteModel({ seed: 8 })) }),
    ];
    assert.deepEqual(looked.sequences, alone.sequences);
    assert.deepEqual(assisted.sequences, alone.sequences);
  });

  test('many callers at once, each with a form of its own', async () => {
    const asked = Object.entries(schemas).flatMap(([name, schema]) =>
      [name, name].map((one, seed) => [one, schema, seed]),
    );
    const ask = ([, jsonSchema, seed]) =>
      model.generate(prompt, { ...sampling, maxNewTokens: 60, seed, constrain: { jsonSchema } });
    const together = await Promise.all(asked.map(ask));
    for (const [i, one] of asked.entries()) {
      assert.deepEqual(together[i].sequences, (await ask(one)).sequences, one[0]);
    }
  });

  test('a stream, and a batch of inputs', async () => {
    const constrain = { jsonSchema: schemas.merged };
    let text = '';
    for await (const chunk of model.stream(prompt, { ...sampling, seed: 4, constrain })) text += chunk.text;
    const whole = await model.generate(prompt, { ...sampling, seed: 4, constrain });
    assert.equal(text, answerOf(whole));
    const batch = await model.generate([prompt, 'Again, and longer:'], { ...sampling, seed: 4, constrain });
    assert.deepEqual(batch[0].sequences, whole.sequences);
    for (const [i, before] of [prompt, 'Again, and longer:'].entries())
      assert.ok(ajv.validate(schemas.merged, JSON.parse(batch[i].sequences[0].text.slice(before.length))));
  });

  test('a prefix is the beginning of the answer', async () => {
    const { sequences } = await model.generate(prompt, {
      ...{ ...sampling, seed: 2, constrain: { jsonSchema: schemas.person }, prefix: '{"name":"Ann' },
    });
    const answer = JSON.parse(sequences[0].text.slice(prompt.length));
    assert.ok(answer.name.startsWith('Ann') && ajv.validate(schemas.person, answer));
    await refuses({ constrain: { jsonSchema: schemas.person }, prefix: '[' }, 'invalid_argument', /prefix/);
  });

  test('with room for the shortest answer alone, it is complete', async () => {
    for (const maxNewTokens of [9, 10, 14]) {
      const answers = await sampled({ regex: '\\{"a":[0-9]+(,[0-9]+)*\\}' }, { maxNewTokens, count: 16 });
      for (const answer of answers) assert.match(answer, /^\{"a":[0-9]+(,[0-9]+)*\}$/);
    }
  });
});

describe('other notations', () => {
  test('regular expressions, judged by those of JavaScript', async () => {
    for (const regex of [
      /(?:[01]\d|2[0-3]):[0-5]\d/,
      /\p{Lu}[^x-z"]{0,5}(?:é|日本)+/u,
      'a{2,4}|b*c+?',
      '[^]{3}',
    ])
      for (const answer of await sampled({ regex }, { maxNewTokens: 80 }))
        assert.match(answer, new RegExp(`^(?:${regex.source ?? regex})$`, 'u'));
  });

  test('grammars, with recursion', async () => {
    const gbnf = `
      root ::= list "!"?  # a list
      list ::= "(" (item ("," item)*)? ")"
      item ::= [a-c]{1,3} | list`;
    const isList = (text) => {
      let flat = text.replace(/!$/, '');
      for (let last = ''; last !== flat; ) {
        last = flat;
        flat = flat.replace(/\((?:(?:[abc]{1,3}|_)(?:,(?:[abc]{1,3}|_))*)?\)/g, '_');
      }
      return flat === '_';
    };
    for (const answer of await sampled({ gbnf }, { maxNewTokens: 80 })) assert.ok(isList(answer), answer);
  });

  test('choices', async () => {
    const choices = ['yes', 'yesterday', 'no "way"', '日本'];
    const answers = await sampled({ choices });
    for (const answer of answers) assert.ok(choices.includes(answer), answer);
    assert.ok(new Set(answers).size > 1);
  });
});

describe('other tokenizers and models', () => {
  test('pieces with bytes, in a decoder and behind an encoder', async () => {
    for (const encoder of [0, 2]) {
      const of = await load(byteModel({ tokenizer: pieces, encoder }));
      const { sequences } = await of.generate(prompt, {
        ...{ ...sampling, numReturnSequences: 32, seed: 6, constrain: { jsonSchema: schemas.person } },
      });
      for (const { text } of sequences) {
        const answer = encoder ? text : text.slice(prompt.length);
        assert.ok(ajv.validate(schemas.person, JSON.parse(answer)), answer);
      }
      const chosen = await of.generate(prompt, { constrain: { choices: ['red', 'blue'] }, numBeams: 2 });
      assert.match(chosen.sequences[0].text.slice(encoder ? 0 : prompt.length), /^(red|blue)$/);
    }
  });

  test('what the tokens cannot write is left out, or refused', async () => {
    const vocab = Object.fromEntries(
      Object.entries(byteLevel.model.vocab).filter(([token]) => !/^[x0-9]$/.test(token)),
    );
    const renumbered = Object.fromEntries(Object.keys(vocab).map((token, id) => [token, id]));
    const tokenizer = { ...byteLevel, model: { ...byteLevel.model, vocab: renumbered } };
    const of = await load(byteModel({ tokenizer }));
    for (const answer of await sampled({ regex: '[w-y]{3}' }, { of })) assert.match(answer, /^[wy]{3}$/);
    await refuses({ constrain: { regex: 'x+' } }, 'invalid_argument', /tokens cannot write/, of);
    assert.equal((await sampled({ choices: ['x', 'y'] }, { of, count: 4 })).join(''), 'yyyy');
  });

  test('tokens that write different things in different places are refused', async () => {
    const of = await load(folderWithWords('gpt2', {}, {}));
    await refuses({ constrain: { choices: ['a'] } }, 'unsupported', /wherever they stand/, of, [1, 2]);
  });
});

async function refuses(options, code, message, of = model, input = prompt) {
  await assert.rejects(of.generate(input, options), (error) => {
    assert.equal(error.code, code, error.message);
    assert.match(error.message, message);
    return true;
  });
}

describe('bad input', () => {
  const cases = [
    [{ jsonSchema: false }, 'invalid_argument', /nothing satisfies/],
    [{ jsonSchema: { type: 'integer', minimum: 3, maximum: 2 } }, 'invalid_argument', /nothing satisfies/],
    [
      { jsonSchema: { type: 'object', properties: { a: { $ref: '#' } }, required: ['a'] } },
      'invalid_argument',
      /nothing satisfies/,
    ],
    [{ jsonSchema: { $ref: '#' } }, 'unsupported', /leads to itself/],
    [{ jsonSchema: { $ref: '#/$defs/none' } }, 'invalid_argument', /has no #\/\$defs\/none/],
    [{ jsonSchema: { not: {} } }, 'unsupported', /keyword not /],
    [{ jsonSchema: { type: 'string', format: 'iri' } }, 'unsupported', /format iri/],
    [{ jsonSchema: { type: 'strin' } }, 'invalid_argument', /^type of/],
    [{ jsonSchema: { properties: [] } }, 'invalid_argument', /^properties of/],
    [{ jsonSchema: { oneOf: [{ type: 'integer' }, { type: 'number' }] } }, 'unsupported', /use anyOf/],
    [{ gbnf: 'root ::= root "a" | "b"' }, 'unsupported', /left recursion/],
    [{ gbnf: 'root ::= ("a"?)* other' }, 'invalid_argument', /line 1 needs a rule other/],
    [{ gbnf: 'x ::= "a"' }, 'invalid_argument', /no rule root/],
    [{ regex: '(a' }, 'invalid_argument', /not valid/],
    [{ regex: '(?=a)b' }, 'unsupported', /looks ahead/],
    [{ regex: /a/i }, 'unsupported', /flags i/],
    [{ regex: '(?:ab{3000}c{3000}d{3000}){99999}x{99999}y{99999}' }, 'unsupported', /nodes/],
    [{ choices: [] }, 'invalid_argument', /choices/],
    [{}, 'invalid_argument', /must have one of/],
    [{ regex: 'a', gbnf: 'b' }, 'invalid_argument', /must have one of/],
  ];
  for (const [constrain, code, message] of cases)
    test(`${JSON.stringify(constrain).slice(0, 70)}: ${code}`, () => refuses({ constrain }, code, message));

  test('branches that contain the whole', async () => {
    const self = { type: 'object', properties: { a: { $ref: '#/$defs/self' } }, required: ['a'] };
    const other = { type: 'object', properties: { a: { $ref: '#/$defs/other' } }, required: ['a'] };
    const endless = { $defs: { self, other }, oneOf: [{ $ref: '#/$defs/self' }, { $ref: '#/$defs/other' }] };
    await refuses({ constrain: { jsonSchema: endless } }, 'unsupported', /use anyOf/);
    const nested = { oneOf: [{ enum: [[2], 2] }, { type: 'array', items: { $ref: '#' } }] };
    await refuses({ constrain: { jsonSchema: nested } }, 'unsupported', /use anyOf/);
  });

  test('a schema that contains itself', () => {
    const schema = { properties: {} };
    schema.properties.self = schema;
    return refuses({ constrain: { jsonSchema: schema } }, 'invalid_argument', /contains itself/);
  });

  test('the model answers afterwards', async () => {
    assert.match((await sampled({ choices: ['ok'] }, { count: 1 }))[0], /^ok$/);
  });
});
