// Translates on the server: POST { text } is answered with the translation, word by word.

import { join } from 'node:path';
import { loadModel, TransformerError } from 'transformer-wasm';

const folder = join(process.cwd(), 'node_modules/transformer-wasm/dist/models/en-fr');

/** Loaded with the first request, and shared by all. */
let loading;

function model() {
  loading ??= loadModel(folder);
  loading.catch(() => {
    loading = undefined; // another attempt may succeed
  });
  return loading;
}

export async function POST(request) {
  try {
    const { text } = await request.json();
    const chunks = (await model()).stream(text, { signal: request.signal });
    // The first word is awaited: what is wrong with the text shows there, and has a status of its own.
    const first = await chunks.next();
    const stream = new ReadableStream({
      start(controller) {
        if (!first.done) controller.enqueue(first.value.text);
      },
      async pull(controller) {
        const { done, value } = await chunks.next();
        if (done) controller.close();
        else controller.enqueue(value.text);
      },
      async cancel() {
        await chunks.return();
      },
    });
    return new Response(stream.pipeThrough(new TextEncoderStream()), {
      headers: { 'Content-Type': 'text/plain; charset=utf-8' },
    });
  } catch (error) {
    const isUsers = error instanceof TransformerError && error.code === 'invalid_argument';
    return Response.json({ error: error.message }, { status: isUsers || error instanceof SyntaxError ? 400 : 500 });
  }
}
