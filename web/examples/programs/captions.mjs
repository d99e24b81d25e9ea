// ffmpeg -i talk.mp4 -f f32le -ar 16000 -ac 1 - | node captions.mjs owner/name: captions of a stream, while it comes.
import { loadModel } from 'transformer-wasm';

const model = await loadModel(process.argv[2] ?? 'openai/whisper-tiny', { dtype: 'int8' });

/** Samples of four bytes; a piece may end within one. */
async function* samples() {
  let rest = Buffer.alloc(0);
  for await (const piece of process.stdin) {
    const bytes = Buffer.concat([rest, piece]);
    const whole = bytes.length - (bytes.length % 4);
    rest = bytes.subarray(whole);
    yield new Float32Array(Uint8Array.from(bytes.subarray(0, whole)).buffer);
  }
}

for await (const { seconds, text } of model.captions(samples(), { language: 'en' }))
  console.log(`${seconds.toFixed(1)} s:${text}`);
await model.dispose();
