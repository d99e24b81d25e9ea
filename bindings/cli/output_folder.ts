/** A folder that is written all or not at all: files get their names when the last of them is complete. */

import { type FileHandle, mkdir, open, readdir, realpath, rename, rm, rmdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';

export class OutputFolder {
  readonly #path: string;
  /** The topmost folder that was made for it; `undefined` where it was there. */
  readonly #made: string | undefined;
  readonly #names: string[] = [];
  readonly #open = new Set<FileHandle>();

  private constructor(path: string, made: string | undefined) {
    this.#path = path;
    this.#made = made;
  }

  /**
   * Makes the folder where it is not there.
   *
   * @param source what must not be written over
   * @param force whether a folder that holds files will do
   */
  static async create(
    name: string,
    { source, force }: { source: string; force: boolean },
  ): Promise<OutputFolder> {
    const path = resolve(name);
    const made = await mkdir(path, { recursive: true });
    const folder = new OutputFolder(path, made);
    try {
      if ((await realpath(path)) === (await realpath(source).catch(() => null)))
        throw new Error(`${path} is the folder that is read; what is made of it goes into another one`);
      if (!force && (await readdir(path)).length > 0)
        throw new Error(`${path} is not empty; --force writes over what is in it`);
      return folder;
    } catch (error) {
      await folder.discard();
      throw error;
    }
  }

  /** Opens a file to be written, under a name that it has for the time being. */
  async file(name: string): Promise<FileHandle> {
    this.#names.push(name);
    const handle = await open(this.#temporary(name), 'w');
    this.#open.add(handle);
    return handle;
  }

  /** Gives the files their names, in the order in which they were opened. */
  async complete(): Promise<void> {
    await this.#closeFiles();
    for (const name of this.#names.splice(0)) await rename(this.#temporary(name), join(this.#path, name));
  }

  /** Removes what has been written, and the folder where it was made for it. */
  async discard(): Promise<void> {
    await this.#closeFiles();
    for (const name of this.#names.splice(0)) await rm(this.#temporary(name), { force: true });
    if (this.#made === undefined) return;
    // Only what is empty goes: somebody else may have put something into it.
    for (let folder = this.#path; folder.length >= this.#made.length; folder = dirname(folder))
      await rmdir(folder).catch(() => {});
  }

  async #closeFiles(): Promise<void> {
    for (const handle of this.#open) await handle.close();
    this.#open.clear();
  }

  #temporary(name: string): string {
    return join(this.#path, `.${name}.${process.pid}.part`);
  }
}
