/** Tools as templates show them, and as a schema of their calls. */

import { isJsonObject, type JsonObject } from '../files/json_object.js';
import { fail } from '../values/errors.js';
import { describe } from '../values/tensor.js';
import type { ToolKind } from './kinds.js';

/** A function that a model may call. */
export interface Tool {
  name: string;
  /** What it does, for the model. */
  description?: string;
  /** A JSON Schema of its arguments, an object. Default: any object. */
  parameters?: JsonObject;
  /** What `chatWithTools` calls. */
  run?: (args: JsonObject) => unknown;
}

/** @throws TransformerError `invalid_argument` */
export function checkTools(tools: readonly Tool[]): void {
  if (!Array.isArray(tools)) fail('invalid_argument', `tools must be a list, got ${describe(tools)}`);
  const names = new Set<string>();
  for (const [i, tool] of tools.entries()) {
    const { name, parameters = {} } = isJsonObject(tool) ? tool : {};
    if (typeof name !== 'string' || !/^[\w.-]+$/.test(name))
      fail('invalid_argument', `tool ${i + 1} must have a name of letters, digits, _, - and dots`);
    if (names.has(name)) fail('invalid_argument', `there are two tools named ${name}`);
    names.add(name);
    if (!isJsonObject(parameters))
      fail(
        'invalid_argument',
        `the parameters of ${name} must be a JSON Schema, got ${describe(parameters)}`,
      );
  }
}

export const shownTools = (tools: readonly Tool[]): JsonObject[] =>
  tools.map(({ name, description = '', parameters = anyObject }) => ({
    type: 'function',
    function: { name, description, parameters },
  }));

const anyObject: JsonObject = { type: 'object', properties: {} };

/** What calls of these tools keep to, as the option `constrain`. */
export function callForm(
  { args = 'arguments', isList, form }: ToolKind,
  tools: readonly Tool[],
): Readonly<Record<string, JsonObject>> {
  const $defs = Object.fromEntries(
    tools.map(({ parameters = anyObject }, i) => [`${i}`, moved(parameters, `#/$defs/${i}`)]),
  );
  const argumentsOf = (i: number) => ({ $ref: `#/$defs/${i}` });
  if (form) {
    const calls = tools.map(({ name }, i) => ({ name, arguments: argumentsOf(i) }));
    return { calls: { ...form, calls, $defs } };
  }
  const calls = tools.map(({ name }, i) => ({
    type: 'object',
    properties: { name: { const: name }, [args]: argumentsOf(i) },
    required: ['name', args],
    additionalProperties: false,
  }));
  const call = calls.length === 1 ? calls[0] : { anyOf: calls };
  return { jsonSchema: isList ? { type: 'array', items: call, minItems: 1, $defs } : { ...call, $defs } };
}

/** A schema with its references, which is now a part of another one. */
function moved(schema: unknown, place: string): unknown {
  if (Array.isArray(schema)) return schema.map((item) => moved(item, place));
  if (!isJsonObject(schema)) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => {
      const isReference = key === '$ref' && typeof value === 'string' && value.startsWith('#');
      return [key, isReference ? `${place}${value.slice(1)}` : moved(value, place)];
    }),
  );
}
