/** Puts the objects where the platform would have them. */

import { LanguageDetector } from './language_detector.js';
import { Translator } from './translator.js';

export interface PolyfillOptions {
  /** Also in place of the platform's own; default `false`. */
  override?: boolean;
}

/**
 * Defines `Translator` and `LanguageDetector` globally where the platform has none.
 *
 * @returns the names that were defined
 */
export function polyfill({ override = false }: PolyfillOptions = {}): string[] {
  const own = { Translator, LanguageDetector };
  return Object.entries(own).flatMap(([name, value]) => {
    if (!override && name in globalThis) return [];
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true, enumerable: false });
    return [name];
  });
}
