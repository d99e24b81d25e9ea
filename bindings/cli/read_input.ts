/** Where a command's input comes from: its arguments, or standard input. */

import { type FilterValues, filter, type Work } from './filter.js';
import { UsageError } from './flags.js';
import { print, printJson } from './terminal.js';

interface CommandInput {
  /** The arguments, each a text; `null`: standard input. */
  readonly texts: readonly string[] | null;
  /** Answers each text, or each line of standard input, with a line. */
  answer<Result>(values: FilterValues, work: Work<Result>): Promise<void>;
}

/**
 * @param what describes the text in messages
 * @throws UsageError if there is neither a text nor standard input
 */
export function textOrInput(positionals: readonly string[], what: string): CommandInput {
  const readsInput = positionals[0] === '-' || (positionals.length === 0 && !process.stdin.isTTY);
  if (positionals.length === 0 && !readsInput)
    throw new UsageError(`missing argument: ${what}, or - for standard input`);
  const texts = readsInput ? null : positionals;
  return {
    texts,
    async answer(values, work) {
      if (texts === null) return filter(work, values);
      if (values['first-line'] !== undefined) throw new UsageError('--first-line is for standard input');
      const results = await work.run(texts);
      for (const [i, result] of results.entries())
        if (values.json || values.jsonl) printJson(work.json(result, texts[i]));
        else print(`${work.text(result)}\n`);
    },
  };
}
