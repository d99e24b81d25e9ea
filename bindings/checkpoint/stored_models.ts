/** What an application asks before it loads a model, and about the models that it has kept. */

import type { CheckpointSource } from '../files/folder.js';
import { cross } from '../values/border.js';
import { checkNames, toObject } from '../values/options.js';
import type { DescribedModel, DescribeOptions, StoredModel } from './describe_source.js';

/** Code that most applications never call. */
const code = () => import('./describe_source.js');

function checked(options: DescribeOptions): DescribeOptions {
  checkNames(toObject(options, 'options'), ['hub', 'retries', 'signal'], 'options');
  return options;
}

const describeGiven = async (source: CheckpointSource, options: DescribeOptions) =>
  (await code()).describeSource(source, checked(options));

const forgetGiven = async (source: CheckpointSource, options: DescribeOptions) =>
  (await code()).forgetSource(source, checked(options));

/**
 * Describes a model before any weights are read: what would be downloaded, how much memory it takes, its license. Asks
 * for the small files, and for the headers of the weights. Keeps nothing.
 *
 * @throws TransformerError `missing_file`, `invalid_argument`; an abort rejects with the signal's reason.
 * @example
 * const { files, cached, license } = await describe('Xenova/all-MiniLM-L6-v2');
 * const megabytes = files.reduce((sum, { bytes }) => sum + (bytes ?? 0), 0) / 1e6;
 * const question = `Download ${megabytes.toFixed()} MB? (${license})`;
 * if (cached || confirm(question)) await loadModel('Xenova/all-MiniLM-L6-v2');
 */
export function describe(source: CheckpointSource, options: DescribeOptions = {}): Promise<DescribedModel> {
  return cross('source options', [source, options], describeGiven);
}

/**
 * Deletes what is kept of a model: downloads, and what was made of them.
 *
 * @param source as it was given to `loadModel`, or from {@link stored}
 * @returns the bytes that it took
 * @throws TransformerError `invalid_argument`
 */
export function forget(source: CheckpointSource, options: DescribeOptions = {}): Promise<number> {
  return cross('source options', [source, options], forgetGiven);
}

const storedGiven = async (options: Pick<DescribeOptions, 'signal'>) => {
  checkNames(toObject(options, 'options'), ['signal'], 'options');
  return (await code()).storedModels(options.signal);
};

/** The models that are kept: in a page those of its origin, in Node.js those of the user; largest first. */
export const stored = (options: Pick<DescribeOptions, 'signal'> = {}): Promise<StoredModel[]> =>
  cross('options', [options], storedGiven);
