/**
 * BERT's normalizer (Devlin et al. 2019): removes control characters, unifies spaces, separates ideographs, converts to
 * lower case.
 */

import type { JsonObject } from '../files/json_object.js';

/** @param config `clean_text`, `handle_chinese_chars`, `strip_accents` (null: same as `lowercase`), `lowercase` */
export function normalizeAsBert(text: string, config: JsonObject): string {
  let normalized = text;
  if (config.clean_text) normalized = normalized.replace(dropped, '').replace(/\p{White_Space}/gu, ' ');
  if (config.handle_chinese_chars) normalized = normalized.replace(ideograph, ' $& ');
  if (config.strip_accents ?? config.lowercase)
    normalized = normalized.normalize('NFD').replace(/\p{Mn}/gu, '');
  // Character by character, so that the form of a sigma does not depend on its neighbours.
  if (config.lowercase) normalized = Array.from(normalized, (character) => character.toLowerCase()).join('');
  return normalized;
}

/** Control and unassigned characters, apart from the three that are white space; and U+FFFD. */
const dropped = /(?![\t\n\r])\p{C}|\ufffd/gu;

const ideograph =
  /[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u{20000}-\u{2a6df}\u{2a700}-\u{2b73f}\u{2b740}-\u{2b81f}\u{2b820}-\u{2ceaf}\u{2f800}-\u{2fa1f}]/gu;
