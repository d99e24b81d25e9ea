/**
 * `transformer-wasm/vite`: what Vite's development server needs to know. A build needs none of it.
 * @module transformer-wasm/vite
 */

export interface TransformerWasmOptions {
  /**
   * Whether the development and preview servers send the headers that threads need (cross-origin isolation). Pages
   * then load files of other origins only if those allow it. Default: true.
   */
  isolated?: boolean;
}

/** The part of a Vite server that is used. */
export interface ViteServer {
  middlewares: {
    use(handle: (request: object, response: HeaderSetter, next: () => void) => void): unknown;
  };
}

/** A response of Node.js. */
export interface HeaderSetter {
  setHeader(name: string, value: string): unknown;
}

/** The part of a Vite plugin that is used: declared here, because not every user has Vite. */
export interface TransformerWasmPlugin {
  name: string;
  config(): object;
  configureServer(server: ViteServer): void;
  configurePreviewServer(server: ViteServer): void;
}

/**
 * A plugin for Vite 5 and newer.
 * @example
 * // vite.config.js
 * import transformerWasm from 'transformer-wasm/vite';
 * export default { plugins: [transformerWasm()] };
 */
export default function transformerWasm(options: TransformerWasmOptions = {}): TransformerWasmPlugin {
  const headers: Readonly<Record<string, string>> = options.isolated === false ? {} : isolating;
  const send = ({ middlewares }: ViteServer): void => {
    middlewares.use((_, response, next) => {
      for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
      next();
    });
  };
  return {
    name: 'transformer-wasm',
    config: () => ({
      optimizeDeps: {
        // Bundled in advance, the package would look for the engine's files in Vite's cache.
        exclude: ['transformer-wasm'],
        // Found only when the page asks for them, it would make it load a second time.
        include: ['transformer-wasm > wasm-feature-detect'],
      },
    }),
    // Before all others: `server.headers` does not reach pages that a framework renders (SvelteKit, React Router,
    // Astro).
    configureServer: send,
    configurePreviewServer: send,
  };
}

const isolating = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
};
