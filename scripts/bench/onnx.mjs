// A small writer of ONNX files: graphs of float tensors, made in memory for the engines that read nothing else.
// Field numbers are those of onnx.proto3 (IR version 8, operator set 17).

import { bytes, concat, float, int, message, text } from './protobuf.mjs';

const FLOAT = 1;
const INT64 = 7;

const tensor = (field, name, dims, type, data) =>
  message(
    field,
    ...dims.map((dim) => int(1, dim)),
    int(2, type),
    text(8, name),
    bytes(9, new Uint8Array(data.buffer, data.byteOffset, data.byteLength)),
  );

const valueInfo = (field, name, dims) =>
  message(
    field,
    text(1, name),
    message(2, message(1, int(1, FLOAT), message(2, ...dims.map((dim) => message(1, int(1, dim)))))),
  );

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
  #count = 0;

  input(name, dims) {
    this.#inputs.push(valueInfo(11, name, dims));
    return name;
  }

  output(name, dims) {
    this.#outputs.push(valueInfo(12, name, dims));
  }

  constant(dims, data) {
    const name = `constant_${this.#count++}`;
    const type = data instanceof BigInt64Array ? INT64 : FLOAT;
    this.#initializers.push(tensor(5, name, dims, type, data));
    return name;
  }

  /** Adds a node with one output and returns the output's name; `as` names it. */
  node(operator, inputs, attributes = {}, { as = `value_${this.#count++}`, domain = '' } = {}) {
    this.#nodes.push(
      message(
        1,
        ...inputs.map((input) => text(1, input)),
        text(2, as),
        text(4, operator),
        ...Object.entries(attributes).map(([name, value]) => attribute(name, value)),
        text(7, domain),
      ),
    );
    return as;
  }

  toBytes() {
    const graph = message(
      7,
      ...this.#nodes,
      text(2, 'bench'),
      ...this.#initializers,
      ...this.#inputs,
      ...this.#outputs,
    );
    const operators = (domain, version) => message(8, text(1, domain), int(2, version));
    return concat([int(1, 8), operators('', 17), operators('com.microsoft', 1), graph]);
  }
}
