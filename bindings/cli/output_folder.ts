/** An output folder that is written completely or not at all: files get their final names when the last is complete. */

import { type FileHandle, mkdir, open, readdir, realpath, rename, rm, rmdir } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';

export class OutputFolder {
  readonly #path: string;
  /** The topmost folder that had to be created; `undefined` if it existed. */
  readonly #made: string | undefined;
  readonly #names: string[] = [];
  readonly #madeInside: string[] = [];
  readonly #open = new Set<FileHandle>();

  private constructor(path: string, made: string | undefined) {
    this.#path = path;
    this.#made = made;
  }

  /**
   * Creates the folder if it does not exist.
   *
   * @param source the folder being read, which must not be overwritten
   * @param force whether the folder may already contain files
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
        throw new Error(`${path} is the source folder; write to a different folder`);
      if (!force && (await readdir(path)).length > 0)
        throw new Error(`${path} is not empty; use --force to overwrite files in it`);
      return folder;
    } catch (error) {
      await folder.discard();
      throw error;
    }
  }

  /** Opens a file for writing, under a temporary name; `1_Pooling/config.json` is in a folder of its own. */
  async file(name: string): Promise<FileHandle> {
    const inside = dirname(join(this.#path, name));
    if (await mkdir(inside, { recursive: true })) this.#madeInside.push(inside);
    this.#names.push(name);
    // Not through a link that is there already.
    await rm(this.#temporary(name), { force: true });
    const handle = await open(this.#temporary(name), 'wx');
    this.#open.add(handle);
    return handle;
  }

  /** Renames the files to their final names, in the order in which they were opened. */
  async complete(): Promise<void> {
    await this.#closeFiles();
    for (const name of this.#names.splice(0)) await rename(this.#temporary(name), join(this.#path, name));
  }

  /** Removes everything that was written, and the folder if it was created. */
  async discard(): Promise<void> {
    await this.#closeFiles();
    for (const name of this.#names.splice(0)) await rm(this.#temporary(name), { force: true });
    // Removes only empty folders: another process may have added files.
    for (const folder of this.#madeInside.splice(0)) await rmdir(folder).catch(() => {});
    if (this.#made === undefined) return;
    for (let folder = this.#path; folder.length >= this.#made.length; folder = dirname(folder))
      await rmdir(folder).catch(() => {});
  }

  async #closeFiles(): Promise<void> {
    for (const handle of this.#open) await handle.close();
    this.#open.clear();
  }

  #temporary(name: string): string {
    return join(this.#path, dirname(name), `.${basename(name)}.${process.pid}.part`);
  }
}
