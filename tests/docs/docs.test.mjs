// The API documentation that scripts/docs.mjs builds, which rejects broken types and links.

import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../../build/api', import.meta.url));
const pages = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.html'));
const read = (page) => readFileSync(join(folder, page), 'utf8');

describe('the documentation', () => {
  test('has a page for every export of the package', () => {
    const index = readFileSync(new URL('../../bindings/index.ts', import.meta.url), 'utf8');
    const lists = [...index.matchAll(/^export (?:type )?\{([^}]*)\}/gm)];
    const names = lists.flatMap(([, list]) => list.match(/\b(?!type\b)\w+\b/g));
    assert.ok(names.includes('loadModel') && names.includes('Engine'));
    const documented = new Set(
      pages.map((page) =>
        page
          .split('/')
          .at(-1)
          .replace(/\.html$/, ''),
      ),
    );
    assert.deepEqual(
      names.filter((name) => !documented.has(name)),
      [],
    );
  });

  test('has no broken links', () => {
    for (const page of pages) {
      const links = [...read(page).matchAll(/(?:href|src)="([^"#?]+)[^"]*"/g)].map(([, link]) => link);
      const broken = links
        .filter((link) => !/^(https?:|data:)/.test(link))
        .filter((link) => !existsSync(join(folder, dirname(page), link)));
      assert.deepEqual(broken, [], page);
    }
  });

  test('documents the result of every call of the engine', () => {
    const engine = read('classes/Engine.html');
    for (const name of ['scaledDotProductAttention', 'transformer', 'dispose'])
      assert.match(engine, new RegExp(`id="${name.toLowerCase()}"`), name);
  });

  test('has a page for every guide', () => {
    const guides = new URL('../../web/docs/', import.meta.url);
    for (const name of readdirSync(guides)) {
      const [, title] = readFileSync(new URL(name, guides), 'utf8').match(/^title: (.+)$/m);
      const page = read(`documents/${title.replaceAll(' ', '_')}.html`);
      assert.match(page, new RegExp(`<h1[^>]*>${title}`), name);
    }
  });
});
