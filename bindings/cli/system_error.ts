/** What the operating system refuses, in the user's words instead of codes and names of calls. */

import { messageOf } from '../values/errors.js';

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  EISDIR: 'is a folder, not a file',
  ENOTDIR: 'is not a folder, or not inside one',
  EEXIST: 'is there already, and is not a folder',
  ENOTEMPTY: 'is a folder that is not empty',
  EACCES: 'you are not allowed to read or write it',
  EPERM: 'you are not allowed to read or write it',
  EROFS: 'is on a disk that cannot be written to',
  ENOSPC: 'the disk is full',
  EDQUOT: 'there is no room left for you on the disk',
  EFBIG: 'is larger than the disk takes',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open',
  ENAMETOOLONG: 'the name is too long',
  ELOOP: 'is a link that leads to itself',
  EBUSY: 'is in use',
  EIO: 'the disk has failed',
};

/** Why something cannot be read or written; the first line of any other error. */
export function reasonOf(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  const [sentence = ''] = messageOf(error).split('\n');
  return reasons[code ?? ''] ?? sentence;
}

/** The same, with the name of what it is about. */
export function sentenceOf(error: unknown): string {
  const { code, path } = (error ?? {}) as NodeJS.ErrnoException;
  const isNamed = typeof path === 'string' && Object.hasOwn(reasons, code ?? '');
  return isNamed ? `${path}: ${reasonOf(error)}` : reasonOf(error);
}
