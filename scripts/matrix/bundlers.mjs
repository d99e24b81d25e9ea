// Sites made by bundlers, opened in a page that is cross-origin isolated: what a user writes, and what it needs beside.

import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { html, isolation, pageScript } from './project.mjs';
import { visit, visitFolder } from './visit.mjs';

const built =
  (commands, site = 'dist', headers = isolation) =>
  async (project) => {
    for (const command of [commands].flat()) await project.sh(command);
    return visitFolder(join(project.folder, site), headers);
  };

const whole = { threads: 2, worker: true };
const nothing = 'nothing';
const oneFile = "import 'transformer-wasm/inline' (one thread)";
const inline = { threads: 1, worker: true, note: /inline/ };
const copy = 'one copy of dist/wasm, and wasmUrl';
const copied = "{ threads: 2, wasmUrl: '/wasm/' }";

/** The project's page, copied with the model beside what the bundler wrote. */
async function finish({ folder }, site = 'dist') {
  await cp(join(folder, 'public'), join(folder, site), { recursive: true });
  await cp(join(folder, 'page.html'), join(folder, site, 'index.html'));
}

const engineTo = ({ folder }, to) =>
  cp(join(folder, 'node_modules/transformer-wasm/dist/wasm'), join(folder, to), { recursive: true });

/** Vite: a built site, and the development server with and without the plugin's help. */
const vite = (version, { how = nothing, config = {} } = {}) => ({
  title: `Vite ${version}`,
  how,
  packages: [`vite@${version}`],
  files: {
    'index.html': html('/main.js'),
    'main.js': pageScript(),
    'vite.config.js': `export default ${JSON.stringify(config)};`,
  },
  run: built('vite build'),
  expected: whole,
});

const viteDevelopment = (version) => ({
  title: `Vite ${version}, development server`,
  how: 'the plugin transformer-wasm/vite',
  packages: [`vite@${version}`],
  files: {
    'index.html': html('/main.js'),
    'main.js': pageScript(),
    'vite.config.js':
      "import transformerWasm from 'transformer-wasm/vite';\nexport default { plugins: [transformerWasm()] };",
  },
  run: async (project) => {
    const server = await project.start('vite --port 0 --host 127.0.0.1');
    try {
      return await visit(server.url);
    } finally {
      await server.close();
    }
  },
  expected: whole,
});

/** Settings that webpack and Rspack share. */
export const webpackConfig = (name) => `
import path from 'node:path';
export default {
  mode: 'production',
  entry: './main.js',
  output: { path: path.resolve('dist'), filename: 'main.js', publicPath: 'auto' },
  devtool: false,
  performance: { hints: false },
  name: '${name}',
};`;

/** The `angular.json` of a project whose build copies these folders of `dist`. */
const workspaceOf = (copies) => {
  const options = {
    browser: 'main.ts',
    index: 'index.html',
    tsConfig: 'tsconfig.json',
    outputPath: 'dist',
    assets: [
      { glob: '**/*', input: 'public' },
      ...copies.map((output) => ({
        ...{ glob: '**/*', input: `node_modules/transformer-wasm/dist/${output}`, output },
      })),
    ],
    budgets: [],
  };
  const build = { builder: '@angular/build:application', options };
  const app = { projectType: 'application', root: '', architect: { build } };
  return { version: 1, cli: { analytics: false }, projects: { app } };
};

/**
 * A project of the Angular CLI.
 *
 * @param main its program @param copies folders of `dist` that are copied beside it
 */
export const angular = (main, copies) => ({
  packages: [
    ...['core', 'common', 'compiler', 'platform-browser'].map((name) => `@angular/${name}@20`),
    ...[
      '@angular/build@20',
      '@angular/cli@20',
      '@angular/compiler-cli@20',
      'typescript@5.9',
      'rxjs',
      'tslib',
    ],
  ],
  files: {
    'angular.json': JSON.stringify(workspaceOf(copies)),
    'tsconfig.json': JSON.stringify({
      compilerOptions: {
        ...{ target: 'ES2022', module: 'preserve', moduleResolution: 'bundler', lib: ['ES2022', 'DOM'] },
        ...{ types: [], strict: true, allowJs: true },
      },
      files: ['main.ts'],
    }),
    'index.html':
      '<!doctype html><html><head><base href="/"><link rel="icon" href="data:,"></head><body></body></html>',
    'main.ts': main,
  },
});

export const bundlers = {
  vite8: vite(8),
  vite7: vite(7),
  // For older browsers, which have no SIMD either, its esbuild translates private methods, and does so wrongly.
  vite5: vite(5, { how: "build: { target: 'es2022' }", config: { build: { target: 'es2022' } } }),
  'vite8-dev': viteDevelopment(8),
  'vite7-dev': viteDevelopment(7),
  'vite5-dev': viteDevelopment(5),
  webpack: {
    title: 'webpack 5',
    how: nothing,
    packages: ['webpack@5', 'webpack-cli'],
    files: {
      'page.html': html('main.js'),
      'main.js': pageScript(),
      'webpack.config.js': webpackConfig('webpack'),
    },
    run: async (project) => {
      await project.sh('webpack --no-color');
      await finish(project);
      return visitFolder(join(project.folder, 'dist'), isolation);
    },
    expected: whole,
  },
  rspack: {
    title: 'Rspack',
    how: nothing,
    packages: ['@rspack/core', '@rspack/cli'],
    files: {
      'page.html': html('main.js'),
      'main.js': pageScript(),
      'rspack.config.mjs': webpackConfig('rspack'),
    },
    run: async (project) => {
      await project.sh('rspack build -c rspack.config.mjs');
      await finish(project);
      return visitFolder(join(project.folder, 'dist'), isolation);
    },
    expected: whole,
  },
  'esbuild-inline': {
    title: 'esbuild',
    how: oneFile,
    packages: ['esbuild'],
    quick: true,
    files: { 'page.html': html('main.js'), 'main.js': pageScript(undefined, 'transformer-wasm/inline') },
    run: async (project) => {
      await project.sh('esbuild main.js --bundle --format=esm --outdir=dist --log-level=error');
      await finish(project);
      return visitFolder(join(project.folder, 'dist'), isolation);
    },
    expected: inline,
  },
  'esbuild-copy': {
    title: 'esbuild, with threads',
    how: copy,
    packages: ['esbuild'],
    quick: true,
    files: { 'page.html': html('main.js'), 'main.js': pageScript(copied) },
    run: async (project) => {
      await project.sh('esbuild main.js --bundle --format=esm --outdir=dist --log-level=error');
      await finish(project);
      await engineTo(project, 'dist/wasm');
      return visitFolder(join(project.folder, 'dist'), isolation);
    },
    expected: whole,
  },
  'esbuild-nothing': {
    title: 'esbuild, with neither',
    how: 'refused, with a sentence that says what helps',
    packages: ['esbuild'],
    quick: true,
    files: { 'page.html': html('js/main.js'), 'main.js': pageScript() },
    run: async (project) => {
      await project.sh('esbuild main.js --bundle --format=esm --outdir=dist/js --log-level=error');
      await finish(project);
      return visitFolder(join(project.folder, 'dist'), isolation);
    },
    expected: { error: /missing_file: .*404.*transformer-wasm\/inline.*wasmUrl/, complains: true },
  },
  rollup: {
    title: 'Rollup',
    how: oneFile,
    packages: ['rollup', '@rollup/plugin-node-resolve'],
    files: { 'page.html': html('main.js'), 'main.js': pageScript(undefined, 'transformer-wasm/inline') },
    run: async (project) => {
      await project.sh('rollup main.js --plugin node-resolve --format es --dir dist --silent');
      await finish(project);
      return visitFolder(join(project.folder, 'dist'), isolation);
    },
    expected: inline,
  },
  'rollup-copy': {
    title: 'Rollup, with threads',
    how: copy,
    packages: ['rollup', '@rollup/plugin-node-resolve'],
    files: { 'page.html': html('main.js'), 'main.js': pageScript(copied) },
    run: async (project) => {
      await project.sh('rollup main.js --plugin node-resolve --format es --dir dist --silent');
      await finish(project);
      await engineTo(project, 'dist/wasm');
      return visitFolder(join(project.folder, 'dist'), isolation);
    },
    expected: whole,
  },
  parcel: {
    title: 'Parcel',
    how: oneFile,
    packages: ['parcel'],
    files: {
      'index.html': html('main.js'),
      'main.js': pageScript(undefined, 'transformer-wasm/inline'),
      // So that the package's `exports` are read.
      'package.json': JSON.stringify({
        name: 'project',
        private: true,
        source: 'index.html',
        '@parcel/resolver-default': { packageExports: true },
      }),
    },
    run: async (project) => {
      await project.sh('parcel build index.html --no-cache --dist-dir dist --public-url ./');
      await cp(join(project.folder, 'public'), join(project.folder, 'dist'), { recursive: true });
      return visitFolder(join(project.folder, 'dist'), isolation);
    },
    expected: inline,
  },
  angular: {
    title: 'Angular',
    how: `${copy}: in angular.json, assets`,
    ...angular(`// @ts-nocheck\n${pageScript(copied)}`, ['wasm']),
    run: built('ng build app', 'dist/browser'),
    expected: whole,
  },
  astro: {
    title: 'Astro',
    how: nothing,
    packages: ['astro@5'],
    files: {
      'astro.config.mjs': 'export default {};',
      'src/pages/index.astro': `<html><head><link rel="icon" href="data:,"></head><body><script>${pageScript()}</script></body></html>`,
    },
    run: built('astro build'),
    expected: whole,
  },
};
