// The code of README and of the guides, block by block, and what each takes from the text around it.

import { readdirSync, readFileSync } from 'node:fs';

const root = new URL('../../', import.meta.url);

/** What a block may use without declaring it: what the text before it has, or its reader. */
export const ambient = `
import type * as all from 'transformer-wasm';
declare global {
  const loadModel: typeof all.loadModel;
  const createEngine: typeof all.createEngine;
  const chain: typeof all.chain;
  const attentionSvg: typeof all.attentionSvg;
  const attentionRollout: typeof all.attentionRollout;
  const settleEach: typeof all.settleEach;
  const similarity: typeof all.similarity;
  const Tensor: typeof all.Tensor;
  type Tensor = all.Tensor;
  const engine: all.Engine;
  const model: all.Model;
  const messages: all.ChatMessage[];
  const image: all.Tensor;
  const pixelValues: all.Tensor;
  const canvas: HTMLCanvasElement;
  const rows: string[];
  const folder: string;
  const token: string;
  const signal: AbortSignal;
  const onProgress: (progress: all.LoadProgress) => void;
}`;

/** Modules that no package on npm has. */
export const others = `
declare module '*.wasm' { const wasmModule: WebAssembly.Module; export default wasmModule; }
declare module 'https://*' { export const loadModel: typeof import('transformer-wasm').loadModel; }`;

export const compilerOptions = {
  ...{ strict: true, noEmit: true, skipLibCheck: false, target: 'ES2024', module: 'NodeNext' },
  ...{
    lib: ['ES2024', 'DOM', 'DOM.Iterable', 'DOM.AsyncIterable'],
    types: ['node'],
    resolveJsonModule: true,
  },
};

/** The blocks in order: `{ name, guide, code }`; a name is that of a TypeScript file. */
export function guideBlocks() {
  const guides = readdirSync(new URL('web/docs/', root)).map((name) => `web/docs/${name}`);
  return ['README.md', 'scripts/docs/start.md', ...guides].flatMap((path) => {
    const guide = path.split('/').at(-1).replace('.md', '');
    const text = readFileSync(new URL(path, root), 'utf8');
    return [...text.matchAll(/^ *```[jt]s\n(.*?)```/gms)].map(([, code], i) => ({
      name: `${guide.toLowerCase()}-${i + 1}`,
      guide,
      code: `${code}\nexport {};\n`,
    }));
  });
}
