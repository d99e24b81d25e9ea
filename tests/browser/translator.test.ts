// Translator and LanguageDetector in a page: a download needs a click, and the polyfill is in place.

import { afterEach, describe, expect, test } from 'vitest';
import { userEvent } from 'vitest/browser';
import { configure, LanguageDetector, polyfill, Translator } from '../../dist/translator.js';

const french = { sourceLanguage: 'en', targetLanguage: 'fr' };
const models = { 'en-fr': new URL('/web/public/models/en-fr/', location.href) };
afterEach(() => configure({}));

describe('a model that has to be downloaded', () => {
  test('needs a click, and is available after it', async () => {
    configure({ models });
    expect(await Translator.availability(french)).toBe('downloadable');
    if (!navigator.userActivation?.isActive)
      await expect(Translator.create(french)).rejects.toMatchObject({ name: 'NotAllowedError' });
    const button = document.body.appendChild(document.createElement('button'));
    button.textContent = 'translate';
    const created = new Promise<Translator>((resolve, reject) => {
      button.addEventListener('click', () => Translator.create(french).then(resolve, reject));
    });
    await userEvent.click(button);
    expect(await Translator.availability(french)).not.toBe('downloadable');
    const translator = await created;
    expect(await Translator.availability(french)).toBe('available');
    expect(await translator.translate('I am happy. The cat is hungry.')).toBe(
      'Je suis heureux. Le chat a faim.',
    );
    translator.destroy();
    button.remove();
  });

  test('unless the page says otherwise; its progress is that of the platform', async () => {
    configure({ models, needsActivation: false });
    const loaded: number[] = [];
    const translator = await Translator.create({
      ...french,
      monitor: (monitor) =>
        monitor.addEventListener('downloadprogress', (event) => {
          expect(event).toBeInstanceOf(ProgressEvent);
          loaded.push((event as ProgressEvent).loaded);
        }),
    });
    expect([loaded[0], loaded.at(-1)]).toEqual([0, 1]);
    let text = '';
    const reader = translator.translateStreaming('I am happy. The cat is hungry.').getReader();
    for (let next = await reader.read(); !next.done; next = await reader.read()) text += next.value;
    expect(text).toBe('Je suis heureux. Le chat a faim.');
    translator.destroy();
  });
});

test('the polyfill, and a detector', async () => {
  const before = ['Translator', 'LanguageDetector'].filter((name) => name in globalThis);
  const defined = polyfill();
  expect([...before, ...defined].sort()).toEqual(['LanguageDetector', 'Translator']);
  const detector = await LanguageDetector.create();
  const [best] = await detector.detect('Où est la gare ?');
  expect(best?.detectedLanguage).toBe('fr');
  detector.destroy();
});
