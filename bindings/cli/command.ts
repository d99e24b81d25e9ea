/** A command as one record: its arguments, flags, help and work. The parser and `--help` read it. */

import { parseArgs } from 'node:util';
import { version } from '../engine/version.js';
import { messageOf } from '../values/errors.js';
import { type Flags, isSet, UsageError, type ValuesOf } from './flags.js';
import { print } from './terminal.js';

export interface Command<F extends Flags = Flags> {
  /** Its arguments, as the usage line shows them. */
  readonly args: string;
  /** What it does, in the list of commands. */
  readonly summary: string;
  /** The help: paragraphs before the flags, in lines of at most 120 columns. */
  readonly about: string;
  readonly flags: F;
  /** Command lines; without the program's name where they are of one command. */
  readonly examples: readonly string[];
  run(positionals: readonly string[], values: ValuesOf<F>): Promise<void>;
}

/** Checks a record, with the flags' types for its `run`. */
export const command = <F extends Flags>(record: Command<F>): Command => record as Command<Flags>;

/** The commands by their names, in the order of the help. */
export type Commands = Readonly<Record<string, Command>>;

/** Flags of all commands. */
const common = {
  help: isSet('after a command: show its flags'),
  version: isSet('show the version of this package'),
};

/**
 * Runs a command line.
 *
 * @throws UsageError
 */
export async function runCommand(args: readonly string[], commands: Commands): Promise<void> {
  const { values, positionals } = parse(args, commands);
  const [name, ...rest] = positionals;
  const names = Object.keys(commands).join(', ');
  if (values.version) return void print(`${version}\n`);
  if (name === 'help') return runCommand([...rest.slice(0, 1), '--help'], commands);
  if (name === undefined && values.help) return void print(helpOfAll(commands));
  if (name === undefined) throw new UsageError(`missing command: ${names} (see transformer-wasm --help)`);
  if (!Object.hasOwn(commands, name))
    throw new UsageError(`unknown command '${name}'; commands are ${names}`);
  const command = commands[name] as Command;
  const known: Flags = { ...command.flags, ...common };
  const read = Object.entries(values).map(([flag, value]) => {
    if (!Object.hasOwn(known, flag)) throw new UsageError(`${name} has no option --${flag}`);
    return [flag, known[flag]?.read(String(value), flag)] as const;
  });
  if (values.help) return void print(helpOf(name, command));
  for (const [flag, { needed }] of Object.entries(known))
    if (needed !== undefined && values[flag] === undefined) throw new UsageError(`${name} needs ${needed}`);
  await command.run(rest, Object.fromEntries(read));
}

function parse(args: readonly string[], commands: Commands) {
  const flags: Flags = Object.assign({}, common, ...Object.values(commands).map((command) => command.flags));
  const options = Object.fromEntries(
    Object.entries(flags).map(([name, { value }]) => [
      name,
      { type: value === undefined ? 'boolean' : 'string', ...(name === 'help' && { short: 'h' }) } as const,
    ]),
  );
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    // Its first sentence states the problem; the rest is advice that does not apply here.
    throw new UsageError(messageOf(error).split('. ')[0]);
  }
}

const asFilter = `With -, reads lines from standard input and writes a line for each, in the same order; empty lines stay empty, or
with --json become { line, empty: true }. A line that fails gives an empty line and a message on standard error, or with
--json the record { line, error: { code, message } }, and the rest goes on. Exit code: 1 where some lines failed, 2 where
all did. Memory does not grow with the input.`;

function helpOf(name: string, { args, about, flags, examples }: Command): string {
  const usage = `Usage: transformer-wasm ${name} ${args}${args && ' '}[OPTIONS]`;
  const lines = examples.map((line) => `  ${line.includes('transformer-wasm') ? '' : program}${line}`);
  const filter = 'jsonl' in flags ? `\n\n${asFilter}` : '';
  const title = lines.length > 1 ? 'Examples' : 'Example';
  return `${usage}\n\n${about}${filter}\n\n${flagLines(flags)}\n\n${title}:\n${lines.join('\n')}\n`;
}

const program = 'transformer-wasm ';

const helpOfAll = (commands: Commands): string => `Usage: transformer-wasm COMMAND [OPTIONS]

${Object.entries(commands)
  .map(([name, { summary }]) => entry(name, summary))
  .join('\n')}

${flagLines(common)}

Examples:
  transformer-wasm translate "The cat sat on the mat."
  transformer-wasm attend "The cat sat on the mat." --svg attention.svg
`;

const flagLines = (flags: Flags): string =>
  Object.entries(flags)
    .map(([name, { value, help }]) => entry(`--${name}${value === undefined ? '' : ` ${value}`}`, help))
    .join('\n');

const columns = 120;
const indent = 24;

/** A line of the help: what is explained, and beside or below it the explanation, in lines of {@link columns}. */
function entry(head: string, text: string): string {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1) as string;
    if (line.length + 1 + word.length > columns - indent) lines.push(word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  const first = `  ${head}`;
  const begin = first.length + 2 > indent ? `${first}\n${' '.repeat(indent)}` : first.padEnd(indent);
  return begin + lines.join(`\n${' '.repeat(indent)}`);
}
