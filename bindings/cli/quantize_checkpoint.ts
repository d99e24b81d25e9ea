/** Writes a checkpoint with matrices in integers, in the layouts of weights/integer_layouts.ts. */

import { withOwnProjection } from '../checkpoint/own_projection.js';
import { planQuantization } from '../checkpoint/plan_quantization.js';
import { writeQuantized } from '../checkpoint/write_quantized.js';
import type { QuantizedDtype } from '../engine/dtype.js';
import type { Host } from '../engine/host.js';
import { familyOf } from '../families/index.js';
import { shapesOf } from '../weights/weight_file.js';
import { openHost } from '../worker/open_host.js';
import { writeAt, writeOthers } from './copied_files.js';
import { OutputFolder } from './output_folder.js';
import { type QuantizedCheckpoint, summaryOf } from './quantization_summary.js';
import { openUnquantized } from './unquantized.js';

const weightsName = 'model.safetensors';

interface QuantizeOptions {
  /** Default: 'int8'. */
  readonly dtype?: QuantizedDtype | undefined;
  /** Whether to overwrite files in the folder. */
  readonly force: boolean;
  readonly signal: AbortSignal;
  /** Called with the completed fraction, 0 to 1. */
  readonly onProgress: (done: number) => void;
}

/**
 * Reads the weights once, and holds only one piece of them at a time, or one matrix if it is stored as [in, out].
 *
 * @param source path or URL of a folder
 * @throws TransformerError like loading; `invalid_argument` if the weights are already quantised. After an error or
 *   abort, nothing that was written remains.
 */
export async function quantizeCheckpoint(
  source: string,
  target: string,
  { dtype = 'int8', force, signal, onProgress }: QuantizeOptions,
): Promise<QuantizedCheckpoint> {
  const { folder, config, weights } = await openUnquantized(source, signal);
  let host: Host | undefined;
  try {
    const { modelType, ...family } = await familyOf(config);
    const plan = await withOwnProjection(family.plan(shapesOf(weights)), weights, signal);
    ({ host } = await openHost({ threads: 1, signal }));
    const quantization = await planQuantization(weights, plan, { host, dtype });
    const { parts, config: quantization_config } = quantization;
    const used = new Set(parts.map(({ tensor }) => tensor.name));
    const output = await OutputFolder.create(target, { source, force });
    try {
      const onBytes = (bytes: number) => {
        if (weights.size !== null) onProgress(bytes / weights.size);
      };
      const copied = await writeOthers(folder, output, { ...config, quantization_config }, signal);
      const file = await output.file(weightsName);
      const write = (bytes: Uint8Array, place: number) => writeAt(file, bytes, place);
      const bytesAfter = await writeQuantized(weights, quantization, { host, signal, onBytes, write });
      signal.throwIfAborted();
      await output.complete();
      return {
        folder: target,
        family: String(modelType),
        bytesBefore: weights.size ?? weights.files.reduce((sum, { end }) => sum + (end ?? 0), 0),
        bytesAfter,
        leftOut: weights.tensors.filter(({ name }) => !used.has(name)).map(({ name }) => name),
        files: [...copied, weightsName],
        ...summaryOf(parts),
      };
    } catch (error) {
      await output.discard();
      throw error;
    }
  } finally {
    await host?.close();
    await weights.close();
  }
}
