/** Models on a hub, by their ids: the address of each file, and what the hub's refusals mean. */

import { fail } from '../values/errors.js';
import { checkNames, toObject } from '../values/options.js';
import type { Folder } from './folder.js';
import { type Downloads, folderOfUrl } from './folder_url.js';

/** Which revision of a model to load, and from where. */
export interface HubOptions {
  /** A branch, a tag or a commit; default: `'main'`. Name a commit for results that stay the same. */
  revision?: string;
  /** The hub's address; default: `https://huggingface.co`; in Node.js, `HF_ENDPOINT` of the environment if it is set. */
  host?: string;
  /** Access token, for private and gated models; in Node.js, `HF_TOKEN` of the environment if it is set. */
  token?: string;
}

const defaultHost = 'https://huggingface.co';

/** @throws TransformerError `invalid_argument` for an id or an option that no hub can take. */
export function folderOfHub(id: string, options: HubOptions, downloads: Downloads): Folder {
  const { revision, host, token } = readOptions(options);
  if (!/^[\w.-]+(\/[\w.-]+)?$/.test(id) || /^\.+$|\.\./.test(id))
    fail('invalid_argument', `'${id}' is not the id of a model on a hub, such as 'owner/name'`);
  const address = `${host}/${id}/resolve/${encodeURIComponent(revision)}/`;
  const explain = (response: Response) => explainRefusal(response, { id, host, revision, token });
  return {
    ...folderOfUrl(address, {
      ...downloads,
      explain,
      ...(token !== undefined && { headers: { Authorization: `Bearer ${token}` } }),
    }),
    name: `${id} (${revision}) at ${host}`,
  };
}

interface ReadOptions {
  readonly revision: string;
  readonly host: string;
  readonly token: string | undefined;
}

function readOptions(options: HubOptions): ReadOptions {
  const given = toObject(options, 'hub');
  checkNames(given, ['revision', 'host', 'token'], 'hub');
  const { HF_ENDPOINT, HF_TOKEN } = globalThis.process?.env ?? {};
  const text = (name: string, fallback: string | undefined, valid: RegExp) => {
    const value = given[name] ?? (fallback || undefined);
    if (value === undefined || (typeof value === 'string' && valid.test(value))) return value;
    // Not the value: it may be a secret.
    return fail('invalid_argument', `hub.${name} is not valid`);
  };
  const host = text('host', HF_ENDPOINT, /^https?:\/\/[^/?#]+\/*$/) ?? defaultHost;
  return {
    revision: text('revision', undefined, /^\S+$/) ?? 'main',
    host: host.replace(/\/+$/, ''),
    token: text('token', HF_TOKEN, /^[\x21-\x7e]+$/),
  };
}

/** The refusal in words; `null` where its status says enough. The hub names its reason in a header. */
function explainRefusal(
  { status, headers }: Response,
  { id, host, revision, token }: ReadOptions & { id: string },
): string | null {
  const reason = headers.get('x-error-code');
  if (reason === 'RevisionNotFound') return `the model '${id}' at ${host} has no revision '${revision}'`;
  if (reason === 'EntryNotFound') return null;
  if (reason === 'GatedRepo' || status === 403) {
    const then = token === undefined ? 'then pass hub: { token }' : 'the token given has no access';
    return `the model '${id}' is gated: ask for access at ${host}/${id}; ${then}`;
  }
  if (reason === 'RepoNotFound' || status === 401) {
    const how = token === undefined ? 'pass hub: { token }' : 'the token given has no access';
    return `there is no model '${id}' at ${host}, or it is private: check the id; if it is private, ${how}`;
  }
  return null;
}
