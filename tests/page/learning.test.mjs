// What "Watch it learn" teaches and how it goes on, without a browser.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { createTrainer } from '../../dist/train.js';
import { bundleForNode } from './bundle.mjs';
import { root } from './site.mjs';

const json = async (name) => JSON.parse(await readFile(join(root, 'web/src/views/learn', name), 'utf8'));

describe('watch it learn, without a browser', () => {
  let code;
  let tasks;
  before(async () => {
    const files = ['variants', 'learner', 'run', 'compute', 'said'].map((name) => `views/learn/${name}.ts`);
    code = await bundleForNode(files);
    tasks = code.variants.tasks;
  });

  const key = ({ prompt }) => prompt.join();
  const examplesOf = (task) => [
    ...task.kept,
    ...Array.from({ length: 40 }, (_, i) => task.examples(Math.floor((i * task.steps) / 40))).flat(),
  ];

  test('every answer is right', async () => {
    for (const { prompt, answer } of examplesOf(tasks.reverse)) {
      const word = prompt.filter((id) => id < 26);
      assert.deepEqual(answer, [...word.toReversed(), 28]);
      assert.deepEqual(prompt, [...Array(8 - word.length).fill(26), ...word, 27]);
      assert.ok(word.length >= 2);
    }
    const number = (digits) => digits.reduceRight((sum, digit) => 10 * sum + digit, 0);
    for (const { prompt, answer } of examplesOf(tasks.add)) {
      assert.deepEqual([prompt[3], prompt[7], answer.length], [10, 11, 4]);
      assert.equal(number(prompt.slice(0, 3)) + number(prompt.slice(4, 7)), number(answer));
    }
    const { learned, kept } = await json('sentences.json');
    const { translate } = tasks;
    assert.deepEqual([learned.length, kept.length], [20, 55]);
    for (const [of, pairs] of [
      [translate.learned, learned],
      [translate.kept, kept],
    ])
      assert.deepEqual(
        of.map(({ prompt, answer }) => [translate.asked(prompt), translate.said(answer)]),
        pairs.map(([english, french]) => [english, french.replace("'", '’')]),
      );
  });

  test('nothing that is kept apart is ever learned from, and each visit has the same batches', () => {
    for (const [name, task] of Object.entries(tasks)) {
      const kept = new Set(task.kept.map(key));
      assert.equal(kept.size, task.kept.length, name);
      for (let step = 0; step < task.steps; step++)
        for (const example of task.examples(step))
          assert.ok(!kept.has(key(example)), `${name}, step ${step}`);
      assert.deepEqual(task.examples(7), task.examples(7));
    }
    assert.notDeepEqual(tasks.add.examples(7), tasks.add.examples(8));
  });

  test('what a reader types is an example, or none', () => {
    const { reverse, add, translate } = tasks;
    assert.deepEqual(reverse.read(' Abc '), {
      prompt: [26, 26, 26, 26, 26, 0, 1, 2, 27],
      answer: [2, 1, 0, 28],
    });
    assert.deepEqual(['a', 'abcdefghi', 'été', 'a b', ''].map(reverse.read), Array(5).fill(null));
    const sum = add.read('7+45');
    assert.deepEqual([add.asked(sum.prompt), add.said(sum.answer)], ['7 + 45', '52']);
    assert.deepEqual(['7', '7+1234', '-7+1', '7+x'].map(add.read), Array(4).fill(null));
    const known = translate.read('the white mouse is happy');
    assert.equal(translate.said(known.answer), 'La souris blanche est heureuse.');
    assert.deepEqual(translate.read('The cat is green.').answer, []);
    assert.deepEqual(
      ['The red cat is old.', 'cat, dog', '', 'the the the the the the the'].map(translate.read),
      [null, null, null, null],
    );
  });

  /** Each row shares out one whole, with an encoder two, and has nothing in its empty cells. */
  function checkLook({ heads, rows, columns, weights }, task, options) {
    const { rowNames, columnNames, isEmpty } = code.learn.namesOf(task, task.kept[0], options);
    assert.deepEqual([rowNames.length, columnNames.length], [rows, columns]);
    for (let line = 0; line < heads * rows; line++) {
      const row = [...weights.subarray(line * columns, (line + 1) * columns)];
      const sumOf = (part) => part.reduce((sum, weight) => sum + weight, 0);
      const gap = task.hasEncoder ? task.kept[0].prompt.length : columns;
      assert.ok(Math.abs(sumOf(row.slice(0, gap)) - 1) < 1e-5, `row ${line}: ${row}`);
      if (task.hasEncoder) assert.ok(Math.abs(sumOf(row.slice(gap)) - 1) < 1e-5, `row ${line}: ${row}`);
      for (const [column, weight] of row.entries())
        assert.ok(isEmpty(line % rows, column) ? weight === 0 : weight > 0, `${line}, ${column}: ${weight}`);
    }
  }

  test('what was measured is what these models do', async () => {
    const measured = await json('measured.json');
    for (const task of Object.keys(tasks)) {
      for (const without of code.variants.variants) {
        const { config, options } = code.variants.settingsOf({ task, without }, 1);
        const trainer = await createTrainer(config, options);
        const look = await code.learn.lookOf(trainer, tasks[task], tasks[task].kept[0]);
        const [name, { early, largest }] = [`${task} without ${without}`, measured[task][without]];
        checkLook(look, tasks[task], { isMasked: without !== 'mask' });
        const first = tasks[task].hasEncoder ? tasks[task].kept[0].prompt.length : look.columns;
        assert.equal(Number(code.learn.largestOf(look, first).toFixed(4)), largest, name);
        let loss;
        for (let step = 0; step < 5; step++)
          ({ loss } = await trainer.step(code.learner.batchFor(tasks[task], step)));
        assert.equal(loss, early, name);
        await trainer.dispose();
      }
      // What the sentences beside them say.
      const { nothing, positions, scale, mask } = measured[task];
      const { kept } = tasks[task];
      assert.ok(mask.right < 0.5 * nothing.right && mask.loss < 0.05 && positions.right < nothing.right);
      assert.ok(scale.largest > nothing.largest + 0.2);
      if (task !== 'translate') {
        assert.ok(nothing.right >= 0.99 * kept.length && nothing.learnedAt > 0);
        assert.ok(scale.right < 0.5 * nothing.right && positions.right < 0.1 * nothing.right);
      } else assert.ok(scale.right >= nothing.right && positions.byHeart === 20 && nothing.byHeart === 20);
    }
    const said = code.said.whyOf({ task: 'add', without: 'mask' }).join('');
    assert.match(
      said,
      new RegExp(`${measured.add.mask.right} of 100 right; .*${measured.add.nothing.right}\\.`),
    );
  });

  /** Trainers that learn nothing, quickly, and are counted. */
  const pretended = ({ stepFails = () => null } = {}) => {
    const counts = { opened: 0, disposed: 0 };
    const zeros = (...shape) => ({ data: new Float32Array(shape.reduce((a, b) => a * b)), shape });
    const create = async () => {
      counts.opened++;
      let [steps, isThere] = [0, true];
      return {
        step: async () => {
          const error = stepFails(++steps);
          if (error) throw error;
          return { step: steps, loss: 1 / steps };
        },
        evaluate: async ({ inputs }, { attentions }) => ({
          logits: zeros(inputs.flat().length, 29),
          ...(attentions && { attentions: { 'decoder.layers.0.self_attn': zeros(1, 1, 14, 14) } }),
        }),
        dispose: async () => {
          counts.disposed += Number(isThere);
          isThere = false;
        },
      };
    };
    return { create, counts };
  };
  const plan = { task: 'reverse', without: 'nothing', seeds: [1, 2] };
  /** A run, and the way to wait until it is so far. */
  const start = (create, frame = async () => {}) => {
    let wake = () => {};
    const run = new code.run.Run(plan, null, { load: async () => create, frame, onChange: () => wake() });
    const until = async (isSo) => {
      while (!isSo(run)) await new Promise((resolve) => (wake = resolve));
    };
    return { run, until };
  };

  test('a run ends by itself, and what it keeps of the past is bounded', async () => {
    const { create, counts } = pretended();
    const { run, until } = start(create);
    await until(({ phase }) => phase === 'done');
    assert.equal(run.steps, tasks.reverse.steps);
    const [{ moments }] = run.learners;
    assert.deepEqual([moments[0].step, moments.at(-1).step], [0, tasks.reverse.steps]);
    await run.end();
    assert.deepEqual(counts, { opened: 2, disposed: 2 });
    // Five times as long.
    const learner = await code.learner.Learner.open(create, plan, { seed: 1 });
    await learner.keep(null);
    while (learner.losses.length < 3000) await learner.step(null);
    const steps = learner.moments.map(({ step }) => step);
    assert.ok(steps.length <= code.learner.mostMoments && steps.length > code.learner.mostMoments / 3);
    assert.equal(steps[0], 0);
    assert.ok(steps.every((step, i) => i === 0 || step > steps[i - 1]));
  });

  test('stopped, asked, gone on with; ended while it opens and while it learns: no trainer is left', async () => {
    const { create, counts } = pretended();
    const { run, until } = start(create);
    await until(({ steps }) => steps >= 20);
    run.stop();
    run.ask(tasks.reverse.read('abc'));
    await until(({ learners: [learner] }) => learner.moments.at(-1).own);
    const at = run.steps;
    assert.equal(run.phase, 'stopped');
    run.goOn();
    await until(({ steps }) => steps > at);
    await run.end();
    await run.end();
    assert.equal(run.phase, 'ended');
    assert.deepEqual(counts, { opened: 2, disposed: 2 });
    const early = start(create);
    await early.run.end();
    assert.equal(early.run.phase, 'ended');
    // What was asked for meanwhile comes, and goes.
    const gives = [];
    const slow = start(async () => {
      await new Promise((resolve) => gives.push(resolve));
      return create();
    });
    while (gives.length < 2) await new Promise((resolve) => setImmediate(resolve));
    const ending = slow.run.end();
    for (const give of gives) give();
    await ending;
    await slow.run.settled();
    assert.equal(counts.opened, counts.disposed);
  });

  test('a loss that is no number ends a run, and is said in plain words', async () => {
    const { TransformerError } = await import('transformer-wasm');
    const error = new TransformerError(
      'invalid_argument',
      'the loss of step 3 is nan: the weights are unchanged.',
    );
    const { create, counts } = pretended({ stepFails: (step) => (step === 3 ? error : null) });
    const { run, until } = start(create);
    await until(({ phase }) => phase === 'failed');
    await run.settled();
    assert.equal(run.error, error);
    assert.deepEqual(counts, { opened: 2, disposed: 2 });
    assert.match(code.said.failureOf(error).message, /^At step 3 the loss was no longer a number/);
    const memory = new TransformerError('out_of_memory', 'no memory');
    assert.equal(code.said.failureOf(memory), memory);
    run.goOn();
    assert.equal(run.phase, 'failed');
  });
});
