// The model that adds, on the workbench: its numbers are the engine's, and what one changes shows.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { loadModel } from 'transformer-wasm';
import { promptOf, sumOf } from '../../scripts/train/adder/task.mjs';
import { readSafetensors } from '../lib/safetensors.mjs';
import { built, cat, openSite } from './site.mjs';

const site = openSite();
const folder = join(built, 'models/adder');
const digits = (number) => [...number].reverse().map(Number);

/** The numbers of cells, as their titles have them. */
const numbersIn = (cells) => cells.evaluateAll((all) => all.map(({ title }) => title));

/** Numbers as the page writes them have three digits. */
function assertShown(text, number) {
  const read = Number(text.replace('−', '-'));
  assert.ok(Math.abs(read - number) <= Math.abs(number) * 0.006 + 1e-6, `${text} against ${number}`);
}

const arrive = async (settings = {}) => {
  const fields = Object.entries(settings).map(([name, value]) => [`adder.${name}`, value]);
  const visitor = await site.arrive({ s: cat, v: 'adder', ...Object.fromEntries(fields) });
  await visitor.page.locator('#adder .flow .state').first().waitFor();
  return visitor;
};

test('each number on the screen is the model’s', async () => {
  const [a, b, place] = ['8675309124', '1357924688', 2];
  const visitor = await arrive({ a, b, place });
  const { page } = visitor;
  const [first, second] = [digits(a), digits(b)];
  const sum = sumOf(first, second);
  assert.equal(
    (await page.locator('#adder .column button').evaluateAll((all) => all.map((one) => one.firstChild.data)))
      .reverse()
      .join(),
    sum.join(),
  );

  const tensors = readSafetensors(readFileSync(join(folder, 'model.safetensors')));
  const weights = [...tensors.values()].flatMap(({ data }) => [...data]);
  const shown = await numbersIn(page.locator('#adder .weights .cell'));
  assert.equal(shown.length, 278);
  const sorted = (numbers) => numbers.toSorted((one, other) => one - other);
  const read = shown.map((text) => Number(text.replace('−', '-')));
  for (const [i, number] of sorted(read).entries()) assertShown(`${number}`, sorted(weights)[i]);

  const model = await loadModel(folder);
  const { trace, logits } = await model.forward(
    { inputIds: [[...promptOf(first, second), ...sum.slice(0, -1)]] },
    { trace: ['decoder.embeddings', 'decoder.layers.0.*.*'] },
  );
  const at = 23 + place;
  const of = (tensor, row = at) => {
    const width = tensor.shape.at(-1);
    return tensor.data.subarray(row * width, (row + 1) * width);
  };
  const layer = (name) => trace[`decoder.layers.0.${name}`];
  const states = {
    x: of(trace['decoder.embeddings']),
    'q₁': of(layer('self_attn.queries')).subarray(0, 4),
    'q₂': of(layer('self_attn.queries')).subarray(4),
    h: of(layer('self_attn.residual')),
    'h′': of(layer('feed_forward.residual')),
  };
  for (const [name, numbers] of Object.entries(states)) {
    const row = page.locator('#adder .state').filter({ has: page.getByText(name, { exact: true }) });
    const cells = await numbersIn(row.first().locator('.cell'));
    assert.equal(cells.length, numbers.length, name);
    for (const [i, cell] of cells.entries()) assertShown(cell, numbers[i]);
  }
  const bars = await page
    .locator('#adder .logits li')
    .evaluateAll((all) => all.map((one) => one.lastChild.data));
  for (const [i, text] of bars.entries()) assertShown(text, of(logits)[i]);
  await model.dispose();
  await visitor.leave();
});

test('another base, 4 bits or another weight spoil the sums, and all of it can be taken back', async () => {
  const visitor = await arrive();
  const { page } = visitor;
  const right = page.locator('#adder .share-right');
  const becomes = (text) => right.filter({ hasText: text }).waitFor();
  await becomes('300 of 300');
  const base = page.getByRole('slider', { name: 'Base of the rotation' });
  await base.focus();
  await page.keyboard.press('End');
  await becomes(/^0 of 300/);
  await page.getByRole('button', { name: 'As trained' }).click();
  await becomes('300 of 300');
  const bits = page.locator('#adder .choice', { hasText: 'Bits' });
  await bits.getByRole('button', { name: '4', exact: true }).click();
  await becomes(/^0 of 300/);
  await bits.getByRole('button', { name: '8', exact: true }).click();
  await becomes(/^(29\d|300) of 300/);
  await page.getByRole('button', { name: 'As trained' }).click();

  // A weight is reached with the keyboard, and the address keeps it.
  const grid = page.getByRole('grid', { name: 'weights W_gate' });
  await grid.locator('[tabindex="0"]').focus();
  for (const key of ['ArrowRight', 'ArrowDown', 'Enter']) await page.keyboard.press(key);
  const field = page.locator('#adder .editor input[type="number"]');
  await field.waitFor();
  const trained = Number(await field.inputValue());
  await field.fill('5');
  await field.press('Enter');
  await right.filter({ hasNotText: '300 of 300' }).waitFor();
  assert.match(await visitor.hash(), /adder\.w=gate\.1\.1%3A5/);
  assert.equal(await grid.locator('.changed').count(), 1);
  await page.locator('#adder .editor').getByRole('button').click();
  await becomes('300 of 300');
  assert.equal(Number(await field.inputValue()), trained);
  await visitor.leave();
});

test('numbers are typed, and arrow keys go from digit to digit', async () => {
  const visitor = await arrive();
  const { page } = visitor;
  await page.getByLabel('First number').fill('9999999999');
  await page.getByLabel('Second number').fill('1');
  const written = page.locator('#adder .column button');
  await page.waitForFunction(
    () =>
      [...document.querySelectorAll('#adder .column button')]
        .map(({ firstChild }) => firstChild.data)
        .join('') === '10000000000',
  );
  await written.nth(7).focus();
  await page.keyboard.press('ArrowRight');
  await page.locator('#adder .spoken', { hasText: 'Digit 3 from the right' }).waitFor();
  assert.equal(await page.evaluate(() => document.activeElement.dataset.place), '2');
  await visitor.leave();
});
