// Translates the READMEs of the npm packages that are installed here, and pages: theirs, and what marked makes of the READMEs. Two
// translators without a model do it, of which one changes nothing and the other writes capitals: npm run documents
// Of each it counts the documents that have the same skeleton afterwards, as other parsers see it: micromark's tree, parse5's.

import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { marked } from 'marked';
import { skeletonOf } from '../tests/lib/skeletons.mjs';
import { ExpectedError, runMain, say } from './lib/console.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
/** Of all documents, how many must keep their skeleton. */
const least = 0.99;
/** Longer ones take micromark minutes. */
const longest = 60_000;
const most = 500;

/** A README as a registry or a site shows it. */
const pageOf = (markdown) =>
  `<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8"><title>A package</title></head>\n<body>\n${marked.parse(markdown)}</body>\n</html>\n`;

function documentsOf(pattern) {
  const names = readdirSync(join(root, 'node_modules'), { recursive: true, encoding: 'utf8' });
  const texts = names
    .filter((name) => pattern.test(name))
    .sort()
    .map((name) => ({ name, source: readFileSync(join(root, 'node_modules', name), 'utf8') }));
  return texts.filter(({ source }) => source.length <= longest);
}

const readmes = documentsOf(/\.(md|markdown)$/i);
const pages = documentsOf(/\.html?$/i);
const rendered = readmes.map(({ name, source }) => ({ name: `${name} as a page`, source: pageOf(source) }));
const kinds = {
  markdown: readmes,
  html: [...pages, ...rendered],
};

const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' });

/** Each text as a whole, its words where they were. */
function translator(write) {
  return async (texts) =>
    texts.map((text) => {
      const words = Array.from(segmenter.segment(text), ({ segment, index }) => [
        index,
        index + segment.length,
      ]).filter((word) => text.slice(...word).trim() !== '');
      const target = text.replace(/\p{L}/gu, (letter) => {
        const written = write(letter);
        return written.length === letter.length ? written : letter;
      });
      const sentences = words.map((word) => ({
        source: word,
        target: word,
        alignment: { sourceWords: [word], targetWords: [word], weights: { data: [1] }, links: [0] },
      }));
      return { text: target, sentences };
    });
}

async function tryAll(kind, documents, translate) {
  const { translateDocument } = await import('../build/modules/documents/translate_document.js');
  const result = { tried: 0, same: 0, others: [], untranslated: 0, parts: 0 };
  for (const { name, source } of documents.slice(0, most)) {
    result.tried++;
    const { text, parts, untranslated } = await translateDocument(source, kind, translate);
    result.parts += parts.length;
    result.untranslated += untranslated.length;
    if (skeletonOf(kind, text) === skeletonOf(kind, source)) result.same++;
    else result.others.push(name);
  }
  return result;
}

async function main() {
  const failed = [];
  for (const [kind, documents] of Object.entries(kinds))
    for (const [name, write] of [
      ['nothing changed', (letter) => letter],
      ['capitals', (letter) => letter.toUpperCase()],
    ]) {
      const { tried, same, others, untranslated, parts } = await tryAll(kind, documents, translator(write));
      say(
        `${kind}, ${name}: ${same} of ${tried} have the same skeleton; ${untranslated} of ${parts} parts given back`,
      );
      for (const other of others) say(`    ${other}`);
      if (same < least * tried) failed.push(`${kind}, ${name}`);
    }
  if (failed.length > 0) throw new ExpectedError(`Fewer than ${100 * least} %: ${failed.join('; ')}.`);
}

await runMain(main);
