// The page's own words where its HTML is made: the English ones stand in it for whoever runs no script, and before one has run.

import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pageModule } from './lib/page_module.mjs';

const web = join(dirname(dirname(fileURLToPath(import.meta.url))), 'web');

/** @param {string} language the code of a file in web/src/words @returns what that file exports under the same name */
export const pageWords = async (language) => (await pageModule(`words/${language}.ts`))[language];

/** The script that runs before the page's modules. */
export const earlyScript = () => readFile(join(web, 'early.js'), 'utf8');

const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

/** Fills the elements that have `data-words`. */
export const pageWordsPlugin = () => ({
  name: 'page-words',
  transformIndexHtml: {
    order: 'pre',
    async handler(html) {
      const { html: words } = await pageWords('en');
      const textOf = (name) => {
        if (words[name] === undefined) throw new Error(`there are no words for data-words="${name}"`);
        return escaped(words[name]);
      };
      return html
        .replace(
          /(<(\w+)[^>]*\sdata-words="(\w+)"[^>]*>)(?=<\/\2>)/g,
          (tag, _whole, _name, key) => tag + textOf(key),
        )
        .replace(/(data-words="(\w+)"\s+content=")"/g, (_whole, begin, key) => `${begin}${textOf(key)}"`);
    },
  },
});
