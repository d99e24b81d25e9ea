/** Explains a failed import. */

import { isNode } from './is_node.js';

/** Why a module could not be imported: a browser's own error only names the file. */
export async function reasonFor(url: string, error: unknown): Promise<string> {
  const message = error instanceof Error ? error.message : String(error);
  if (isNode) return message;
  try {
    const { ok, status, statusText, headers } = await fetch(url, { credentials: 'same-origin' });
    if (!ok) return `the server answered ${status} ${statusText}`.trim();
    return `the server answered with ${headers.get('content-type') ?? 'no content type'} (${message})`;
  } catch {
    return message; // without a response, the browser's message is all that is known
  }
}
