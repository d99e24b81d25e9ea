/** What the card of a model (README.md) says at its beginning, between lines of `---`, as hubs read it. */

import type { Folder } from '../files/folder.js';
import { parseSimpleYaml } from '../files/simple_yaml.js';

/** Cards are texts of some pages; what hubs read stands first. */
const mostBytes = 1 << 16;

export interface ModelCard {
  /** The identifier of the license, as `apache-2.0`; `null` if the card names none. */
  readonly license: string | null;
  /** BCP 47 tags, as the card gives them. */
  readonly languages: readonly string[];
}

/** @throws the signal's reason; a card that cannot be read says nothing. */
export async function readModelCard(folder: Folder, signal?: AbortSignal): Promise<ModelCard> {
  const file = await folder.open('README.md', signal);
  return cardOf('missing' in file ? '' : await beginning(file.bytes()));
}

async function beginning(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let length = 0;
  for await (const piece of bytes) {
    text += decoder.decode(piece, { stream: true });
    length += piece.length;
    if (length >= mostBytes) break;
  }
  return text;
}

export function cardOf(text: string): ModelCard {
  const [, head = ''] = /^\uFEFF?---\r?\n([\s\S]*?)\r?\n---/.exec(text) ?? [];
  const license = fieldOf(head, 'license');
  const languages = fieldOf(head, 'language');
  return {
    license: typeof license === 'string' ? license : null,
    // `no` is Norwegian here, and not a truth value.
    languages: (Array.isArray(languages) ? languages : [languages]).filter((tag) => typeof tag === 'string'),
  };
}

/** The value of a name at the outermost level: what else stands there may be YAML of any kind. */
function fieldOf(head: string, name: string): unknown {
  const [lines] = new RegExp(`^${name}:.*(?:\\r?\\n(?:[ \\t]*-|[ \\t]+\\[).*)*`, 'm').exec(head) ?? [];
  if (lines === undefined) return undefined;
  try {
    return parseSimpleYaml(lines, 'README.md')[name];
  } catch {
    return undefined;
  }
}
