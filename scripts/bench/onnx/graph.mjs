// Writes small ONNX files in memory, for the engine that reads no other format.
// Field numbers are those of onnx.proto3 (IR version 8, operator set 17).

import { bytes, concat, float, int, message, text } from './protobuf.mjs';

export const FLOAT = 1;
export const UINT8 = 2;
export const INT8 = 3;
export const INT32 = 6;
export const INT64 = 7;

const types = new Map([
  [Float32Array, FLOAT],
  [Uint8Array, UINT8],
  [Int8Array, INT8],
  [Int32Array, INT32],
  [BigInt64Array, INT64],
]);

const tensor = (field, name, dims, data) =>
  message(
    field,
    ...dims.map((dim) => int(1, dim)),
    int(2, types.get(data.constructor)),
    text(8, name),
    bytes(9, new Uint8Array(data.buffer, data.byteOffset, data.byteLength)),
  );

/** A dimension is a number, or a name for one that is known only when the graph runs. */
const dimension = (dim) => message(1, typeof dim === 'number' ? int(1, dim) : text(2, dim));

const valueInfo = (field, name, dims, type) =>
  message(field, text(1, name), message(2, message(1, int(1, type), message(2, ...dims.map(dimension)))));

function attribute(name, value) {
  if (Array.isArray(value)) return message(5, text(1, name), ...value.map((v) => int(8, v)), int(20, 7));
  if (Number.isInteger(value)) return message(5, text(1, name), int(3, value), int(20, 2));
  return message(5, text(1, name), float(2, value), int(20, 1));
}

export class OnnxGraph {
  #nodes = [];
  #initializers = [];
  #inputs = [];
  #outputs = [];
  #names = new Map();
  #count = 0;

  input(name, dims, type = FLOAT) {
    this.#inputs.push(valueInfo(11, name, dims, type));
    return name;
  }

  /** Makes the value of a node an output, and gives it another name. */
  output(name, dims, value) {
    this.#names.set(value, name);
    this.#outputs.push(valueInfo(12, name, dims, FLOAT));
  }

  constant(dims, data) {
    const name = this.#newName('constant');
    this.#initializers.push(tensor(5, name, dims, data));
    return name;
  }

  /** Adds a node with one output and returns the output's name. */
  node(operator, inputs, attributes, domain) {
    return this.nodes(operator, inputs, 1, attributes, domain)[0];
  }

  /** Adds a node with `count` outputs and returns their names. */
  nodes(operator, inputs, count, attributes = {}, domain = '') {
    const outputs = Array.from({ length: count }, () => this.#newName('value'));
    this.#nodes.push({ operator, inputs, outputs, attributes, domain });
    return outputs;
  }

  toBytes() {
    const graph = message(
      7,
      ...this.#nodes.map((node) => this.#nodeBytes(node)),
      text(2, 'bench'),
      ...this.#initializers,
      ...this.#inputs,
      ...this.#outputs,
    );
    const operators = (domain, version) => message(8, text(1, domain), int(2, version));
    return concat([int(1, 8), operators('', 17), operators('com.microsoft', 1), graph]);
  }

  #nodeBytes({ operator, inputs, outputs, attributes, domain }) {
    const named = (field) => (value) => text(field, this.#names.get(value) ?? value);
    return message(
      1,
      ...inputs.map(named(1)),
      ...outputs.map(named(2)),
      text(4, operator),
      ...Object.entries(attributes).map(([name, value]) => attribute(name, value)),
      text(7, domain),
    );
  }

  #newName(kind) {
    return `${kind}_${this.#count++}`;
  }
}
