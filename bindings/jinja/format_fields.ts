/** Python's `str.format`: fields in braces. */

import { type Arg, joinTexts, type Machine } from './builtin.js';
import { formatValue } from './format_spec.js';
import { ascii, print, represent } from './print.js';
import type { Given, Value } from './values.js';

export function formatFields(format: string, given: Given, machine: Machine): string {
  return new Formatter(given, machine).format(format, 2);
}

class Formatter {
  readonly #given: Given;
  readonly #machine: Machine;
  /** The next field without a name; null once a field has a number. */
  #next: number | null = 0;

  constructor(given: Given, machine: Machine) {
    this.#given = given;
    this.#machine = machine;
  }

  /** @param depth how deep fields may stand in fields */
  format(format: string, depth: number): string {
    if (depth === 0) throw new Error('Max string recursion exceeded');
    const { budget } = this.#machine;
    budget.string(format.length);
    const parts: string[] = [];
    let at = 0;
    while (at < format.length) {
      const brace = /[{}]/g;
      brace.lastIndex = at;
      const place = brace.exec(format)?.index ?? format.length;
      parts.push(format.slice(at, place));
      if (place === format.length) break;
      if (format[place] === format[place + 1]) {
        parts.push(format.slice(place, place + 1));
        at = place + 2;
        continue;
      }
      if (format[place] === '}') throw new Error("Single '}' encountered in format string");
      const end = endOfField(format, place + 1);
      parts.push(this.#field(format.slice(place + 1, end), depth));
      at = end + 1;
    }
    return joinTexts(parts, '', budget);
  }

  #field(field: string, depth: number): string {
    const [, name = '', conversion, spec = ''] =
      /^((?:\[[^\]]*\]|[^![:])*)(?:!([^:]*))?(?::(.*))?$/s.exec(field) ?? [];
    const { budget } = this.#machine;
    const value = this.#value(name);
    const shown = this.format(spec, depth - 1 || (spec === '' ? 1 : 0));
    if (conversion === undefined) return formatValue(value, shown, budget);
    const convert = { r: represent, s: print, a: ascii }[conversion];
    if (!convert) throw new Error(`Unknown conversion specifier '${conversion.slice(0, 20)}'`);
    return formatValue(convert(value, budget), shown, budget);
  }

  /** What `name.attribute[item]` leads to. */
  #value(name: string): Value {
    const [, first = '', path = ''] = /^([^.[]*)(.*)$/s.exec(name) ?? [];
    let value = this.#argument(first);
    let end = 0;
    for (const { 0: part, 1: attribute, 2: item = '', index } of path.matchAll(/\.([^.[]+)|\[([^\]]+)\]/g)) {
      if (index !== end) break;
      end = index + part.length;
      if (attribute !== undefined) value = this.#machine.attribute(value, attribute);
      else value = this.#machine.item(value, /^\d+$/.test(item) ? Number(item) : item);
    }
    if (end !== path.length)
      throw new Error(`a field is not of the form name.attribute[item]: '${name.slice(0, 60)}'`);
    return value;
  }

  #argument(name: string): Value {
    const { positional, named } = this.#given;
    const isNumber = /^\d+$/.test(name);
    if ((name === '' && this.#next === null) || (isNumber && this.#next !== null && this.#next > 0))
      throw new Error('cannot mix fields with numbers and fields without');
    let value: Arg;
    if (name === '') value = positional[this.#next as number];
    else value = isNumber ? positional[Number(name)] : named.get(name);
    if (name === '') this.#next = (this.#next ?? 0) + 1;
    else if (isNumber) this.#next = null;
    if (value === undefined) throw new Error(`format() has no argument for the field '${name.slice(0, 60)}'`);
    return value;
  }
}

/** Where the brace of a field is closed. */
function endOfField(format: string, begin: number): number {
  let depth = 1;
  for (let i = begin; i < format.length; i++) {
    if (format[i] === '{') depth++;
    if (format[i] === '}' && --depth === 0) return i;
  }
  throw new Error("expected '}' before end of string");
}
