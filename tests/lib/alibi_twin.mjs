// BLOOM's and the older Falcon's decoders in float64: ALiBi, and queries, keys and values interleaved by head.

const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);
const plus = (x, y) => x.map((row, i) => row.map((value, j) => value + y[i][j]));

function linear(x, { data, shape: [out, into] }, bias) {
  return x.map((row) =>
    Array.from({ length: out }, (_, i) => {
      const products = row.map((value, j) => value * data[i * into + j]);
      return sum(products) + (bias ? bias.data[i] : 0);
    }),
  );
}

/**
 * Weights and sizes of a checkpoint -> (token ids) -> logits [1, time, vocab].
 *
 * @param weights name to tensor, in float32
 * @param sizes `{ width, layers, eps }`
 * @param slopes of each head, by the distance of the key from the query
 * @param activation of the feed-forward network
 * @param isNormed whether residuals start at the normalised states
 */
export function alibiTwin(weights, { width, layers, eps }, { slopes, activation, isNormed = false }) {
  const perHead = width / slopes.length;
  const dense = (x, name) => linear(x, weights.get(`${name}.weight`), weights.get(`${name}.bias`));

  function norm(x, name) {
    const [{ data: scale }, { data: shift }] = ['weight', 'bias'].map((part) =>
      weights.get(`${name}.${part}`),
    );
    return x.map((row) => {
      const mean = sum(row) / width;
      const deviation = Math.sqrt(sum(row.map((value) => (value - mean) ** 2)) / width + eps);
      return row.map((value, j) => ((value - mean) / deviation) * scale[j] + shift[j]);
    });
  }

  function attend(x, name) {
    const fused = dense(x, `${name}.query_key_value`);
    const part = (row, head, which) => {
      const begin = (head * 3 + which) * perHead;
      return row.slice(begin, begin + perHead);
    };
    const joined = fused.map((query, i) =>
      slopes.flatMap((slope, head) => {
        const scores = fused.slice(0, i + 1).map((key, j) => {
          const products = part(query, head, 0).map((value, k) => value * part(key, head, 1)[k]);
          return sum(products) / Math.sqrt(perHead) + slope * (j - i);
        });
        const powers = scores.map((score) => Math.exp(score - Math.max(...scores)));
        return Array.from({ length: perHead }, (_, k) =>
          sum(powers.map((power, j) => (power / sum(powers)) * part(fused[j], head, 2)[k])),
        );
      }),
    );
    return dense(joined, `${name}.dense`);
  }

  return (ids) => {
    const embeddings = weights.get('transformer.word_embeddings.weight');
    let x = ids.map((id) => Array.from(embeddings.data.subarray(id * width, (id + 1) * width)));
    const embeddingNorm = 'transformer.word_embeddings_layernorm';
    if (weights.has(`${embeddingNorm}.weight`)) x = norm(x, embeddingNorm);
    for (let layer = 0; layer < layers; layer++) {
      const name = `transformer.h.${layer}`;
      const y = norm(x, `${name}.input_layernorm`);
      x = plus(attend(y, `${name}.self_attention`), isNormed ? y : x);
      const z = norm(x, `${name}.post_attention_layernorm`);
      const inner = dense(z, `${name}.mlp.dense_h_to_4h`).map((row) => row.map(activation));
      x = plus(dense(inner, `${name}.mlp.dense_4h_to_h`), isNormed ? z : x);
    }
    const logits = linear(norm(x, 'transformer.ln_f'), embeddings);
    return { data: Float32Array.from(logits.flat()), shape: [1, ids.length, logits[0].length] };
  };
}
