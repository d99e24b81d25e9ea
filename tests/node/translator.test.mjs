// The platform's Translator and LanguageDetector: what its specification and its tests expect.

import assert from 'node:assert/strict';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { loadModel } from '../../dist/index.js';
import { configure, LanguageDetector, polyfill, Translator } from '../../dist/translator.js';
import { startComputing } from '../lib/cpu_time.mjs';
import { studentFiles } from '../lib/students.mjs';

const enFr = new URL('../../web/public/models/en-fr/', import.meta.url);
const french = { sourceLanguage: 'en', targetLanguage: 'fr' };
const named = (name) => (error) => error instanceof DOMException && error.name === name;
afterEach(() => configure({}));

/** A signal that is aborted with a reason of its own, or with the default one. */
function abortedWith(...reason) {
  const controller = new AbortController();
  controller.abort(...reason);
  return controller.signal;
}

async function whole(stream) {
  const pieces = [];
  for await (const piece of stream) pieces.push(piece);
  return pieces;
}

/** What both objects do alike. */
function alike(name, make, use) {
  describe(name, () => {
    test('is made by create alone', () => {
      const Constructor = name === 'Translator' ? Translator : LanguageDetector;
      assert.throws(() => new Constructor(), TypeError);
    });

    test('create with a signal that is aborted', async () => {
      await assert.rejects(make({ signal: abortedWith() }), named('AbortError'));
      const reason = new TypeError('mine');
      await assert.rejects(make({ signal: abortedWith(reason) }), (error) => error === reason);
    });

    test('create aborted while it runs, twice with one controller', async () => {
      for (const args of [[], [{ mine: 1 }]]) {
        const controller = new AbortController();
        const made = make({ signal: controller.signal });
        controller.abort(...args);
        const isReason = (error) => error === controller.signal.reason;
        await assert.rejects(made, isReason);
        await assert.rejects(make({ signal: controller.signal }), isReason);
      }
    });

    test('progress: from 0 to 1, upwards, and nothing after the end', async () => {
      const events = [];
      let isSettled = false;
      let called = false;
      const making = make({
        monitor(monitor) {
          called = true;
          monitor.addEventListener('downloadprogress', (event) => {
            assert.equal(isSettled, false);
            events.push(event);
          });
          monitor.ondownloadprogress = ({ type }) => assert.equal(type, 'downloadprogress');
        },
      });
      assert.ok(called, 'the monitor is given at once');
      const made = await making;
      isSettled = true;
      made.destroy();
      const loaded = events.map((event) => event.loaded);
      assert.deepEqual([loaded[0], loaded.at(-1)], [0, 1]);
      for (const [i, { total, lengthComputable }] of events.entries()) {
        assert.deepEqual([total, lengthComputable], [1, true]);
        assert.equal((loaded[i] * 65536) % 1, 0);
        assert.ok(i === 0 || loaded[i] > loaded[i - 1]);
      }
    });

    test('a monitor that throws, and one that aborts at the beginning or the end', async () => {
      const mine = new Error('mine');
      const thrown = make({
        monitor() {
          throw mine;
        },
      });
      await assert.rejects(thrown, (error) => error === mine);
      for (const at of [0, 1]) {
        const controller = new AbortController();
        const seen = [];
        const making = make({
          signal: controller.signal,
          monitor: (monitor) =>
            monitor.addEventListener('downloadprogress', ({ loaded }) => {
              seen.push(loaded);
              if (loaded === at) controller.abort();
            }),
        });
        await assert.rejects(making, named('AbortError'));
        assert.equal(seen.at(-1), at);
      }
    });

    test('calls with an aborted signal, or aborted while they run', async () => {
      const made = await make();
      for (const call of [use, (one, options) => one.measureInputUsage('a', options)]) {
        await assert.rejects(call(made, { signal: abortedWith() }), named('AbortError'));
        const controller = new AbortController();
        const running = call(made, { signal: controller.signal });
        controller.abort('why');
        await assert.rejects(running, (error) => error === 'why');
      }
      assert.ok(await use(made));
      made.destroy();
    });

    test('destroy ends what runs and what comes later', async () => {
      const made = await make();
      const running = [use(made), made.measureInputUsage('a')];
      const ended = Promise.all(running.map((one) => assert.rejects(one, named('AbortError'))));
      made.destroy();
      made.destroy();
      await ended;
      await assert.rejects(use(made), named('AbortError'));
      await assert.rejects(made.measureInputUsage('a'), named('AbortError'));
    });

    test('the signal of create destroys it later', async () => {
      const controller = new AbortController();
      const made = await make({ signal: controller.signal });
      const running = use(made);
      const mine = new Error('mine');
      controller.abort(mine);
      await assert.rejects(running, (error) => error === mine);
      await assert.rejects(use(made), (error) => error === mine);
    });

    test('a call without a text is a TypeError; another value is its string', async () => {
      const made = await make();
      const ways = [made.measureInputUsage, made.translate ?? made.detect];
      for (const way of ways)
        for (const input of [[], [Symbol('a')]]) await assert.rejects(way.apply(made, input), TypeError);
      assert.equal(await made.measureInputUsage(null), 0);
      if (made.translateStreaming) assert.throws(() => made.translateStreaming(), TypeError);
      if (made.translate) assert.equal(await made.translate(2024), '2024');
      made.destroy();
    });

    test('there is no quota', async () => {
      const made = await make();
      assert.equal(made.inputQuota, Number.POSITIVE_INFINITY);
      assert.equal(await made.measureInputUsage('a '.repeat(1e5)), 0);
      made.destroy();
    });
  });
}

alike(
  'Translator',
  (options) => Translator.create({ ...french, ...options }),
  (translator, options) => translator.translate('The cat is hungry.', options),
);
alike(
  'LanguageDetector',
  (options) => LanguageDetector.create(options),
  (detector, options) => detector.detect('The cat is hungry.', options),
);

describe('translating', () => {
  test('a text, whole and in pieces, several at a time', async () => {
    const translator = await Translator.create(french);
    assert.deepEqual([translator.sourceLanguage, translator.targetLanguage], ['en', 'fr']);
    const text = ' The cat is hungry.  The dog is tired.\n\n- I am happy. ';
    const wanted = ' Le chat a faim.  Le chien est fatigué.\n\n- Je suis heureux. ';
    const [one, other] = await Promise.all([translator.translate(text), translator.translate('I am happy.')]);
    assert.deepEqual([one, other], [wanted, 'Je suis heureux.']);
    const stream = translator.translateStreaming(text);
    assert.equal(Object.prototype.toString.call(stream), '[object ReadableStream]');
    const pieces = await whole(stream);
    assert.deepEqual(pieces, [' Le chat a faim.', '  Le chien est fatigué.', '\n\n- Je suis heureux.', ' ']);
    translator.destroy();
  });

  test('HTML: tags follow their words', async () => {
    const translator = await Translator.create(french);
    const html = '<p>The cat is <b>hungry</b>.</p><code>the dog</code>';
    assert.equal(await translator.translate(html), '<p>Le chat a <b>faim</b>.</p><code>the dog</code>');
    assert.equal(
      (await whole(translator.translateStreaming(html))).join(''),
      await translator.translate(html),
    );
    assert.match(await translator.translate('I am hungry if 1 < 2.'), /1 < .*2/);
    translator.destroy();
  });

  test('terms of a glossary and what is kept, in texts, streams and HTML', async () => {
    const seen = [];
    const keep = [
      'dog',
      (text, place) => {
        seen.push([text, place]);
        return [];
      },
    ];
    const translator = await Translator.create({ ...french, keep, glossary: { house: 'cabane' } });
    const [text, html] = await Promise.all([
      translator.translate('The dog sees a house.'),
      translator.translate('<p>The <b>dog</b> is tired.</p>'),
    ]);
    assert.match(text, /\bdog\b.*\bcabane\b/);
    assert.match(html, /<b>dog<\/b>/);
    assert.match((await whole(translator.translateStreaming('I see the dog.'))).join(''), /\bdog\b/);
    assert.ok(seen.length >= 3 && seen.every(([, place]) => place === 0));
    translator.destroy();
    for (const wrong of [{ keep: 5 }, { glossary: { a: 5 } }])
      await assert.rejects(Translator.create({ ...french, ...wrong }), { code: 'invalid_argument' });
  });

  test('callers share passes; an abort costs the others nothing', async () => {
    const translator = await Translator.create(french);
    const texts = ['The cat is hungry.', '<b>I</b> am happy.', 'The dog is tired.', 'I am here.'];
    const alone = [];
    for (const text of texts) alone.push(await translator.translate(text));
    const controller = new AbortController();
    const together = texts.map((text) => translator.translate(text));
    const aborted = translator.translate('The old man sees a house.', { signal: controller.signal });
    controller.abort();
    await assert.rejects(aborted, named('AbortError'));
    assert.deepEqual(await Promise.all(together), alone);
    translator.destroy();
  });

  test('no event follows an abort, at the beginning or at the end', async () => {
    for (const end of [0, 1]) {
      const controller = new AbortController();
      const events = [];
      const monitor = (monitor) =>
        monitor.addEventListener('downloadprogress', ({ loaded }) => {
          events.push(loaded);
          if (loaded === end) controller.abort('enough');
        });
      const made = Translator.create({ ...french, monitor, signal: controller.signal });
      await assert.rejects(made, (error) => error === 'enough');
      assert.equal(events.at(-1), end);
      const after = await Translator.create(french);
      after.destroy();
      assert.equal(events.at(-1), end);
    }
  });

  test('what has nothing to translate comes back unchanged', async () => {
    const translator = await Translator.create(french);
    const control = Array.from({ length: 32 }, (_, code) => String.fromCharCode(code));
    for (const text of ['', ' ', ' \r\n\t\f', ...control]) {
      assert.equal(await translator.translate(text), text);
      assert.equal((await whole(translator.translateStreaming(text))).join(''), text);
    }
    assert.notEqual(await translator.translate('  The cat is hungry. \f'), '  The cat is hungry. \f');
    translator.destroy();
  });

  test('streams end with their translator, their signal, and when nobody reads on', async () => {
    const text = 'The cat is hungry. The dog is tired. I am happy.';
    const translator = await Translator.create(french);
    const controller = new AbortController();
    const aborted = translator.translateStreaming(text, { signal: controller.signal }).getReader();
    await aborted.read();
    controller.abort('why');
    await assert.rejects(aborted.read(), (error) => error === 'why');
    assert.throws(
      () => translator.translateStreaming(text, { signal: controller.signal }),
      (error) => error === 'why',
    );
    const left = translator.translateStreaming(text).getReader();
    await left.read();
    await left.cancel();
    const open = translator.translateStreaming(text).getReader();
    await open.read();
    translator.destroy();
    await assert.rejects(open.read(), named('AbortError'));
    assert.throws(() => translator.translateStreaming(text), named('AbortError'));
  });

  test('a stream goes on when nobody holds its translator', {
    skip: !globalThis.gc && 'needs --expose-gc',
  }, async () => {
    const stream = (await Translator.create(french)).translateStreaming('The cat is hungry. I am happy.');
    globalThis.gc();
    assert.equal((await whole(stream)).join(''), 'Le chat a faim. Je suis heureux.');
  });
});

describe('pairs', () => {
  test('tags are checked, and the nearest ones served', async () => {
    await assert.rejects(Translator.create({ sourceLanguage: 'en' }), TypeError);
    await assert.rejects(Translator.availability({ targetLanguage: 'en' }), TypeError);
    await assert.rejects(Translator.create({ ...french, sourceLanguage: 'e!' }), RangeError);
    assert.equal(await Translator.availability(french), 'available');
    assert.equal(
      await Translator.availability({ sourceLanguage: 'fr', targetLanguage: 'en' }),
      'unavailable',
    );
    await assert.rejects(
      Translator.create({ sourceLanguage: 'fr', targetLanguage: 'en' }),
      named('NotSupportedError'),
    );
    const british = await Translator.create({ sourceLanguage: 'EN-gb', targetLanguage: 'fr-CA' });
    assert.deepEqual([british.sourceLanguage, british.targetLanguage], ['en', 'fr']);
    british.destroy();
  });

  test('a language into itself is what it was', async () => {
    const pair = { sourceLanguage: 'en', targetLanguage: 'en-GB' };
    assert.equal(await Translator.availability(pair), 'available');
    const translator = await Translator.create(pair);
    assert.deepEqual([translator.sourceLanguage, translator.targetLanguage], ['en', 'en-GB']);
    assert.equal(await translator.translate('The cat.'), 'The cat.');
    assert.deepEqual(await whole(translator.translateStreaming('The cat.')), ['The cat.']);
    translator.destroy();
    const scripts = { sourceLanguage: 'zh-Hans', targetLanguage: 'zh-Hant' };
    assert.equal(await Translator.availability(scripts), 'unavailable');
  });

  test('through another language, with one model after the other', async () => {
    const [yyzz, xxcc] = [studentFiles('yyzz'), studentFiles('xxcc')];
    configure({ models: { 'yy-zz': yyzz, zzcc: { source: xxcc } }, pivots: ['aa', 'zz'] });
    const pair = { sourceLanguage: 'yy', targetLanguage: 'cc' };
    const translator = await Translator.create(pair);
    const [first, second] = [await loadModel(yyzz), await loadModel(xxcc)];
    const between = await first.translate('mí lo. ka te');
    const wanted = (await second.translate(between.text)).text;
    assert.equal(await translator.translate('mí lo. ka te'), wanted);
    const pieces = await whole(translator.translateStreaming('mí lo. ka te'));
    assert.equal(pieces.length, between.sentences.length);
    translator.destroy();
    await Promise.all([first.dispose(), second.dispose()]);
  });

  test('a registry in a folder, beside its models', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'transformer-wasm-'));
    try {
      await cp(enFr, join(folder, 'models/en-fr'), { recursive: true });
      await writeFile(
        join(folder, 'registry.json'),
        JSON.stringify({ 'en-fr': 'models/en-fr/', 'en-zh-Hans': 'zh/' }),
      );
      for (const models of [folder, pathToFileURL(`${folder}/`)]) {
        configure({ models });
        const translator = await Translator.create(french);
        assert.equal(await translator.translate('I am happy.'), 'Je suis heureux.');
        translator.destroy();
        const chinese = { sourceLanguage: 'en', targetLanguage: 'zh' };
        assert.notEqual(await Translator.availability(chinese), 'unavailable');
        await assert.rejects(Translator.create(chinese), named('NetworkError'));
      }
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  test('a function, asked for tags; its own errors', async () => {
    const asked = [];
    configure({
      models(source, target) {
        asked.push(`${source} ${target}`);
        return source === 'sr-Latn' && target === 'fr' ? enFr : null;
      },
    });
    const pair = { sourceLanguage: 'sr-Latn-RS', targetLanguage: 'fr' };
    assert.equal(await Translator.availability(pair), 'available');
    assert.deepEqual(asked, ['sr-Latn-RS fr', 'sr-Latn-RS fr-Latn', 'sr-Latn fr']);
    configure({
      models() {
        throw new Error('out of order');
      },
    });
    await assert.rejects(Translator.create(pair), named('UnknownError'));
    assert.throws(() => configure({ model: enFr }), {
      code: 'invalid_argument',
      message: /did you mean 'models'/,
    });
  });

  test('translators of one pair share its model, which ends with the last', async () => {
    let loads = 0;
    configure({
      models: { 'en-fr': enFr },
      load: { engine: undefined },
    });
    const monitor = (one) => one.addEventListener('downloadprogress', () => loads++);
    const [one, other] = await Promise.all([
      Translator.create({ ...french, monitor }),
      Translator.create({ ...french, monitor }),
    ]);
    one.destroy();
    assert.equal(await other.translate('I am happy.'), 'Je suis heureux.');
    other.destroy();
    assert.ok(loads >= 4);
    const again = await Translator.create(french);
    assert.equal(await again.translate('I am happy.'), 'Je suis heureux.');
    again.destroy();
  });
});

describe('detecting', () => {
  const sentences = {
    en: 'Where is the train station?',
    de: 'Ich möchte zwei Karten, bitte.',
    fr: 'Il a perdu ses clés dans le jardin hier.',
    es: '¿Dónde está la estación de tren?',
    it: 'Vorrei due biglietti, per favore.',
    pt: 'Ontem ele perdeu as chaves no jardim.',
    nl: 'Hij is gisteren zijn sleutels in de tuin verloren.',
    sv: 'Jag skulle vilja ha två biljetter, tack.',
    fi: 'Hän hukkasi avaimensa puutarhaan eilen.',
    pl: 'Wczoraj zgubił klucze w ogrodzie.',
    cs: 'Chtěl bych dvě jízdenky, prosím.',
    hu: 'Hol van a vasútállomás?',
    tr: 'Tren istasyonu nerede?',
    ru: 'Вчера он потерял ключи в саду.',
    uk: 'Де знаходиться вокзал?',
    el: 'Η γάτα κάθεται στο χαλί.',
    ar: 'أين محطة القطار؟',
    he: 'איפה תחנת הרכבת?',
    ja: '猫がマットの上に座っています。',
    zh: '火车站在哪里？',
    ko: '고양이가 매트 위에 앉아 있다.',
    vi: 'Con mèo ngồi trên tấm thảm.',
  };

  function checkResults(results) {
    const confidences = results.map(({ confidence }) => confidence);
    const last = results.at(-1);
    assert.equal(last.detectedLanguage, 'und');
    assert.ok(last.confidence > 0);
    const known = confidences.slice(0, -1);
    assert.deepEqual(
      known,
      [...known].sort((a, b) => b - a),
    );
    assert.ok(known.every((confidence) => confidence > 0 && confidence >= last.confidence));
    const sum = (numbers) => numbers.reduce((total, one) => total + one, 0);
    assert.ok(sum(confidences) <= 1 + 1e-9);
    assert.ok(sum(known.slice(0, -1)) < 0.99);
    for (const { detectedLanguage } of results)
      assert.deepEqual(Intl.getCanonicalLocales(detectedLanguage), [detectedLanguage]);
  }

  test('one sentence in each of many languages', async () => {
    const detector = await LanguageDetector.create();
    for (const [language, sentence] of Object.entries(sentences)) {
      const results = await detector.detect(sentence);
      checkResults(results);
      assert.equal(results[0].detectedLanguage, language, sentence);
    }
  });

  test('no language, and several', async () => {
    const detector = await LanguageDetector.create();
    for (const text of ['', ' ', '123', 'xqzzt', '🙂', '\u0000']) {
      const results = await detector.detect(text);
      checkResults(results);
      assert.deepEqual(
        results.map(({ detectedLanguage }) => detectedLanguage),
        ['und'],
        text,
      );
      assert.ok(results[0].confidence > 0.5);
    }
    const mixed = `${sentences.en} `.repeat(20) + `${sentences.ja}\n`.repeat(30);
    const results = await detector.detect(mixed);
    checkResults(results);
    const found = results.slice(0, 2).map(({ detectedLanguage }) => detectedLanguage);
    assert.deepEqual(found.sort(), ['en', 'ja']);
    const computed = startComputing();
    checkResults(await detector.detect('The cat sat on the mat. '.repeat(50_000)));
    assert.ok(computed() < 3000);
  });

  test('greetings, one word in its own script, Indonesian beside Malay', async () => {
    const detector = await LanguageDetector.create();
    const short = {
      en: 'Hello world!',
      de: 'Danke',
      fr: 'Bonjour',
      es: 'Hola',
      it: 'Ciao',
      tr: 'Merhaba',
      zh: '图书馆',
      el: 'νερό',
      ko: '안녕',
      ja: 'こんにちは',
      th: 'สวัสดี',
      hi: 'नमस्ते',
      ru: 'Где библиотека?',
      id: 'Saya ingin makan nasi goreng karena saya lapar.',
      ms: 'Kereta saya rosak kerana hujan.',
    };
    for (const [language, text] of Object.entries(short)) {
      const results = await detector.detect(text);
      checkResults(results);
      assert.equal(results[0].detectedLanguage, language, text);
    }
  });

  test('expected languages narrow', async () => {
    const detector = await LanguageDetector.create({ expectedInputLanguages: ['en', 'nl'] });
    for (const [text, wanted] of [
      ['Hallo', 'nl'],
      ['Hello', 'en'],
      ['Bonjour à tous les amis', 'und'],
    ]) {
      const results = await detector.detect(text);
      checkResults(results);
      if (wanted !== 'und') assert.equal(results[0].detectedLanguage, wanted, text);
      for (const { detectedLanguage } of results) assert.ok(['en', 'nl', 'und'].includes(detectedLanguage));
    }
  });

  test('expected languages', async () => {
    for (const options of [undefined, {}, { expectedInputLanguages: [] }])
      assert.equal((await LanguageDetector.create(options)).expectedInputLanguages, null);
    const { expectedInputLanguages } = await LanguageDetector.create({
      expectedInputLanguages: ['EN', 'es'],
    });
    assert.deepEqual(expectedInputLanguages, ['en', 'es']);
    assert.ok(Object.isFrozen(expectedInputLanguages));
    assert.equal(await LanguageDetector.availability(), 'available');
    assert.equal(await LanguageDetector.availability({ expectedInputLanguages: ['tlh'] }), 'unavailable');
    await assert.rejects(
      LanguageDetector.create({ expectedInputLanguages: ['tlh'] }),
      named('NotSupportedError'),
    );
    await assert.rejects(LanguageDetector.create({ expectedInputLanguages: ['e!'] }), RangeError);
  });
});

test('the polyfill leaves what is there, unless it is told otherwise', () => {
  const native = class {};
  globalThis.Translator = native;
  try {
    assert.deepEqual(polyfill(), ['LanguageDetector']);
    assert.deepEqual([globalThis.Translator, globalThis.LanguageDetector], [native, LanguageDetector]);
    assert.deepEqual(polyfill({ override: true }), ['Translator', 'LanguageDetector']);
    assert.equal(globalThis.Translator, Translator);
    assert.deepEqual(polyfill(), []);
  } finally {
    delete globalThis.Translator;
    delete globalThis.LanguageDetector;
  }
});
