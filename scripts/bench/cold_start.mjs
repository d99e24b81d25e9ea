// npm run bench:cold [-- --rounds 5 --memory 128,256,512 --cpus 1]
// What a function of a cloud waits for when it starts: a process of its own loads the package, then a model of all-MiniLM-L6-v2's
// shape with random weights, and embeds a sentence; from the start of the process, with the most memory that it had. The kernel
// enforces the limits (cgroups of Linux, version 1, as root): what needs more is killed. Then the size of a Worker's upload.

import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { run, runMain, say } from '../lib/console.mjs';
import { median } from './timing.mjs';
import { randomNumbers, safetensors } from './weights.mjs';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const size = { d: 384, ffn: 1536, layers: 6, heads: 12, vocab: 30522, positions: 512 };

function weights() {
  const shapes = {};
  const linear = (name, out, into) =>
    Object.assign(shapes, { [`${name}.weight`]: [out, into], [`${name}.bias`]: [out] });
  const norm = (name) => Object.assign(shapes, { [`${name}.weight`]: [size.d], [`${name}.bias`]: [size.d] });
  shapes['embeddings.word_embeddings.weight'] = [size.vocab, size.d];
  shapes['embeddings.position_embeddings.weight'] = [size.positions, size.d];
  shapes['embeddings.token_type_embeddings.weight'] = [2, size.d];
  norm('embeddings.LayerNorm');
  for (let i = 0; i < size.layers; i++) {
    const at = `encoder.layer.${i}`;
    for (const part of ['query', 'key', 'value']) linear(`${at}.attention.self.${part}`, size.d, size.d);
    linear(`${at}.attention.output.dense`, size.d, size.d);
    norm(`${at}.attention.output.LayerNorm`);
    linear(`${at}.intermediate.dense`, size.ffn, size.d);
    linear(`${at}.output.dense`, size.d, size.ffn);
    norm(`${at}.output.LayerNorm`);
  }
  const count = (shape) => shape.reduce((a, b) => a * b, 1);
  return Object.fromEntries(
    Object.entries(shapes).map(([name, shape], seed) => [
      name,
      { data: randomNumbers(count(shape), 0.05, seed + 1), shape },
    ]),
  );
}

/** A folder as on the hub, and beside it the same in 8 bits. */
async function makeModels(folder) {
  const config = {
    ...{ architectures: ['BertModel'], model_type: 'bert', hidden_act: 'gelu', layer_norm_eps: 1e-12 },
    ...{ hidden_size: size.d, intermediate_size: size.ffn, num_hidden_layers: size.layers },
    ...{ num_attention_heads: size.heads, max_position_embeddings: size.positions, type_vocab_size: 2 },
    ...{ vocab_size: size.vocab, pad_token_id: 0 },
  };
  const letters = [...'abcdefghijklmnopqrstuvwxyz.'];
  const words = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]', ...letters, ...letters.map((x) => `##${x}`)];
  while (words.length < size.vocab) words.push(`word${words.length}`);
  const f32 = join(folder, 'f32');
  await mkdir(f32);
  await writeFile(join(f32, 'config.json'), JSON.stringify(config));
  await writeFile(join(f32, 'vocab.txt'), `${words.join('\n')}\n`);
  await writeFile(join(f32, 'tokenizer_config.json'), JSON.stringify({ do_lower_case: true }));
  await writeFile(join(f32, 'model.safetensors'), safetensors(weights()));
  const int8 = join(folder, 'int8');
  await run(process.execPath, [join(root, 'dist/cli.js'), 'quantize', f32, int8]);
  return { f32, int8 };
}

/** The child process: prints milliseconds since it started, and the most memory that it had, as JSON. */
async function measure(folder) {
  const marks = { node: performance.now() };
  const { createEngine, loadModel } = await import('../../dist/index.js');
  marks.import = performance.now();
  const engine = await createEngine({ threads: 1, worker: false });
  marks.engine = performance.now();
  const model = await loadModel(folder, { engine });
  marks.model = performance.now();
  await model.embed('The cat sat on the mat.');
  marks.embedding = performance.now();
  // Not resourceUsage(): its maximum is also that of the process that started this one.
  const memory = Number(/VmHWM:\s*(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]) / 1024;
  console.log(JSON.stringify({ ...marks, memory }));
  await model.dispose();
}

const controllers = '/sys/fs/cgroup';

/** A group of processes with limits. @param memory in MB @param cpus may be a fraction */
function limitsOf(memory, cpus) {
  const groups = ['memory', 'cpu'].map((name) => join(controllers, name, `cold-start-${process.pid}`));
  for (const group of groups) mkdirSync(group, { recursive: true });
  writeFileSync(join(groups[0], 'memory.limit_in_bytes'), `${memory * 2 ** 20}`);
  writeFileSync(join(groups[1], 'cpu.cfs_quota_us'), `${Math.round(cpus * 100_000)}`);
  return {
    join: groups.map((group) => `echo $$ > ${group}/cgroup.procs`),
    end: () => {
      for (const group of groups) rmdirSync(group);
    },
  };
}

/** @returns what the child prints; `null` if it was killed */
function child(folder, limits) {
  const self = fileURLToPath(import.meta.url);
  const command = [...limits.join, `exec "${process.execPath}" "${self}" --measure "${folder}"`].join(' && ');
  return new Promise((resolve, reject) => {
    const process_ = spawn('sh', ['-c', command], { stdio: ['ignore', 'pipe', 'ignore'] });
    let text = '';
    process_.stdout.on('data', (chunk) => {
      text += chunk;
    });
    process_.on('error', reject);
    process_.on('close', () => resolve(text === '' ? null : JSON.parse(text)));
  });
}

/** Everything that a Worker uploads: its bundled code, and one module of the engine, for one thread. */
async function uploadOf() {
  const { outputFiles } = await build({
    stdin: { contents: "export * from './dist/index.js'", resolveDir: root },
    ...{ bundle: true, minify: true, format: 'esm', platform: 'neutral', write: false, splitting: true },
    ...{ outdir: 'unused', mainFields: ['module', 'main'], external: ['node:*', 'module'] },
  });
  const code = outputFiles.reduce((sum, { contents }) => sum + gzipSync(contents).length, 0);
  const engine = ['wasm', 'mjs'].map((ending) =>
    readFileSync(join(root, `dist/wasm/transformer-simd.${ending}`)),
  );
  return { code, engine: engine.reduce((sum, bytes) => sum + gzipSync(bytes).length, 0) };
}

async function main() {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '5' },
      memory: { type: 'string', default: '128,256,512' },
      cpus: { type: 'string', default: '1' },
      measure: { type: 'string' },
    },
  });
  if (values.measure) return measure(values.measure);
  const folder = await mkdtemp(join(root, 'build/cold-start-'));
  try {
    const models = await makeModels(folder);
    for (const memory of values.memory.split(',').map(Number)) {
      for (const [dtype, path] of Object.entries(models)) {
        const limits = limitsOf(memory, Number(values.cpus));
        const results = [];
        for (let round = 0; round < Number(values.rounds); round++) results.push(await child(path, limits));
        limits.end();
        const done = results.filter(Boolean);
        const of = (name) => median(done.map((result) => result[name])).toFixed(0);
        say(
          done.length < results.length
            ? `${memory} MB, ${dtype}: killed ${results.length - done.length} of ${results.length} times`
            : `${memory} MB, ${dtype}: node ${of('node')} ms, import ${of('import')}, engine ${of('engine')}, model ${of('model')}, embedding ${of('embedding')}; at most ${of('memory')} MB`,
        );
      }
    }
    const { code, engine } = await uploadOf();
    say(
      `A Worker uploads ${Math.round(code / 1000)} kB of code and ${Math.round(engine / 1000)} kB of engine (gzipped)`,
    );
  } finally {
    await rm(folder, { recursive: true });
  }
}

await runMain(main);
