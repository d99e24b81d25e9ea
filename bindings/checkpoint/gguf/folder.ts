/** A GGUF file as the folder of the model that it holds: config.json, the tokenizer's files, and weights. */

import type { Dtype, LoadDtype } from '../../engine/dtype.js';
import type { Folder, MissingFile, OpenFile } from '../../files/folder.js';
import { fileOf, seekableBytes } from '../../files/folder_files.js';
import type { JsonObject } from '../../files/json_object.js';
import { fail } from '../../values/errors.js';
import { type OpenGguf, openGguf } from '../../weights/gguf_file.js';
import type { WeightFiles } from '../../weights/weight_file.js';
import { configOf, generationOf, keysOf } from './config.js';
import { keptAs, roundingNote } from './keeping.js';
import { frequencyFactors, namedTensors } from './names.js';
import { type Contents, sentenceFiles } from './sentence.js';
import { tokenizerFiles } from './tokenizer_files.js';

/** A folder that knows its weights itself. */
export interface FolderWithWeights extends Folder {
  openWeights(signal?: AbortSignal): Promise<WeightFiles>;
  /** How to keep matrices that the file stores in blocks; `null` if it has none. */
  keptAs(): Promise<Dtype | null>;
  /** The small files that tasks read of a model that has been loaded. */
  smallFiles(): Promise<Folder>;
  close(): Promise<void>;
  /** Says how numbers are rounded that are kept in a dtype; `null` if none is. */
  noteOf(dtype: LoadDtype): Promise<string | null>;
}

/**
 * The file is opened when something is first requested, and read from front to back; the caller closes it.
 */
export function folderOfGguf(folder: Folder, file: string): FolderWithWeights {
  let opening: Promise<OpenGguf> | null = null;
  const opened = (signal?: AbortSignal): Promise<OpenGguf> => {
    opening ??= openGguf(folder, file, signal);
    opening.catch(() => {
      opening = null;
    });
    return opening;
  };
  const contents = contentsOf(file);
  return {
    ...folder,
    name: `${folder.name}${/[/\\]$/.test(folder.name) ? '' : '/'}${file}`,
    derived: undefined,
    async open(name, signal): Promise<OpenFile | MissingFile> {
      const made = Object.hasOwn(contents, name) ? await contents[name]?.(await opened(signal)) : null;
      return made ? openMade(made) : { missing: `${file} stands for no ${name}` };
    },
    async openWeights(signal) {
      const gguf = await opened(signal);
      const weights = gguf.weights(namedTensors(gguf.header.tensors, keysOf(gguf.header, file)));
      const { name, size, tensors } = weights;
      return { name, size, tensors, files: [weights], close: () => weights.close() };
    },
    async smallFiles() {
      const gguf = await opened();
      const files = new Map<string, JsonObject | Uint8Array>();
      for (const [name, make] of Object.entries(contents)) {
        // Read by now, and large.
        const made = /^tokenizer\.(json|model)$/.test(name) ? null : await make(gguf);
        if (made) files.set(name, made);
      }
      const open: Folder['open'] = async (name) => {
        const made = files.get(name);
        return made ? openMade(made) : { missing: `${file} stands for no ${name}` };
      };
      return { name: folder.name, open };
    },
    async close() {
      const open = opening;
      opening = null;
      await (await open?.catch(() => null))?.close();
    },
    keptAs: async () => keptAs((await opened()).header.tensors),
    noteOf: async (dtype) => roundingNote((await opened()).header.tensors, dtype),
  };
}

/** The small files that the file stands for, by their names. */
function contentsOf(file: string): Contents {
  return {
    'config.json': (gguf) => configFrom(gguf, file),
    'generation_config.json': async ({ header }) => generationOf(header.metadata),
    ...tokenizerFiles(file),
    ...sentenceFiles(({ header }) => keysOf(header, file)),
  };
}

/** As a file; what is an object already is written as text only if somebody asks for it. */
function openMade(made: JsonObject | Uint8Array): OpenFile {
  if (made instanceof Uint8Array) return fileOf(seekableBytes(made));
  const plain = (_: string, value: unknown) => (value instanceof Map ? Object.fromEntries(value) : value);
  const written = () => seekableBytes(new TextEncoder().encode(JSON.stringify(made, plain)));
  return {
    ...{ size: null, announcedSize: null, json: made },
    bytes: () => written().bytes(0, Number.POSITIVE_INFINITY),
    seekable: async () => written(),
    close: async () => {},
  };
}

async function configFrom(gguf: OpenGguf, file: string): Promise<JsonObject> {
  const { header } = gguf;
  const keys = keysOf(header, file);
  if (header.tensors.length === 0)
    fail('unsupported', `${file}: the file has no tensors, only a vocabulary or settings`);
  const factors = header.tensors.find(({ name }) => name === frequencyFactors);
  return configOf(header, keys, factors ? await gguf.numbers(factors) : null);
}
