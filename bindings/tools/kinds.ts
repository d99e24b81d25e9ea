/** How models write calls of tools: a record for each kind of chat template. */

import type { CallForm } from '../grammar/call_forms.js';

export interface ToolKind {
  /** What a template of this kind has in it. */
  readonly shownBy: RegExp;
  /**
   * The mark before a call, and what is written between it and the call; `null`: a JSON value at the beginning is a
   * call.
   */
  readonly open: string | null;
  readonly lead?: string;
  /** Another mark with the same meaning. */
  readonly alsoOpen?: string;
  /** The mark after a call; absent: the end of the answer. */
  readonly close?: string;
  /** How calls are written that are no JSON, and `literals.ts` reads. */
  readonly form?: Pick<CallForm, 'style' | 'begin' | 'between' | 'end'>;
  /** What a call in JSON calls its arguments; default: `arguments`. */
  readonly args?: 'arguments' | 'parameters';
  /** Whether calls are the items of a list. */
  readonly isList?: boolean;
}

/** How a model writes calls: as Hermes and Qwen, Llama 3, Mistral, LFM2 and Gemma do, or as JSON alone. */
export type ToolFormat = 'hermes' | 'lfm2' | 'mistral' | 'functionGemma' | 'gemma' | 'llama3' | 'json';

/** The first whose pattern fits a template is its kind. */
export const toolKinds: Readonly<Record<ToolFormat, ToolKind>> = {
  hermes: {
    ...{ shownBy: /<tool_call>/, open: '<tool_call>', lead: '\n', close: '</tool_call>' },
  },
  lfm2: {
    ...{ shownBy: /<\|tool_call_start\|>/, open: '<|tool_call_start|>', close: '<|tool_call_end|>' },
    form: { style: 'python', begin: '[', between: ', ', end: ']' },
  },
  mistral: { shownBy: /\[TOOL_CALLS\]/, open: '[TOOL_CALLS]', isList: true },
  functionGemma: {
    ...{ shownBy: /<start_function_call>/, open: '<start_function_call>', close: '<end_function_call>' },
    form: { style: 'marked' },
  },
  gemma: {
    ...{ shownBy: /tool_code/, open: '```tool_code', lead: '\n', close: '```' },
    form: { style: 'python', between: '\n' },
  },
  llama3: {
    ...{ shownBy: /python_tag|"parameters": dictionary/, open: null, alsoOpen: '<|python_tag|>' },
    args: 'parameters',
  },
  json: { shownBy: /(?:)/, open: null },
};

export const toolFormats = Object.keys(toolKinds) as ToolFormat[];

export const formatOf = (template: string): ToolFormat =>
  toolFormats.find((name) => toolKinds[name].shownBy.test(template)) ?? 'json';

/** Marks around what a model thinks before it answers. */
export const thinking: readonly (readonly [open: string, close: string])[] = [
  ['<think>', '</think>'],
  ['[THINK]', '[/THINK]'],
];
