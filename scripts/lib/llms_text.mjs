// llms.txt and llms-full.txt (llmstxt.org): the guides for programs that read documentation; an index, and everything in one file.

import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/** The guides in the order of the site: `{ title, page, file, text, first }`, the text without its front matter. */
export function readGuides(tool) {
  const { projectDocuments } = JSON.parse(readFileSync(join(tool, 'typedoc.json'), 'utf8'));
  return projectDocuments.map((path) => {
    const [, title, text] = readFileSync(join(tool, path), 'utf8').match(
      /^---\ntitle: ([^\n]+)\n---\n+(.*)$/s,
    );
    const page = `documents/${title.replaceAll(' ', '_')}.html`;
    return { title, page, file: basename(path), text, first: firstSentence(text) };
  });
}

function firstSentence(text) {
  const paragraph = text.split(/\n\n+/).find((block) => /^([A-Z]|`[^`]|\*\*)/.test(block));
  const plain = paragraph
    .replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1')
    .replaceAll('\n', ' ')
    .replaceAll('**', '');
  const [sentence] = plain.match(/^.*?[.:](?=\s|$)|^.*/);
  return sentence.replace(/:$/, '.');
}

/** Links to files of the repository are their words alone: the files are not on the site. */
const withoutFiles = (text) => text.replaceAll(/\[([^\]]+)\]\((?!https?:|#)[^)]*\)/g, '$1');

/** The two texts by the names of their files. @param addressOf where a guide is */
export function llmsTexts(root, addressOf = ({ page }) => page) {
  const tool = join(root, 'scripts/docs');
  const { description } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const start = readFileSync(join(tool, 'start.md'), 'utf8').replaceAll(/\{@link \S+ \| (\w+)\}/g, '`$1`');
  const [example] = start.match(/```js\n.*?```/s);
  const guides = readGuides(tool);
  const head = `# transformer-wasm\n\n> ${description}.\n\n\`npm install transformer-wasm\`, then:\n\n${example}\n`;
  const index = guides.map((guide) => `- [${guide.title}](${addressOf(guide)}): ${guide.first}`).join('\n');
  const rules = start.slice(start.indexOf('Rules that hold everywhere'));
  return {
    'llms.txt': `${head}\n${rules}\n## Guides\n\n${index}\n\n## Optional\n\n- [All guides in one file](llms-full.txt)\n`,
    'llms-full.txt': `${head}\n${rules}\n${guides.map(({ text }) => withoutFiles(text)).join('\n')}`,
  };
}
