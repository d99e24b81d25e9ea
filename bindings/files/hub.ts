/** Models on a hub, by their ids: the address of each file, and what the hub's refusals mean. */

import { fail } from '../values/errors.js';
import { checkNames, toObject } from '../values/options.js';
import type { Place } from './fetch_file.js';
import type { Folder } from './folder.js';
import { type Downloads, folderOfPlaces } from './folder_url.js';
import { isCommit, Snapshot } from './snapshot.js';

/** Which revision of a model to load, and from where. */
export interface HubOptions {
  /** A branch, a tag or a commit; default: `'main'`. Name a commit for results that stay the same. */
  revision?: string;
  /** The hub's address. Default: `HF_ENDPOINT` of the environment in Node.js, else `https://huggingface.co`. */
  host?: string;
  /**
   * Access token, for private and gated models; in Node.js, `HF_TOKEN` of the environment if it is set and the host is
   * the default one, or that of `HF_ENDPOINT` with https.
   */
  token?: string;
}

const defaultHost = 'https://huggingface.co';

/** Letters, digits, `_`, `.` and `-`, of which the last two are inside: `..` would lead elsewhere. */
const part = /^\w(?:[\w.-]*\w)?$/;
const isId = (id: string) => /^[^/]+(\/[^/]+)?$/.test(id) && id.split('/').every(isName);
const isName = (name: string) => part.test(name) && !name.includes('..');

/** @throws TransformerError `invalid_argument` for an id or an option that no hub can take. */
export function folderOfHub(id: string, options: HubOptions, { cache, ...asked }: Downloads): Folder {
  const read = readOptions(options);
  const { revision, host, token } = read;
  if (!isId(id)) fail('invalid_argument', `'${id}' is not the id of a model on a hub, such as 'owner/name'`);
  const explain = (response: Response) => explainRefusal(response, { ...read, id });
  const headers = token === undefined ? undefined : { Authorization: `Bearer ${token}` };
  const snapshot = new Snapshot(isCommit(revision) ? revision : null);
  const urlOf = (name: string, of: string) =>
    `${host}/${id}/resolve/${[of, ...name.split('/')].map(encodeURIComponent).join('/')}`;
  const placeOf = (name: string, signal?: AbortSignal): Place => ({
    ...asked,
    ...{ explain, headers, snapshot, signal },
    url: urlOf(name, snapshot.commit ?? revision),
    // A file that is the same in the next commit is not downloaded again.
    key: urlOf(name, revision),
  });
  return ofOneCommit(folderOfPlaces(`${id} (${revision}) at ${host}`, placeOf, cache), snapshot);
}

/** The first answer names the commit from which all other files come: a branch may move in between. */
function ofOneCommit(folder: Folder, snapshot: Snapshot): Folder {
  const hashes: Record<string, string> = {};
  let first: Promise<unknown> | undefined;
  return {
    ...folder,
    commit: () => snapshot.commit,
    hashes: () => hashes,
    async open(name, signal) {
      while (first && snapshot.commit === null) {
        const waited = first;
        await waited.catch(() => undefined);
        if (first === waited) break;
      }
      const opening = folder.open(name, signal);
      first ??= opening;
      // If it failed, the next one is the first.
      opening.catch(() => {
        if (first === opening) first = undefined;
      });
      const file = await opening;
      const [, hash] = ('version' in file && sha256Tag.exec(file.version ?? '')) || [];
      if (hash !== undefined) hashes[name] = hash;
      return file;
    },
  };
}

/** The ETag of a large file is its SHA-256. */
const sha256Tag = /^"([\da-f]{64})"$/;

interface ReadOptions {
  readonly revision: string;
  readonly host: string;
  readonly token: string | undefined;
  /** Whether there is a token in the environment that is for another host. */
  readonly isKeptBack: boolean;
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
  const bare = (address: string) => address.replace(/\/+$/, '');
  const host = bare(text('host', HF_ENDPOINT, /^https?:\/\/[^/?#]+\/*$/) ?? defaultHost);
  // A caller that names the host, or a listener between here and there, must not get the secret of the environment.
  const isMeant = host === defaultHost || (host === bare(HF_ENDPOINT ?? '') && host.startsWith('https:'));
  const revision = text('revision', undefined, /^(?!\.+$)(?!.*\.\.)[^\s\p{Cs}]+$/u) ?? 'main';
  const token = text('token', isMeant ? HF_TOKEN : undefined, /^[\x21-\x7e]+$/);
  return { revision, host, token, isKeptBack: token === undefined && Boolean(HF_TOKEN) };
}

/** The refusal in words; `null` where its status says enough. The hub names its reason in a header. */
function explainRefusal(
  { status, headers }: Response,
  { id, host, revision, token, isKeptBack }: ReadOptions & { id: string },
): string | null {
  const reason = headers.get('x-error-code');
  if (reason === 'RevisionNotFound') return `the model '${id}' at ${host} has no revision '${revision}'`;
  if (reason === 'EntryNotFound') return null;
  const pass = `pass hub: { token }${isKeptBack ? ` (HF_TOKEN goes only to ${defaultHost} and to HF_ENDPOINT with https)` : ''}`;
  if (reason === 'GatedRepo' || status === 403) {
    const then = token === undefined ? `then ${pass}` : 'the token given has no access';
    return `the model '${id}' is gated: ask for access at ${host}/${id}; ${then}`;
  }
  if (reason === 'RepoNotFound' || status === 401) {
    const how = token === undefined ? pass : 'the token given has no access';
    return `there is no model '${id}' at ${host}, or it is private: check the id; if it is private, ${how}`;
  }
  return null;
}
