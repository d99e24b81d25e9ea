/** Which tensors a model needs: the engine builds it from the names and shapes alone. */

import type { Plan } from '../plans/family.js';
import { TransformerError } from '../values/errors.js';
import { purposeOf } from '../weights/slices.js';
import type { WeightFiles } from '../weights/weight_file.js';
import { openHost } from '../worker/open_host.js';
import { blameConfig, inNamesOfFiles } from './blame.js';
import { makeModel, makeTower, release } from './build_model.js';

/**
 * What loading would say of tensors that are missing or have another shape, without their numbers.
 *
 * @throws TransformerError `bad_checkpoint` for a config of no model, or where nearly all is missing
 */
export async function missingTensors(files: WeightFiles, plan: Plan): Promise<TransformerError[]> {
  const { host } = await openHost({ threads: 1, worker: false });
  try {
    const weights = await host.create('Weights', 'f32', undefined);
    await host.invoke(weights, 'outline');
    for (const slice of plan.slices)
      await host.invoke(weights, 'declare', slice.name, [...slice.shape], 'F32', purposeOf(slice));
    const handle = await makeModel(host, plan.model, weights).catch(blameConfig);
    const tower = plan.tower ? await makeTower(host, plan.tower, weights).catch(blameConfig) : null;
    const problems = await host.invoke(weights, 'problems');
    await release(host, { handle, tower });
    return problems.map((problem) => inFiles(new TransformerError('bad_checkpoint', problem), files, plan));
  } catch (error) {
    throw inNamesOfFiles(error, files, plan);
  } finally {
    await host.close();
  }
}

const inFiles = (error: TransformerError, files: WeightFiles, plan: Plan) =>
  inNamesOfFiles(error, files, plan) as TransformerError;
