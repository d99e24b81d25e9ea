// Receipts of models that others trained, and of our own:
//   npm run receipts                    our own are computed and compared
//   npm run receipts -- ID...           those of the model hub, of the list in receipts/rows.mjs: downloaded, computed, compared;
//                                       where there is no receipt yet, one is written, which a pull request adds
//   npm run receipts -- --write ID...   written anew
//   npm run receipts -- --by NAME ...   who runs it, as the table shows it; default: the maintainers
// The table of web/docs/real.md follows. The exit code is 1 where an answer differs.

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ExpectedError, runMain, say, step } from './lib/console.mjs';
import { differencesOf, folderOfReceipts, makeReceipt, nameOf, receiptOf } from './receipts/make.mjs';
import { hub, ours } from './receipts/rows.mjs';
import { writeTable } from './receipts/table.mjs';

const flag = { type: 'boolean', default: false };

function rowOf(id) {
  const row = [...ours, ...hub].find(({ model }) => model === id);
  if (row) return row;
  const known = [...ours, ...hub].map(({ model }) => model).join(', ');
  throw new ExpectedError(`There is no row for '${id}' in scripts/receipts/rows.mjs. Rows: ${known}`);
}

async function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { write: flag, by: { type: 'string', default: 'the maintainers' } },
  });
  const rows = positionals.length > 0 ? positionals.map(rowOf) : ours;
  const wrong = [];
  for (const row of rows) {
    const found = await step(row.model, () => makeReceipt(row, { by: values.by }));
    const receipt = values.write ? null : receiptOf(row.model);
    if (receipt) {
      const differences = await differencesOf(receipt, found);
      wrong.push(...differences.map((text) => `${row.model}: ${text}`));
      say(
        differences.length > 0 ? '  differs' : `  the same as on ${receipt.date}, commit ${receipt.commit}`,
      );
    } else {
      await mkdir(folderOfReceipts, { recursive: true });
      await writeFile(join(folderOfReceipts, nameOf(row.model)), `${JSON.stringify(found, null, 2)}\n`);
      say('  written');
    }
  }
  await writeTable();
  if (wrong.length > 0) throw new ExpectedError(wrong.join('\n'));
}

await runMain(main);
