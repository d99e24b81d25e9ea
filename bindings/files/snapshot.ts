/** The commit that all files of one load are of: two commits of a branch may be two models. */

export class Snapshot {
  #commit: string | null;

  /** @param commit if it is known from the start */
  constructor(commit: string | null) {
    this.#commit = commit;
  }

  /** `null` before the first answer, and for servers that do not name it. */
  get commit(): string | null {
    return this.#commit;
  }

  /** Whether a file of a commit can be used: the first file decides. One without a known commit can. */
  admits(commit: string | null): boolean {
    this.#commit ??= commit;
    return commit === null || commit === this.#commit;
  }
}

/** The commit that a response names; `null` for anything that is none. */
export function commitOf({ headers }: Response): string | null {
  const commit = headers.get('x-repo-commit');
  return commit !== null && isCommit(commit) ? commit : null;
}

export const isCommit = (revision: string) => /^[\da-f]{40}$/.test(revision);
