// @browsermt/bergamot-translator in Node.js: its module wants the scope of a worker, and kernels that Firefox has natively; the
// build brings its own.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const kernels = {
  int8_prepare_a: 'int8PrepareAFallback',
  int8_prepare_b: 'int8PrepareBFallback',
  int8_prepare_b_from_transposed: 'int8PrepareBFromTransposedFallback',
  int8_prepare_b_from_quantized_transposed: 'int8PrepareBFromQuantizedTransposedFallback',
  int8_prepare_bias: 'int8PrepareBiasFallback',
  int8_multiply_and_add_bias: 'int8MultiplyAndAddBiasFallback',
  int8_select_columns_of_b: 'int8SelectColumnsOfBFallback',
};

const options = {
  'beam-size': 1,
  normalize: 1,
  'word-penalty': 0,
  'max-length-break': 128,
  'mini-batch-words': 1024,
  workspace: 128,
  'max-length-factor': 1,
  'skip-cost': true,
  'cpu-threads': 0,
  quiet: true,
  'quiet-translation': true,
  'gemm-precision': 'int8shiftAlphaAll',
  alignment: 'soft',
};

function start(folder) {
  const wasm = readFileSync(join(folder, 'bergamot-translator-worker.wasm'));
  const script = readFileSync(join(folder, 'bergamot-translator-worker.js'), 'utf8');
  return new Promise((resolve, reject) => {
    const module = {
      print: () => {},
      printErr: () => {},
      instantiateWasm(imports, accept) {
        const bound = Object.entries(kernels).map(([name, own]) => [
          name,
          (...given) => module.asm[own](...given),
        ]);
        const wasm_gemm = Object.fromEntries(bound);
        WebAssembly.instantiate(wasm, { ...imports, wasm_gemm }).then(
          ({ instance }) => accept(instance),
          reject,
        );
        return {};
      },
      onAbort: (what) => reject(new Error(`bergamot aborted: ${what}`)),
      onRuntimeInitialized: () => resolve(module),
    };
    const run = new Function('Module', 'self', 'importScripts', 'process', script);
    run(module, { location: { href: 'file:///' } }, () => {}, undefined);
  });
}

/**
 * @param files of a student, by name
 * @returns translates sentences in one call
 */
export async function openBergamot(files) {
  const require = createRequire(import.meta.url);
  const folder = dirname(
    require.resolve('@browsermt/bergamot-translator/worker/bergamot-translator-worker.js'),
  );
  const module = await start(folder);
  const memory = (ending, alignment) => {
    const bytes = [...files].find(([name]) => name.endsWith(ending))[1];
    const owned = new module.AlignedMemory(bytes.length, alignment);
    owned.getByteArrayView().set(new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length));
    return owned;
  };
  const vocabularies = new module.AlignedMemoryList();
  vocabularies.push_back(memory('.spm', 64));
  const yaml = Object.entries(options).map(([name, value]) => `${name}: ${value}\n`);
  const model = new module.TranslationModel(
    yaml.join(''),
    memory('.alphas.bin', 256),
    memory('.s2t.bin', 64),
    vocabularies,
    null,
  );
  const service = new module.BlockingService({ cacheSize: 0 });
  return (texts) => {
    const inputs = new module.VectorString();
    const settings = new module.VectorResponseOptions();
    for (const text of texts) {
      inputs.push_back(text);
      settings.push_back({ qualityScores: false, alignment: false, html: false });
    }
    const responses = service.translate(model, inputs, settings);
    const written = texts.map((_, i) => responses.get(i).getTranslatedText());
    responses.delete();
    inputs.delete();
    settings.delete();
    return written;
  };
}
