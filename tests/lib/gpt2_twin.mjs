// GPT-2 in plain loops of double precision (Radford et al. 2019), whose inner tensors can be read and changed by the paths that
// the engine gives them. For tests of edits, of attributions and of sweeps.

const gelu = (x) => 0.5 * x * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x ** 3)));
const sum = (list) => list.reduce((total, x) => total + x, 0);
const dot = (a, b) => sum(a.map((x, i) => x * b[i]));
export const plus = (...rows) => rows[0].map((_, i) => sum(rows.map((row) => row[i])));

/** x [in] times weight [in, out] */
function times(x, { data, shape: [, width] }) {
  return Array.from({ length: width }, (_, j) => sum(x.map((value, i) => value * data[i * width + j])));
}

const rowOf = ({ data, shape }, row) => Array.from(data.slice(row * shape[1], (row + 1) * shape[1]));
const list = ({ data }) => Array.from(data);

export class Gpt2Twin {
  /** @param tensors by the names in the checkpoint */
  constructor(tensors, config) {
    this.weights = (name) => tensors.get(name) ?? tensors.get(`transformer.${name}`);
    this.config = config;
    this.width = config.n_embd / config.n_head;
  }

  layer(index, name) {
    return this.weights(`h.${index}.${name}`);
  }

  /** Columns [first, first + width) of the projection to queries, keys and values. */
  #projection(layer, first, width) {
    const { data, shape } = this.layer(layer, 'attn.c_attn.weight');
    const columns = Array.from({ length: shape[0] }, (_, i) =>
      list({ data: data.slice(i * shape[1] + first, i * shape[1] + first + width) }),
    );
    return {
      weight: { data: columns.flat(), shape: [shape[0], width] },
      bias: list(this.layer(layer, 'attn.c_attn.bias')).slice(first, first + width),
    };
  }

  /** Without its bias, with a scale that is given: linear. */
  normed(x, name, scale) {
    const mean = sum(x) / x.length;
    return x.map((value, i) => (value - mean) * scale * this.weights(`${name}.weight`).data[i]);
  }

  #norm(rows, name, path, offer) {
    const scales = rows.map((x) => {
      const mean = sum(x) / x.length;
      const variance = sum(x.map((value) => (value - mean) ** 2)) / x.length;
      return [1 / Math.sqrt(variance + this.config.layer_norm_epsilon)];
    });
    offer(`${path}.scale`, scales);
    const bias = list(this.weights(`${name}.bias`));
    return rows.map((x, t) => plus(this.normed(x, name, scales[t][0]), bias));
  }

  #attention(rows, layer, path, offer) {
    const { n_embd: wide, n_head: heads } = this.config;
    const project = (part) => {
      const { weight, bias } = this.#projection(layer, part * wide, wide);
      return rows.map((x) => plus(times(x, weight), bias));
    };
    const [queries, keys, values] = [0, 1, 2].map(project);
    offer(`${path}.queries`, queries);
    offer(`${path}.keys`, keys);
    offer(`${path}.values`, values);
    const own = (x, head) => x.slice(head * this.width, (head + 1) * this.width);
    const scores = Array.from({ length: heads }, (_, head) =>
      queries.map((q, i) =>
        keys.map((k, j) => (j > i ? -Infinity : dot(own(q, head), own(k, head)) / Math.sqrt(this.width))),
      ),
    );
    offer(`${path}.scores`, scores);
    const weights = scores.map((map) =>
      map.map((row) => {
        const top = Math.max(...row);
        const powers = row.map((x) => Math.exp(x - top));
        return powers.map((x) => x / sum(powers));
      }),
    );
    offer(`${path}.weights`, weights);
    const mixed = rows.map((_, i) =>
      weights.flatMap((map, head) => plus(...values.map((v, j) => own(v, head).map((x) => x * map[i][j])))),
    );
    const bias = list(this.layer(layer, 'attn.c_proj.bias'));
    return mixed.map((x) => plus(times(x, this.layer(layer, 'attn.c_proj.weight')), bias));
  }

  /**
   * @param edit(path, tensor) may change a tensor: [time][width], of scores and weights [heads][time][time]
   * @returns the tensors by path, and `logits` [time][vocabulary]
   */
  run(ids, edit = () => undefined) {
    const tensors = {};
    const offer = (path, x) => {
      edit(path, x);
      tensors[path] = structuredClone(x);
    };
    let x = ids.map((id) => rowOf(this.weights('wte.weight'), id));
    offer('decoder.embeddings.tokens', x);
    x = x.map((row, t) => plus(row, rowOf(this.weights('wpe.weight'), t)));
    offer('decoder.embeddings.sum', x);
    for (let layer = 0; layer < this.config.n_layer; layer++) {
      const at = `decoder.layers.${layer}`;
      const normed = this.#norm(x, `h.${layer}.ln_1`, `${at}.self_attn.self_attn_norm`, offer);
      x = this.#attention(normed, layer, `${at}.self_attn`, offer).map((row, t) => plus(row, x[t]));
      offer(`${at}.self_attn.residual`, x);
      const hidden = this.#norm(x, `h.${layer}.ln_2`, `${at}.feed_forward.feed_forward_norm`, offer).map(
        (row) =>
          plus(
            times(row, this.layer(layer, 'mlp.c_fc.weight')),
            list(this.layer(layer, 'mlp.c_fc.bias')),
          ).map(gelu),
      );
      offer(`${at}.feed_forward.activations`, hidden);
      const bias = list(this.layer(layer, 'mlp.c_proj.bias'));
      x = hidden.map((row, t) => plus(times(row, this.layer(layer, 'mlp.c_proj.weight')), bias, x[t]));
      offer(`${at}.output`, x);
    }
    x = this.#norm(x, 'ln_f', 'decoder.norm', offer);
    offer('decoder.output', x);
    const table = this.weights('wte.weight');
    const rows = Array.from({ length: table.shape[0] }, (_, id) => rowOf(table, id));
    return { tensors, logits: x.map((state) => rows.map((row) => dot(state, row))) };
  }

  /** What each source wrote to the residual stream at a position before a layer's attention, by its name; `biases` is the rest. */
  sources(tensors, position, layers) {
    const parts = { biases: Array(this.config.n_embd).fill(0) };
    const token = tensors['decoder.embeddings.tokens'][position];
    parts.tokens = token;
    parts.positions = tensors['decoder.embeddings.sum'][position].map((x, i) => x - token[i]);
    for (let layer = 0; layer < layers; layer++) {
      const at = `decoder.layers.${layer}`;
      const values = tensors[`${at}.self_attn.values`];
      tensors[`${at}.self_attn.weights`].forEach((map, head) => {
        const mixed = Array(this.config.n_embd).fill(0);
        for (let i = head * this.width; i < (head + 1) * this.width; i++)
          mixed[i] = sum(values.map((v, j) => v[i] * map[position][j]));
        parts[`${at}.self.${head}`] = times(mixed, this.layer(layer, 'attn.c_proj.weight'));
      });
      parts[`${at}.feed_forward`] = times(
        tensors[`${at}.feed_forward.activations`][position],
        this.layer(layer, 'mlp.c_proj.weight'),
      );
      parts.biases = plus(
        parts.biases,
        list(this.layer(layer, 'attn.c_proj.bias')),
        list(this.layer(layer, 'mlp.c_proj.bias')),
      );
    }
    return parts;
  }

  /** The query (0) or key (1) of one head that each source at a position makes, with the norm's scale as it was. */
  projected(tensors, { layer, head, position, part }) {
    const { weight, bias } = this.#projection(
      layer,
      part * this.config.n_embd + head * this.width,
      this.width,
    );
    const name = `h.${layer}.ln_1`;
    const [scale] = tensors[`decoder.layers.${layer}.self_attn.self_attn_norm.scale`][position];
    const made = Object.entries(this.sources(tensors, position, layer)).map(([source, x]) => {
      const own = times(this.normed(x, name, scale), weight);
      return [
        source,
        source === 'biases' ? plus(own, times(list(this.weights(`${name}.bias`)), weight), bias) : own,
      ];
    });
    return Object.fromEntries(made);
  }

  /** The parts of a logit by source. */
  logitParts(tensors, position, token) {
    const row = rowOf(this.weights('wte.weight'), token);
    const [scale] = tensors['decoder.norm.scale'][position];
    const made = Object.entries(this.sources(tensors, position, this.config.n_layer)).map(([source, x]) => {
      const own = dot(this.normed(x, 'ln_f', scale), row);
      return [source, source === 'biases' ? own + dot(list(this.weights('ln_f.bias')), row) : own];
    });
    return Object.fromEntries(made);
  }
}
export { dot };
