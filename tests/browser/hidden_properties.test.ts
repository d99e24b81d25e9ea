// Fields of a form, and pictures of a document, whose names hide what nodes have themselves.

import { afterEach, expect, test } from 'vitest';
import { translateElement } from '../../dist/documents.js';
import { wordByWord } from '../lib/markup.mjs';

const upper = { translate: wordByWord((word: string) => word.toUpperCase(), { isReversed: true }) };

/** Every name that an object has from its prototypes. */
function namesOf(object: object): string[] {
  const names = new Set<string>();
  for (let owner = Object.getPrototypeOf(object); owner; owner = Object.getPrototypeOf(owner))
    for (const name of Object.getOwnPropertyNames(owner)) names.add(name);
  return [...names].filter((name) => /^[a-z]\w+$/i.test(name));
}

const form = document.createElement('form');
afterEach(() => Element.prototype.remove.call(form));

test('a form is translated and given back, whatever its fields are called', async () => {
  const fields = namesOf(form).map((name) => `<input name="${name}">`);
  const [first, second] = [fields.slice(0, 150).join(''), fields.slice(150).join('')];
  form.innerHTML = `one <b>two</b> three<p title="four">five <i>six</i></p>${first}<p>seven</p>eight${second}`;
  Element.prototype.setAttribute.call(form, 'title', 'nine');
  Node.prototype.appendChild.call(document.body, form);
  expect(String(form.childNodes)).toContain('Input');
  const nodes = [...document.body.querySelectorAll('form *')];
  const before = new XMLSerializer().serializeToString(form);

  const page = translateElement(upper, form, { attributes: true, observe: true, targetLanguage: 'de' });
  await page.done;
  const texts = new XMLSerializer().serializeToString(form).replace(/<input[^>]*>/g, ' ');
  expect(texts).toContain('THREE <b>TWO</b> ONE<p title="FOUR"><i>SIX</i> FIVE</p>');
  expect(texts).toMatch(/title="NINE".* lang="de"|lang="de".* title="NINE"/);
  expect(texts).toMatch(/<p>SEVEN<\/p>\s*EIGHT/);

  const late = document.createElement('p');
  late.textContent = 'ten';
  Node.prototype.insertBefore.call(form, late, null);
  await expect.poll(() => late.textContent).toBe('TEN');
  late.remove();
  page.restore();
  expect(new XMLSerializer().serializeToString(form)).toBe(before);
  expect([...document.body.querySelectorAll('form *')]).toEqual(nodes);
});

test('a page is translated whose pictures are called as methods of its document', async () => {
  const main = document.createElement('main');
  const names = ['createTextNode', 'createElement', 'defaultView', 'documentElement', 'querySelector'];
  main.innerHTML = `<p>one <b>two</b> three</p>${names.map((name) => `<img name="${name}" src="data:,">`).join('')}`;
  const before = main.innerHTML;
  document.body.append(main);
  try {
    expect(String(document.createTextNode)).toContain('Image');
    const page = translateElement(upper, main);
    await page.done;
    expect(main.innerHTML).toContain('<p>THREE <b>TWO</b> ONE</p>');
    page.restore();
    expect(main.innerHTML).toBe(before);
  } finally {
    main.remove();
  }
});
