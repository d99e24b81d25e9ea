/**
 * `transformer-wasm/translator`: the web platform's `Translator` and `LanguageDetector`, in pages, workers and Node.js,
 * with models of one's own choice.
 * @module transformer-wasm/translator
 */

import { setShipped } from './translator/settings.js';

setShipped(async (source, target) =>
  source === 'en' && target === 'fr' ? (await import('./en_fr.js')).default : null,
);

export type { LanguageDetectionResult } from './translator/confidences.js';
export { CreateMonitor } from './translator/create_monitor.js';
export type { Availability, CreateOptions } from './translator/creation.js';
export {
  LanguageDetector,
  type LanguageDetectorCreateOptions,
  type LanguageDetectorOptions,
} from './translator/language_detector.js';
export { type PolyfillOptions, polyfill } from './translator/polyfill.js';
export { configure, type TranslatorSettings } from './translator/settings.js';
export type { TranslationModel, TranslationModels } from './translator/translation_models.js';
export {
  Translator,
  type TranslatorCreateOptions,
  type TranslatorLanguages,
} from './translator/translator.js';
