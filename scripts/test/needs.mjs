// Builds what the stages of `npm test` need, each once.

import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, targets } from '../build.mjs';
import { ExpectedError, run } from '../lib/console.mjs';
import { preparations } from './stages.mjs';

const builder = join(dirname(dirname(fileURLToPath(import.meta.url))), 'build.mjs');

const buildInBackground = (target, { verbose }) =>
  run(process.execPath, [builder, target], { priority: constants.priority.PRIORITY_BELOW_NORMAL, verbose });

/** Of the needs of all stages, what build.mjs builds, each once and in their order. */
export const targetsOf = (needs) => [...new Set(needs.flat())].filter((need) => Object.hasOwn(targets, need));

/** A need that failed is not tried again. */
export class Needs {
  #options;
  /** Promises by the names of what is needed. */
  #begun = new Map();
  #reported = new Set();
  #buildApart;

  /** @param buildApart builds a target in a process of its own */
  constructor(options, buildApart = buildInBackground) {
    this.#options = options;
    this.#buildApart = buildApart;
  }

  /**
   * Begins to build what later stages need, one after the other, while others test: these leave cores idle, so it gets only
   * what they leave.
   */
  buildAhead(needs) {
    let before = Promise.resolve();
    for (const target of targetsOf(needs)) {
      if (this.#begun.has(target)) continue;
      const built = before.then(() => this.#buildApart(target, this.#options));
      before = built.catch(() => {}); // reported by the stage that needs it
      this.#begun.set(target, built);
    }
  }

  /** @throws ExpectedError with what a tool has said, once; later that it is not built. */
  async meet(needs) {
    for (const need of needs) {
      if (!this.#begun.has(need)) this.#begun.set(need, this.#prepare(need));
      try {
        await this.#begun.get(need);
      } catch (error) {
        if (this.#reported.has(need)) throw new ExpectedError(`${need} is not built; see above.`);
        this.#reported.add(need);
        throw error;
      }
    }
  }

  async #prepare(need) {
    if (Object.hasOwn(preparations, need)) await preparations[need]();
    else await build([need], this.#options);
  }
}
