// Development servers of frameworks that render pages themselves: the plugin for Vite must isolate these pages too.

import { pageScript } from './project.mjs';
import { visit } from './visit.mjs';

const importPlugin = "import transformerWasm from 'transformer-wasm/vite';\n";

/** @param command starts the server, which prints its address */
const development = (title, { how = 'the plugin transformer-wasm/vite', packages, files, command }) => ({
  title: `${title}, development server`,
  ...{ how, packages, files },
  run: async (project) => {
    const server = await project.start(command);
    try {
      return await visit(server.url);
    } finally {
      await server.close();
    }
  },
  expected: { threads: 2, worker: true },
});

const head = '<link rel="icon" href="data:,">';

export const frameworks = {
  'astro-dev': development('Astro', {
    packages: ['astro@5'],
    files: {
      'astro.config.mjs': `${importPlugin}
export default { vite: { plugins: [transformerWasm()] }, devToolbar: { enabled: false } };`,
      'src/pages/index.astro': `<html><head>${head}</head><body><script>${pageScript()}</script></body></html>`,
    },
    command: 'astro dev',
  }),
  'sveltekit-dev': development('SvelteKit', {
    packages: ['@sveltejs/kit@2', '@sveltejs/vite-plugin-svelte@6', 'svelte@5', 'vite@7'],
    files: {
      'vite.config.js': `${importPlugin}import { sveltekit } from '@sveltejs/kit/vite';
export default { plugins: [sveltekit(), transformerWasm()] };`,
      'svelte.config.js': "export default { kit: { files: { assets: 'public' } } };",
      'src/app.html': `<html><head>${head}%sveltekit.head%</head><body>%sveltekit.body%</body></html>`,
      'src/routes/+page.svelte':
        "<script>import { onMount } from 'svelte'; onMount(() => import('../page.js'));</script>",
      'src/page.js': pageScript(),
    },
    command: 'vite dev',
  }),
  'react-router-dev': development('React Router', {
    packages: [
      '@react-router/dev@7',
      'react-router@7',
      '@react-router/node@7',
      'isbot@5',
      'react@19',
      'react-dom@19',
      'vite@7',
    ],
    files: {
      'vite.config.js': `${importPlugin}import { reactRouter } from '@react-router/dev/vite';
export default { plugins: [reactRouter(), transformerWasm()] };`,
      'app/root.jsx': `import { Outlet, Scripts } from 'react-router';
export default function Root() {
  return <html lang="en"><head><link rel="icon" href="data:," /></head><body><Outlet /><Scripts /></body></html>;
}`,
      'app/routes.js':
        "import { index } from '@react-router/dev/routes';\nexport default [index('page.jsx')];",
      'app/page.jsx': `import { useEffect } from 'react';
export default function Page() {
  useEffect(() => { import('./translate.js'); }, []);
  return <h1>Page</h1>;
}`,
      'app/translate.js': pageScript(),
    },
    command: 'react-router dev',
  }),
  'nuxt-dev': development('Nuxt', {
    how: 'the plugin transformer-wasm/vite, and the headers in routeRules',
    packages: ['nuxt@4'],
    files: {
      'nuxt.config.js': `${importPlugin}
const headers = { 'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp' };
export default {
  ...{ telemetry: false, compatibilityDate: '2025-07-01' },
  vite: { plugins: [transformerWasm()] },
  routeRules: { '/**': { headers } },
};`,
      'app/app.vue': `<script setup>import { onMounted } from 'vue'; onMounted(() => import('./page.js'));</script>
<template><h1>Page</h1></template>`,
      'app/page.js': pageScript(),
    },
    command: 'nuxt dev',
  }),
};
