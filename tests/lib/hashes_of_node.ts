/** What Node.js computes, for the browser tests to compare with. */

import type { TestProject } from 'vitest/node';
import { createEngine, loadModel } from '../../dist/index.js';
import { createTrainer } from '../../dist/train.js';
import { hashesOf } from './hashes.mjs';
import { hashOfTraining, thousandSteps } from './training_task.mjs';

declare module 'vitest' {
  interface ProvidedContext {
    hashesOfNode: Record<string, string | string[]>;
    trainedInNode: string;
    /** The same after a thousand steps. */
    trainedLongInNode: string;
  }
}

export default async function setup(project: TestProject) {
  const engine = await createEngine({ simd: 'simd128', threads: 1 });
  const model = await loadModel(new URL('../../dist/models/en-fr', import.meta.url), { engine });
  project.provide('hashesOfNode', await hashesOf(engine, model));
  await engine.dispose();
  project.provide('trainedInNode', await hashOfTraining(createTrainer));
  project.provide('trainedLongInNode', await hashOfTraining(createTrainer, thousandSteps));
}
