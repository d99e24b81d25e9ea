// pipeline(): tasks by name, with the arguments and the shapes of results of Python's and transformers.js's pipelines.
// What each computes is compared with the model's own logits.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createEngine, loadModel, TransformerError } from '../../dist/index.js';
import { pipeline } from '../../dist/pipeline.js';
import { readFamilyCase } from '../lib/families.mjs';
import { assertSameBits } from '../lib/reference.mjs';
import { readSafetensors, writeSafetensors } from '../lib/safetensors.mjs';
import { readSpeechCase, tones } from '../lib/speech.mjs';
import { folderWithWords } from '../lib/tiny_folder.mjs';

let engine;
before(async () => {
  engine = await createEngine({ threads: 1 });
});
after(() => engine.dispose());

const text = 'The cat sat on the mat.';
const texts = [text, 'a big red dog ran quickly', 'UNHAPPY house!'];
const make = (task, name, config = {}) => pipeline(task, folderWithWords(name, config), { engine });
const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);
const softmax = (logits) => {
  const powers = Array.from(logits, (logit) => Math.exp(logit));
  return powers.map((power) => power / sum(powers));
};
const near = (actual, expected) =>
  assert.ok(Math.abs(actual - expected) < 1e-6, `${actual} is not ${expected}`);
const refuses = (promise, code, message) =>
  assert.rejects(promise, (error) => {
    assert.ok(error instanceof TransformerError, error.stack);
    assert.equal(error.code, code);
    assert.match(error.message, message);
    return true;
  });

/** The logits of one text or pair, computed alone. */
async function logitsOf(model, ...pair) {
  const { ids, typeIds } = model.tokenizer.encode(pair[0], pair[1] === undefined ? {} : { pair: pair[1] });
  const { logits } = await model.forward({ inputIds: [ids], tokenTypeIds: [typeIds] });
  return logits.tolist()[0];
}

describe('text classification', () => {
  const id2label = { 0: 'bad', 1: 'fair', 2: 'good' };

  test('the best label, several, or all', async () => {
    const classify = await make('sentiment-analysis', 'bert_seqcls', { id2label });
    assert.equal(classify.task, 'text-classification');
    const probabilities = softmax(await logitsOf(classify.model, text));
    const all = await classify(text, { top_k: null });
    assert.deepEqual(
      all.map(({ label }) => label).sort(),
      Object.values(id2label).slice(0, probabilities.length).sort(),
    );
    for (const { label, score } of all) near(score, probabilities[Object.values(id2label).indexOf(label)]);
    assert.ok(all.every(({ score }, i) => i === 0 || score <= all[i - 1].score));
    assert.deepEqual(await classify(text), [all[0]]);
    assert.deepEqual((await classify(texts))[0], all[0]);
    assert.equal((await classify(texts)).length, 3);
    assert.deepEqual((await classify(texts, { topK: 2 }))[0], all.slice(0, 2));
    assert.deepEqual(await classify.model.classify(text), all);
    assert.deepEqual((await classify.model.classify(texts, { topK: 2 }))[0], all.slice(0, 2));
  });

  test('pairs, independent labels, raw scores', async () => {
    const problem = { problem_type: 'multi_label_classification' };
    const classify = await make('text-classification', 'bert_seqcls', problem);
    const logits = await logitsOf(classify.model, text, 'a dog');
    const [first, ...more] = await classify({ text, text_pair: 'a dog' }, { top_k: null });
    assert.equal(more.length, logits.length - 1);
    near(first.score, 1 / (1 + Math.exp(-Math.max(...logits))));
    assert.match(first.label, /^LABEL_\d$/);
    // A pair alone gives its label alone.
    const raw = await classify({ text, text_pair: 'a dog' }, { function_to_apply: 'none' });
    near(raw.score, Math.max(...logits));
  });

  test('models and inputs that do not fit', async () => {
    const wrong = await make('text-classification', 'bert_mlm');
    await refuses(wrong(text), 'unsupported', /'BertForMaskedLM' does not classify texts/);
    const classify = await make('text-classification', 'bert_seqcls');
    await refuses(classify(''), 'invalid_argument', /the text is empty/);
    await refuses(classify(text, { top: 2 }), 'invalid_argument', /has no 'top'/);
    assert.equal((await classify(text, { topk: 2 })).length, 2);
    // Options of batches change nothing; texts are always cut.
    assert.deepEqual(
      await classify(texts, { batch_size: 2, num_workers: 1, padding: true, truncation: true }),
      await classify(texts),
    );
    assert.deepEqual(
      await classify(text, { max_length: 5, truncation: true }),
      await classify('The cat sat'),
    );
    await refuses(classify(text, { truncation: false }), 'unsupported', /truncation cannot be switched off/);
    assert.deepEqual(
      await classify(text, { return_all_scores: true }),
      await classify(text, { top_k: null }),
    );
    assert.equal((await classify(`${text} `.repeat(90))).length, 1); // cut to the model's maximum
  });
});

describe('zero-shot classification', () => {
  const labels = ['cat', 'dog', 'house'];
  const config = (entailment) => ({
    id2label: { 0: 'x', 1: 'x', 2: 'x', [entailment]: 'ENTAILMENT' },
  });

  test('one label applies, or each may', async () => {
    const classify = await make('zero-shot-classification', 'bert_seqcls', config(2));
    const logits = [];
    for (const label of labels) logits.push(await logitsOf(classify.model, text, `this is ${label} .`));
    const template = { hypothesis_template: 'this is {} .' };
    const one = await classify(text, labels, template);
    assert.equal(one.sequence, text);
    near(sum(one.scores), 1);
    const expected = softmax(logits.map((row) => row[2]));
    for (const [i, label] of one.labels.entries()) near(one.scores[i], expected[labels.indexOf(label)]);
    const each = await classify(text, 'cat, dog, house', { ...template, multi_label: true });
    for (const [i, label] of each.labels.entries()) {
      const [contradiction, , entailment] = logits[labels.indexOf(label)];
      near(each.scores[i], softmax([contradiction, entailment])[1]);
    }
    const many = await classify(texts, { candidate_labels: labels, ...template });
    assert.deepEqual(many[0], one);
    assert.equal(many.length, 3);
  });

  test("by a classifier with a decoder, as BART's models of inference are", async () => {
    const [id2label, label2id] = [config(2).id2label, { ENTAILMENT: 2 }];
    const own = { id2label, label2id, eos_token_id: 3 }; // the end token is where the classifier reads the state: [SEP]
    const classify = await make('zero-shot-classification', 'bart_seqcls', own);
    const { model } = classify;
    const alone = async (pair) => {
      const { ids } = model.tokenizer.encode(text, { pair });
      return (await model.forward({ inputIds: [ids] })).logits.tolist()[0][2];
    };
    const logits = [];
    for (const label of labels) logits.push(await alone(`this is ${label} .`));
    const { labels: found, scores } = await classify(text, labels, { hypothesis_template: 'this is {} .' });
    const expected = softmax(logits);
    for (const [i, label] of found.entries()) near(scores[i], expected[labels.indexOf(label)]);
    await refuses(model.embed(text), 'unsupported', /no hidden states/);
    await refuses(model.generate(text), 'invalid_argument', /output projection/);
  });

  test('models and labels that do not fit', async () => {
    const none = await make('zero-shot-classification', 'bert_seqcls');
    await refuses(none(text, labels), 'unsupported', /natural-language inference/);
    const classify = await make('zero-shot-classification', 'bert_seqcls', config(0));
    await refuses(classify(text), 'invalid_argument', /needs candidate labels/);
    await refuses(classify(text, []), 'invalid_argument', /at least one candidate label/);
    await refuses(classify(text, labels, { hypothesis_template: 'x' }), 'invalid_argument', /contains \{\}/);
  });
});

describe('question answering', () => {
  const question = 'was the cat quick ?';
  const context = 'The dog was walking. A small unhappy cat sat!';
  const long = `${context} ${context} ${context}`;

  /** Every span of the context, by brute force over the logits of one pass. */
  async function spansOf(model, longest, pair = context) {
    const { ids, typeIds, offsets, tokens } = model.tokenizer.encode(question, { pair });
    const { startLogits, endLogits } = await model.forward({ inputIds: [ids], tokenTypeIds: [typeIds] });
    const isOpen = (token) => token === 0 || (typeIds[token] === 1 && offsets[token] !== null);
    const open = (logits) => softmax(Array.from(logits, (logit, token) => (isOpen(token) ? logit : -1e4)));
    const [begins, ends] = [open(startLogits.data), open(endLogits.data)];
    const spans = [];
    for (let i = 1; i < ids.length; i++)
      for (let j = i; j < Math.min(ids.length, i + longest); j++) {
        if (!isOpen(i) || !isOpen(j)) continue;
        let [from, to] = [i, j];
        while (tokens[from].startsWith('##')) from--;
        while (tokens[to + 1]?.startsWith('##')) to++;
        spans.push({ score: begins[i] * ends[j], start: offsets[from][0], end: offsets[to][1] });
      }
    return spans.sort((a, b) => b.score - a.score);
  }

  test('the best span, or several', async () => {
    const answer = await make('question-answering', 'bert_qa');
    for (const longest of [1, 4, 15]) {
      const [best] = await spansOf(answer.model, longest);
      const found = await answer({ question, context }, { max_answer_len: longest });
      near(found.score, best.score);
      assert.deepEqual([found.start, found.end], [best.start, best.end]);
      assert.equal(found.answer, context.slice(best.start, best.end));
      assert.deepEqual(await answer(question, context, { maxAnswerLength: longest }), found);
    }
    const found = await answer(question, context);
    assert.deepEqual(await answer([{ question, context }]), found);
    const other = 'who sat ?';
    const two = await answer([question, other], context);
    assert.deepEqual(two, [found, await answer(other, context)]);
    assert.deepEqual(await answer([question, other], [context, context]), two);
    await refuses(answer([question, other], [context]), 'invalid_argument', /2 questions, but 1 contexts/);
    const three = await answer({ question, context }, { top_k: 3 });
    assert.equal(new Set(three.map(({ start, end }) => `${start},${end}`)).size, three.length);
    assert.ok(three.every(({ score }, i) => i === 0 || score <= three[i - 1].score));
    assert.equal(
      (
        await answer([
          { question, context },
          { question, context: 'the cat' },
        ])
      ).length,
      2,
    );
  });

  test('each text once, with the sum of its scores; an answer alone is in no list', async () => {
    const answer = await make('question-answering', 'bert_qa');
    const twice = 'the cat sat . The cat sat .';
    const options = { max_answer_len: 3, align_to_words: false };
    const found = await answer({ question, context: twice }, { ...options, top_k: 1000 });
    const texts = found.map(({ answer: text }) => text.toLowerCase());
    assert.equal(new Set(texts).size, texts.length);
    assert.ok(texts.includes('cat sat') && texts.length > 5);
    for (const one of found.slice(1)) assert.ok(one.score <= found[0].score);
    const alone = await answer({ question, context: 'cat' }, { ...options, top_k: 3 });
    assert.deepEqual([alone.answer, alone.start, alone.end], ['cat', 0, 3]);
    const copies = await answer(
      { question, context: 'cat cat' },
      { ...options, max_answer_len: 1, top_k: 3 },
    );
    assert.deepEqual([copies.answer, copies.start % 4], ['cat', 0]);
    const ends = await spansOf(answer.model, 1, 'cat cat');
    near(
      copies.score,
      ends.reduce((sum, { score }) => sum + score, 0),
    );
  });

  test('parts of words where no whole ones are wanted, and questions that are cut', async () => {
    const answer = await make('question-answering', 'bert_qa');
    const words = [...context.matchAll(/\w+|[^\w ]/g)].map(({ 0: word, index }) => [
      index,
      index + word.length,
    ]);
    const begins = words.map(([begin]) => begin);
    const ends = words.map(([, end]) => end);
    const top_k = 200;
    const whole = await answer({ question, context }, { top_k, max_answer_len: 3 });
    assert.ok(whole.every(({ start, end }) => begins.includes(start) && ends.includes(end)));
    const parts = await answer({ question, context }, { top_k, max_answer_len: 3, align_to_words: false });
    const cut = parts.filter(({ start, end }) => !begins.includes(start) || !ends.includes(end));
    assert.ok(cut.length > 0 && parts.length > whole.length);
    const { offsets } = answer.tokenizer.encode(context);
    assert.ok(parts.every(({ start }) => offsets.some((span) => span?.[0] === start)));
    // The question has 5 tokens.
    const short = await answer({ question: 'was the', context });
    assert.deepEqual(await answer({ question, context }, { max_question_len: 2 }), short);
    assert.deepEqual(
      await answer({ question, context }, { max_question_len: 5 }),
      await answer({ question, context }),
    );
    await refuses(answer({ question, context }, { align_to_words: 1 }), 'invalid_argument', /alignToWords/);
  });

  test('a long context is read in parts that overlap', async () => {
    const answer = await make('question-answering', 'bert_qa');
    const options = { max_seq_len: 20, doc_stride: 4, top_k: 5 };
    const found = await answer({ question, context: long }, options);
    assert.ok(found.length > 0 && found.length <= 5);
    for (const { answer: words, start, end } of found) assert.equal(words, long.slice(start, end));
    const none = await answer({ question, context }, { handle_impossible_answer: true, top_k: 100 });
    assert.ok(none.some(({ answer: words }) => words === ''));
    const code = 'invalid_argument';
    await refuses(answer({ question, context }, { max_seq_len: 8 }), code, /leaves no room/);
    await refuses(
      answer({ question, context }, { ...options, doc_stride: 15 }),
      code,
      /docStride must be smaller/,
    );
    await refuses(answer({ question, context: ' ' }), code, /the context is empty/);
    // Without a stride of the caller's own, that of a small room fits.
    const [tight] = await answer({ question, context: long }, { max_seq_len: 10, top_k: 2 });
    assert.equal(tight.answer, long.slice(tight.start, tight.end));
    const wrong = await make('question-answering', 'bert_seqcls');
    await refuses(wrong({ question, context }), 'unsupported', /has no such head/);
  });
});

describe('token classification', () => {
  const labelled = 'The quickly playing cat sat. unhappy dog!';
  const id2label = { 0: 'O', 1: 'B-A', 2: 'I-A', 3: 'B-B', 4: 'I-B' };

  test('a result for each token', async () => {
    const tag = await make('ner', 'bert_tokcls', { id2label });
    const { ids, tokens, offsets } = tag.model.tokenizer.encode(labelled);
    const logits = await logitsOf(tag.model, labelled);
    const all = await tag(labelled, { ignore_labels: [] });
    assert.equal(all.length, ids.length - 2);
    for (const { entity, score, index, word, start, end } of all) {
      const probabilities = softmax(logits[index]);
      near(score, Math.max(...probabilities));
      assert.equal(entity, id2label[probabilities.indexOf(Math.max(...probabilities))]);
      assert.deepEqual([word, start, end], [tokens[index], ...offsets[index]]);
    }
    const named = await tag(labelled);
    assert.deepEqual(
      named,
      all.filter(({ entity }) => entity !== 'O'),
    );
    assert.deepEqual((await tag([labelled, 'a dog']))[0], named);
  });

  test('groups of tokens and words', async () => {
    const tag = await make('token-classification', 'bert_tokcls', { id2label });
    const all = await tag(labelled, { ignore_labels: [] });
    const ignore_labels = [];
    // Neighbours with the same tag, apart from those that begin anew.
    const expected = [];
    for (const { entity, score, start, end } of all) {
      const group = entity.replace(/^[BI]-/, '');
      const last = expected.at(-1);
      if (last?.entity_group === group && !entity.startsWith('B-')) {
        last.scores.push(score);
        last.end = end;
      } else expected.push({ entity_group: group, scores: [score], start, end });
    }
    const simple = await tag(labelled, { aggregation_strategy: 'simple', ignore_labels });
    assert.deepEqual(
      simple.map(({ entity_group, start, end }) => ({ entity_group, start, end })),
      expected.map(({ entity_group, start, end }) => ({ entity_group, start, end })),
    );
    for (const [i, { score }] of simple.entries())
      near(score, sum(expected[i].scores) / expected[i].scores.length);
    for (const aggregation_strategy of ['first', 'average', 'max']) {
      const groups = await tag(labelled, { aggregation_strategy, ignore_labels });
      // No group begins or ends inside of a word.
      for (const { start, end } of groups) {
        assert.ok(start === 0 || !/\w\w/.test(labelled.slice(start - 1, start + 1)));
        assert.ok(!/\w\w/.test(labelled.slice(end - 1, end + 1)));
      }
    }
    await refuses(
      tag(text, { aggregation_strategy: 'middle' }),
      'invalid_argument',
      /must be one of 'none', 'simple'/,
    );
  });
});

describe('token classification of long texts', () => {
  const id2label = { 0: 'O', 1: 'B-A', 2: 'I-A', 3: 'B-B', 4: 'I-B' };
  const aggregation_strategy = 'simple';
  const ignore_labels = [];
  const long = 'The quickly playing cat sat, unhappy dog! '.repeat(4).trim();

  /** The reference model, with a bias that makes all labels about as frequent. */
  async function makeFair() {
    const files = folderWithWords('bert_tokcls', { id2label });
    const first = await pipeline('ner', files, { engine });
    const { ids } = first.tokenizer.encode(text);
    const rows = (await first.model.forward({ inputIds: [ids] })).logits.tolist()[0];
    await first.dispose();
    const weights = readSafetensors(files.get('model.safetensors'));
    const bias = weights.get('classifier.bias');
    bias.data = bias.data.map((value, i) => value - sum(rows.map((row) => row[i])) / rows.length);
    return pipeline('ner', files.set('model.safetensors', writeSafetensors(weights)), { engine });
  }

  /** What Python does: the tokens in parts of 28, each between special tokens, then the longest of groups that overlap. */
  async function inParts(tag, stride) {
    const { ids, offsets } = tag.tokenizer.encode(long, { addSpecialTokens: false });
    const found = [];
    for (let begin = 0; ; begin += 28 - stride) {
      const part = ids.slice(begin, begin + 28);
      const { logits } = await tag.model.forward({ inputIds: [[2, ...part, 3]] });
      const groups = [];
      for (const [i, row] of logits.tolist()[0].slice(1, -1).entries()) {
        const probabilities = softmax(row);
        const score = Math.max(...probabilities);
        const label = id2label[probabilities.indexOf(score)];
        const [start, end] = offsets[begin + i];
        const last = groups.at(-1);
        if (last && !label.startsWith('B-') && last.label === label.replace(/^I-/, '')) {
          last.scores.push(score);
          last.end = end;
        } else groups.push({ label: label.replace(/^[BI]-/, ''), scores: [score], start, end });
      }
      found.push(...groups.map((group) => ({ ...group, score: sum(group.scores) / group.scores.length })));
      if (begin + 28 >= ids.length) break;
    }
    found.sort((a, b) => a.start - b.start);
    const kept = [found[0]];
    for (const group of found.slice(1)) {
      const last = kept.at(-1);
      const [length, before] = [group.end - group.start, last.end - last.start];
      if (group.start >= last.end) kept.push(group);
      else if (length > before || (length === before && group.score > last.score)) kept.splice(-1, 1, group);
    }
    return kept;
  }

  test('in parts that overlap', async () => {
    const tag = await makeFair();
    const cut = await tag(long, { aggregation_strategy, ignore_labels });
    for (const stride of [0, 1, 9, 27]) {
      const expected = await inParts(tag, stride);
      const found = await tag(long, { stride, aggregation_strategy, ignore_labels });
      assert.deepEqual(
        found.map(({ entity_group: label, start, end }) => ({ label, start, end })),
        expected.map(({ label, start, end }) => ({ label, start, end })),
        `stride ${stride}`,
      );
      for (const [i, { score }] of found.entries()) near(score, expected[i].score);
      assert.ok(
        found.at(-1).end > cut.at(-1).end && new Set(found.map(({ entity_group: label }) => label)).size > 1,
      );
      // Other texts of the list stay as they are.
      const many = await tag([text, long, text], { stride, aggregation_strategy, ignore_labels });
      const alone = await tag(text, { aggregation_strategy, ignore_labels });
      assert.deepEqual(many, [alone, found, alone]);
    }
  });

  test('strides that do not fit', async () => {
    const tag = await make('ner', 'bert_tokcls', { id2label });
    const code = 'invalid_argument';
    await refuses(tag(long, { stride: 4 }), code, /stride needs an aggregationStrategy/);
    await refuses(
      tag(long, { stride: 28, aggregation_strategy }),
      code,
      /stride must be smaller than the 28/,
    );
    await refuses(tag(long, { stride: -1, aggregation_strategy }), code, /stride must be an integer/);
    // A text that fits needs none.
    assert.deepEqual(
      await tag(text, { stride: 28, aggregation_strategy }),
      await tag(text, { aggregation_strategy }),
    );
  });

  test('unknown words are shown as written; older names of options', async () => {
    const tag = await make('ner', 'bert_tokcls', { id2label });
    const foreign = 'the кот sat, 狗 ran';
    const tokens = await tag(foreign, { ignore_labels });
    assert.deepEqual(
      tokens.map(({ word }) => word),
      ['the', 'кот', 'sat', ',', '狗', 'ran'],
    );
    const one = { 0: 'A', 1: 'A', 2: 'A', 3: 'A', 4: 'A' };
    const alike = await make('ner', 'bert_tokcls', { id2label: one });
    const [{ word }] = await alike(foreign, { aggregation_strategy });
    assert.equal(word, 'the кот sat, 狗 ran');
    assert.deepEqual(
      await tag(long, { grouped_entities: true }),
      await tag(long, { aggregation_strategy: 'simple' }),
    );
    assert.deepEqual(
      await tag(long, { grouped_entities: true, ignore_subwords: true }),
      await tag(long, { aggregation_strategy: 'first' }),
    );
  });
});

describe('fill-mask', () => {
  test('the most probable words, or the best of some', async () => {
    const fill = await make('fill-mask', 'bert_mlm');
    const masked = 'the cat [MASK] on the mat .';
    const place = fill.model.tokenizer.encode(masked).ids.indexOf(4);
    const probabilities = softmax((await logitsOf(fill.model, masked))[place]);
    const found = await fill(masked);
    assert.equal(found.length, 5);
    for (const { score, token } of found) near(score, probabilities[token]);
    near(found[0].score, Math.max(...probabilities));
    const words = await fill(masked, { targets: ['ran', 'sat'], top_k: 2 });
    assert.deepEqual(words.map(({ token_str }) => token_str).sort(), ['ran', 'sat']);
    assert.deepEqual(await fill(masked, { targets: words[0].token_str }), words.slice(0, 1));
    assert.equal(words.find(({ token_str }) => token_str === 'sat').sequence, 'the cat sat on the mat.');
    const two = await fill('the [MASK] sat on the [MASK]', { top_k: 3 });
    assert.deepEqual(
      two.map((mask) => mask.length),
      [3, 3],
    );
    assert.match(two[0][0].sequence, /\[MASK\]/);
    assert.deepEqual((await fill([masked, masked]))[1], found);
    // As in Python, a list of one gives what its element gives.
    assert.deepEqual(await fill([masked]), found);
  });

  test('texts without a mask, unknown targets', async () => {
    const fill = await make('fill-mask', 'bert_mlm');
    await refuses(fill(text), 'invalid_argument', /has no \[MASK\]/);
    await refuses(fill('a [MASK]', { targets: ['xyzzy'] }), 'invalid_argument', /'xyzzy' is not a token/);
  });
});

describe('feature extraction', () => {
  test('the vectors of all tokens, or an embedding', async () => {
    const extract = await make('feature-extraction', 'sentence_transformer');
    const features = await extract(texts);
    const { ids } = extract.model.tokenizer.encode(texts[0]);
    assert.deepEqual([features.shape[0], features.shape[2]], [3, 32]);
    const { lastHiddenState } = await extract.model.forward({ inputIds: [ids] });
    const own = features.data.slice(0, ids.length * 32);
    assertSameBits({ data: own, shape: [1, ids.length, 32] }, lastHiddenState, 'the first text');
    const mean = await extract(texts, { pooling: 'mean', normalize: true });
    assertSameBits(mean, await extract.model.embed(texts, { normalize: true }), 'embedding');
  });
});

describe('generation', () => {
  test('a text goes on; a conversation is answered', async () => {
    const write = await make('text-generation', 'llama');
    const [{ generated_text: whole }, ...more] = await write(text, { max_new_tokens: 6 });
    assert.deepEqual(more, []);
    assert.ok(whole.startsWith(text) && whole.length > text.length);
    const [{ generated_text: rest }] = await write(text, { max_new_tokens: 6, return_full_text: false });
    assert.equal(text + rest, whole);
    const end = rest.trim().split(' ')[1];
    const [{ generated_text: ended }] = await write(text, { max_new_tokens: 6, stop_strings: [end] });
    assert.equal(ended, (await write(text, { max_new_tokens: 6, stop_sequence: end }))[0].generated_text);
    assert.ok(ended.length < whole.length && whole.startsWith(ended), `${ended}, ${whole}`);
    const many = await write(texts, { maxNewTokens: 3, numBeams: 2, numReturnSequences: 2 });
    assert.deepEqual(
      many.map((all) => all.length),
      [2, 2, 2],
    );
    const turns = [{ role: 'user', content: 'the cat' }];
    const [{ generated_text: talk }] = await write(turns, {
      chat_template: '{{ messages[0].content }}',
      maxNewTokens: 3,
    });
    assert.deepEqual(talk[0], turns[0]);
    assert.equal(talk[1].role, 'assistant');
    const both = await write([turns, turns], { chat_template: '{{ messages[0].content }}', maxNewTokens: 3 });
    assert.deepEqual(both, [[{ generated_text: talk }], [{ generated_text: talk }]]);
  });

  test('translation, summaries and other rewriting, with the settings of the task', async () => {
    const config = {
      task_specific_params: {
        summarization: { prefix: 'the cat ', max_length: 9, num_beams: 2 },
        translation_en_to_fr: { prefix: 'a dog ', max_length: 7 },
      },
    };
    const rewrite = await make('text2text-generation', 't5', config);
    const { model } = rewrite;
    const best = async (input, options) => (await model.generate(input, options)).sequences[0].text;
    assert.deepEqual(await rewrite(text, { max_length: 8 }), [
      { generated_text: await best(text, { maxLength: 8 }) },
    ]);
    const summarise = await pipeline('summarization', model);
    const summary = await best(`the cat ${text}`, { maxLength: 9, numBeams: 2 });
    assert.deepEqual(await summarise(text), [{ summary_text: summary }]);
    assert.equal(await best(text, { task: 'summarization' }), summary);
    assert.equal(
      await best(text, { task: 'summarization', maxLength: 5 }),
      await best(`the cat ${text}`, { maxLength: 5, numBeams: 2 }),
    );
    await refuses(
      best(text, { task: 'poetry' }),
      'invalid_argument',
      /tasks are summarization, translation_en/,
    );
    assert.equal((await summarise(texts)).length, 3);
    const several = { num_beams: 2, num_return_sequences: 2 };
    assert.equal((await summarise(text, several)).length, 2);
    assert.deepEqual(await summarise([text], several), [await summarise(text, several)]);
    const translation = { translation_text: await best(`a dog ${text}`, { maxLength: 7 }) };
    const direct = await pipeline('translation_en_to_fr', model);
    assert.deepEqual(await direct(text), [translation]);
    const chosen = await pipeline('translation', model);
    assert.deepEqual(await chosen(text, { src_lang: 'en', tgt_lang: 'fr' }), [translation]);
    await refuses(
      chosen(text, { src_lang: 'en', tgt_lang: 'xx' }),
      'unsupported',
      /no task 'translation_en_to_xx'/,
    );
  });
});

describe('sound and pictures', () => {
  test('recordings, with times, and in the forms that Python takes', async () => {
    const speech = readSpeechCase('whisper_e2e');
    const model = await loadModel(speech.files(), { engine });
    const hear = await pipeline('automatic-speech-recognition', model);
    const samples = tones(speech.about.signals[0]);
    const options = { language: 'en' };
    const { text: plain } = await model.transcribe(samples, { ...options, timestamps: false });
    assert.deepEqual(await hear(samples, options), { text: plain });
    assert.deepEqual(await hear([samples], { generate_kwargs: options }), [{ text: plain }]);
    for (const given of [
      { raw: samples, sampling_rate: 16000 },
      { array: samples, sampling_rate: 16000, path: 'a.wav' },
    ])
      assert.deepEqual(await hear(given, options), { text: plain });
    const expected = await model.transcribe(samples, options);
    const { chunks } = await hear(samples, { ...options, return_timestamps: true, return_language: true });
    assert.deepEqual(
      chunks,
      expected.segments.map(({ text: said, start, end }) => ({
        language: 'english',
        timestamp: [start, end],
        text: said,
      })),
    );
    const bare = await hear(samples, { ...options, return_language: true });
    assert.deepEqual(bare, { text: plain, chunks: [{ language: 'english', text: plain }] });
    const characters = hear(samples, { ...options, return_timestamps: 'char' });
    await refuses(characters, 'unsupported', /return_timestamps must be true \(segments\), 'word' or false/);
    const { words } = await model.transcribe(samples, { ...options, timestamps: 'words' });
    const spoken = await hear(samples, { ...options, return_timestamps: 'word', chunk_length_s: 30 });
    assert.deepEqual(
      spoken.chunks,
      words.map(({ text: said, start, end }) => ({ timestamp: [start, end], text: said })),
    );
    await model.dispose();
  });

  test('labels of pictures', async () => {
    const look = await pipeline('image-classification', readFamilyCase('vit').files(), { engine });
    const data = Uint8Array.from({ length: 16 * 16 * 3 }, (_, i) => (i * 37) % 256);
    const picture = { data, width: 16, height: 16, channels: 3 };
    const all = await look.model.classifyImage(picture);
    assert.deepEqual(await look(picture), all.slice(0, 5));
    assert.deepEqual(await look([picture, picture], { top_k: 2 }), [all.slice(0, 2), all.slice(0, 2)]);
    const raw = await look(picture, { function_to_apply: 'none', top_k: 1 });
    assert.equal(raw[0].label, all[0].label);
    near(
      softmax((await look(picture, { function_to_apply: 'none' })).map(({ score }) => score))[0],
      all[0].score,
    );
    await look.dispose();
  });
});

describe('pipeline', () => {
  test('tasks that are not known, and models that do not fit', async () => {
    await refuses(
      pipeline('depth-estimation', folderWithWords('bert_mlm'), { engine }),
      'unsupported',
      /no task 'depth-estimation'/,
    );
    const wrong = await make('text-generation', 'bert_mlm');
    await refuses(wrong(text), 'unsupported', /only a decoder alone/);
    const summarise = await make('summarization', 'llama');
    await refuses(summarise(text), 'unsupported', /an encoder and a decoder/);
  });

  test('options of loading, and disposal', async () => {
    const phases = [];
    const progress_callback = ({ phase }) => phases.push(phase);
    const fill = await pipeline('fill-mask', folderWithWords('bert_mlm'), { engine, progress_callback });
    assert.ok(phases.includes('ready'));
    await fill.dispose();
    await refuses(fill('a [MASK]'), 'disposed', /disposed/);
    const seen = [];
    const named = { dtype: 'q8', device: 'wasm', progress_callback: (one) => seen.push(one) };
    const small = await pipeline('fill-mask', folderWithWords('bert_mlm'), { engine, ...named });
    assert.equal(small.model.info.dtype, 'int8');
    assert.equal(small.tokenizer, small.model.tokenizer);
    assert.deepEqual([seen.at(-1).status, seen.at(-1).progress], ['ready', 100]);
    // Each file begins, goes on and ends, one after the other; `ready` comes last and once.
    const told = seen.map(({ status, file }) => `${status} ${file}`);
    const files = [...new Set(seen.slice(0, -1).map(({ file }) => file))];
    for (const file of files) {
      const own = told.filter((one) => one.endsWith(` ${file}`) && !one.startsWith('ready'));
      assert.deepEqual(own.slice(0, 2), [`initiate ${file}`, `download ${file}`]);
      assert.equal(own.at(-1), `done ${file}`);
      assert.ok(own.slice(2, -1).every((one) => one === `progress ${file}`));
    }
    assert.ok(told.some((one) => one.startsWith('progress')));
    assert.equal(told.filter((one) => one.startsWith('ready')).length, 1);
    assert.equal(seen.at(-1).task, 'fill-mask');
    const refused = (options, code, message) =>
      refuses(pipeline('fill-mask', folderWithWords('bert_mlm'), { engine, ...options }), code, message);
    await refused({ device: 'webgpu' }, 'unsupported', /device 'webgpu' is not supported/);
    const smaller = await pipeline('fill-mask', folderWithWords('bert_mlm'), { engine, dtype: 'q4' });
    assert.equal(smaller.model.info.dtype, 'int4');
    await refused({ dtype: 'q2' }, 'invalid_argument', /dtype must be/);
    const shared = await loadModel(folderWithWords('bert_mlm'), { engine });
    assert.equal((await pipeline('fill-mask', shared)).model, shared);
  });
});
