// The table of web/docs/real.md: every row of rows.mjs, with what its receipt says, or that nobody has run it.

import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { receiptOf } from './make.mjs';
import { hub, ours } from './rows.mjs';

export const document = join(dirname(dirname(dirname(fileURLToPath(import.meta.url)))), 'web/docs/real.md');

const marks = /(<!-- receipts -->)[\s\S]*?(<!-- end -->)/;
const short = (text) =>
  (text.length > 60 ? `${text.slice(0, 59)}…` : text).replaceAll('|', '\\|').replaceAll('\n', '⏎');

function shownAnswer({ text, ids, bits }) {
  if (text) return short(text);
  return ids ? `${ids.length} ids` : `bits ${bits.slice(0, 8)}`;
}

function lineOf({ model, examples }) {
  const receipt = receiptOf(model);
  if (!receipt) return `| ${model} | *not run* | | | |`;
  const { answers, by, host, commit, date } = receipt;
  return `| ${model} | ${answers.length} of ${examples.length}: ${shownAnswer(answers[0])} | ${by || '–'} | ${host} | ${commit}, ${date} |`;
}

/** @returns {Promise<string>} the document with the table of today's receipts */
export async function documentWithTable() {
  const before = await readFile(document, 'utf8');
  const lines = [
    '| model | answers | run by | on | commit |',
    '|---|---|---|---|---|',
    ...[...ours, ...hub].map(lineOf),
  ];
  return before.replace(marks, (_, begin, end) => `${begin}\n${lines.join('\n')}\n${end}`);
}

export const writeTable = async () => writeFile(document, await documentWithTable());
