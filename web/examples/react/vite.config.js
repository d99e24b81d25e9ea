import transformerWasm from 'transformer-wasm/vite';

export default { plugins: [transformerWasm()] };
