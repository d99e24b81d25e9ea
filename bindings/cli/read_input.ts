/** Where a command's input comes from: its arguments, or standard input. */

import { UsageError, type Values } from './arguments.js';
import { filter, type Work } from './filter.js';
import { print } from './terminal.js';

export interface CommandInput {
  /** The text of the arguments; `null`: standard input. */
  readonly text: string | null;
  /** Answers the text, or each line of standard input. */
  answer<Result>(values: Values, work: Work<Result>): Promise<void>;
}

/**
 * @param what describes the text in messages
 * @throws UsageError if there is neither a text nor standard input
 */
export function textOrInput(positionals: readonly string[], what: string): CommandInput {
  const readsInput = positionals[0] === '-' || (positionals.length === 0 && !process.stdin.isTTY);
  if (positionals.length === 0 && !readsInput)
    throw new UsageError(`missing argument: ${what}, or - for standard input`);
  const text = readsInput ? null : positionals.join(' ');
  return {
    text,
    async answer(values, work) {
      if (text === null) return filter(work, values);
      const [result] = await work.run([text]);
      if (result === undefined) return;
      const line = values.json || values.jsonl ? JSON.stringify(work.json(result, text)) : work.text(result);
      print(`${line}\n`);
    },
  };
}
