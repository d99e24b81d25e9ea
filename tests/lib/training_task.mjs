// A task that tiny models learn in seconds: reversing four digits. For tests in Node.js and in browsers.

/** Ids: the digits 0 to 9, and 10, which stands between the digits and their reverse. */
const separator = 10;

export const reversalConfig = {
  model_type: 'transformer',
  num_decoder_layers: 2,
  d_model: 32,
  num_heads: 4,
  d_ff: 64,
  vocab_size: 11,
  max_length: 16,
  positions: 'learned',
  norm: 'pre',
  tie_embeddings: true,
};

export const reversalSettings = {
  seed: 1,
  learningRate: 5e-3,
  totalSteps: 400,
  warmupSteps: 20,
  decay: 'cosine',
};

/** Numbers that follow from their place: Knuth's multiplicative hashing. */
const digits = (place) =>
  Array.from({ length: 4 }, (_, i) => (Math.imul(4 * place + i + 1, 2654435761) >>> 7) % 10);

/** The batch of a step: digits, the separator, the digits in reverse; only the latter count. */
export function reversal(step, size) {
  const rows = Array.from({ length: size }, (_, i) => {
    const given = digits(step * size + i);
    return [...given, separator, ...[...given].reverse()];
  });
  return {
    inputs: rows.map((row) => row.slice(0, -1)),
    targets: rows.map((row) => row.slice(1).map((id, i) => (i < 4 ? -100 : id))),
  };
}

/** The bits of numbers as one hash, FNV-1a. */
function hashOf(bytes) {
  let hash = 0x811c9dc5;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash.toString(16).padStart(8, '0');
}

/** A thousand steps of few examples each, so that what differs in one bit has time to grow. */
export const thousandSteps = { steps: 1000, size: 2 };

/** The hash of the losses of some steps, and of the state after them. */
export async function hashOfTraining(createTrainer, { steps = 30, size = 16, ...options } = {}) {
  const settings = {
    ...reversalSettings,
    totalSteps: Math.max(steps, reversalSettings.totalSteps),
    ...options,
  };
  const trainer = await createTrainer(reversalConfig, settings);
  try {
    const losses = [];
    for (let step = 0; step < steps; step++) losses.push((await trainer.step(reversal(step, size))).loss);
    return `${hashOf(new Uint8Array(Float64Array.from(losses).buffer))} ${hashOf(await trainer.state())}`;
  } finally {
    await trainer.dispose();
  }
}
