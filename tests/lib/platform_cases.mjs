// What the web platform expects of Translator and LanguageDetector, case by case: after the specification and the topics of
// Web Platform Tests, in words and code of our own. Each case is run with the objects and throws if they do not hold.

import assert from 'node:assert/strict';

const named = (name) => (error) => error instanceof DOMException && error.name === name;
const same = (wanted) => (error) => Object.is(error, wanted);
const french = { sourceLanguage: 'en', targetLanguage: 'fr' };
const text = 'The cat is hungry. I am happy.';

async function piecesOf(stream) {
  const pieces = [];
  for await (const piece of stream) pieces.push(piece);
  return pieces;
}

function aborted(...reason) {
  const controller = new AbortController();
  controller.abort(...reason);
  return controller;
}

/** Cases that both objects share. @param make creates one; @param use calls its main method */
const shared = (make, use) => ({
  'create rejects with the reason of a signal that is aborted already': async (api) => {
    await assert.rejects(make(api, { signal: aborted().signal }), named('AbortError'));
    const reason = { mine: true };
    await assert.rejects(make(api, { signal: aborted(reason).signal }), same(reason));
  },
  'create rejects when it is aborted while it runs, again with the same controller': async (api) => {
    const controller = new AbortController();
    const made = make(api, { signal: controller.signal });
    controller.abort('why');
    await assert.rejects(made, same('why'));
    await assert.rejects(make(api, { signal: controller.signal }), same('why'));
  },
  'the monitor is called at once, with an EventTarget': async (api) => {
    let target;
    const made = make(api, {
      monitor(given) {
        target = given;
      },
    });
    assert.ok(target instanceof EventTarget);
    assert.equal(target.ondownloadprogress, null);
    (await made).destroy();
  },
  'download progress goes from 0 to 1, strictly upwards, with total 1': async (api) => {
    const seen = [];
    const monitor = (given) => given.addEventListener('downloadprogress', (event) => seen.push(event));
    (await make(api, { monitor })).destroy();
    const loaded = seen.map((event) => event.loaded);
    assert.ok(loaded.length >= 2);
    assert.deepEqual([loaded[0], loaded.at(-1)], [0, 1]);
    assert.ok(loaded.every((share, i) => i === 0 || share > loaded[i - 1]));
    assert.ok(seen.every(({ total, lengthComputable }) => total === 1 && lengthComputable));
  },
  'download progress comes in multiples of 1/65536': async (api) => {
    const seen = [];
    const monitor = (given) => {
      given.ondownloadprogress = ({ loaded }) => seen.push(loaded);
    };
    (await make(api, { monitor })).destroy();
    assert.ok(seen.every((loaded) => Number.isInteger(loaded * 65536)));
  },
  'what the monitor throws is what create rejects with': async (api) => {
    const mine = new Error('mine');
    const monitor = () => {
      throw mine;
    };
    await assert.rejects(make(api, { monitor }), same(mine));
  },
  'an abort at the first or the last event of progress rejects create': async (api) => {
    for (const at of [0, 1]) {
      const controller = new AbortController();
      const monitor = (given) => {
        given.ondownloadprogress = ({ loaded }) => loaded === at && controller.abort();
      };
      await assert.rejects(make(api, { monitor, signal: controller.signal }), named('AbortError'));
    }
  },
  'a call rejects with the reason of its signal, before and while it runs': async (api) => {
    const made = await make(api);
    await assert.rejects(use(made, { signal: aborted('early').signal }), same('early'));
    const controller = new AbortController();
    const running = use(made, { signal: controller.signal });
    controller.abort('late');
    await assert.rejects(running, same('late'));
    made.destroy();
  },
  'measureInputUsage rejects with the reason of its signal': async (api) => {
    const made = await make(api);
    await assert.rejects(made.measureInputUsage(text, { signal: aborted('early').signal }), same('early'));
    made.destroy();
  },
  'destroy rejects what runs and what comes later with an AbortError': async (api) => {
    const made = await make(api);
    const running = assert.rejects(use(made), named('AbortError'));
    made.destroy();
    await running;
    await assert.rejects(use(made), named('AbortError'));
    await assert.rejects(made.measureInputUsage(text), named('AbortError'));
  },
  'destroy may be called twice': async (api) => {
    const made = await make(api);
    made.destroy();
    assert.equal(made.destroy(), undefined);
  },
  'the signal of create destroys the object later, with its reason': async (api) => {
    const controller = new AbortController();
    const made = await make(api, { signal: controller.signal });
    controller.abort('later');
    await assert.rejects(use(made), same('later'));
  },
  'inputQuota is a number above 0, and the usage of an input finite': async (api) => {
    const made = await make(api);
    assert.ok(made.inputQuota > 0);
    const usage = await made.measureInputUsage(text);
    assert.ok(Number.isFinite(usage) && usage >= 0);
    if (made.inputQuota === Number.POSITIVE_INFINITY) assert.equal(usage, 0);
    made.destroy();
  },
  'an input above the quota is refused with a QuotaExceededError': async (api) => {
    const made = await make(api);
    assert.ok(Number.isFinite(made.inputQuota), 'there is no quota');
  },
  'several calls on one object may run at the same time': async (api) => {
    const made = await make(api);
    const [one, other] = await Promise.all([use(made), use(made)]);
    assert.deepEqual(one, other);
    made.destroy();
  },
});

const makeTranslator = ({ Translator }, options) => Translator.create({ ...french, ...options });
const makeDetector = ({ LanguageDetector }, options) => LanguageDetector.create(options);

const translator = {
  'availability and create refuse a missing language with a TypeError': async ({ Translator }) => {
    await assert.rejects(Translator.availability({ sourceLanguage: 'en' }), TypeError);
    await assert.rejects(Translator.create({ targetLanguage: 'en' }), TypeError);
  },
  'a tag that is none is a RangeError': async ({ Translator }) => {
    await assert.rejects(Translator.create({ ...french, targetLanguage: 'e!' }), RangeError);
    await assert.rejects(Translator.availability({ ...french, sourceLanguage: '' }), RangeError);
  },
  'availability is one of four words, and available after create': async ({ Translator }) => {
    const words = ['unavailable', 'downloadable', 'downloading', 'available'];
    assert.ok(words.includes(await Translator.availability(french)));
    (await Translator.create(french)).destroy();
    assert.equal(await Translator.availability(french), 'available');
  },
  'a pair that nobody has is unavailable, and create a NotSupportedError': async ({ Translator }) => {
    const pair = { sourceLanguage: 'fr', targetLanguage: 'eu' };
    assert.equal(await Translator.availability(pair), 'unavailable');
    await assert.rejects(Translator.create(pair), named('NotSupportedError'));
  },
  'the languages read back are those that are served, in canonical form': async ({ Translator }) => {
    const made = await Translator.create({ sourceLanguage: 'EN-gb', targetLanguage: 'fr' });
    assert.deepEqual([made.sourceLanguage, made.targetLanguage], ['en', 'fr']);
    made.destroy();
  },
  'a language into itself is available, and gives the input back': async ({ Translator }) => {
    const pair = { sourceLanguage: 'en', targetLanguage: 'en-GB' };
    assert.equal(await Translator.availability(pair), 'available');
    assert.equal(await (await Translator.create(pair)).translate(text), text);
  },
  'translate gives a text that is not the input': async (api) => {
    const translation = await (await makeTranslator(api)).translate(text);
    assert.ok(typeof translation === 'string' && translation !== '' && translation !== text);
  },
  'translateStreaming gives a ReadableStream, whose pieces concatenate to the translation': async (api) => {
    const made = await makeTranslator(api);
    const stream = made.translateStreaming(text);
    assert.equal(Object.prototype.toString.call(stream), '[object ReadableStream]');
    const pieces = await piecesOf(stream);
    assert.ok(pieces.length > 1);
    assert.equal(pieces.join(''), await made.translate(text));
  },
  'a stream goes on when everything else is forgotten': async (api) => {
    const stream = (await makeTranslator(api)).translateStreaming(text);
    globalThis.gc?.();
    assert.notEqual((await piecesOf(stream)).join(''), '');
  },
  'a stream ends with the reason of its signal': async (api) => {
    const made = await makeTranslator(api);
    const controller = new AbortController();
    const stream = made.translateStreaming(text, { signal: controller.signal });
    controller.abort('why');
    await assert.rejects(piecesOf(stream), same('why'));
    await assert.rejects(
      async () => piecesOf(made.translateStreaming(text, { signal: controller.signal })),
      same('why'),
    );
  },
  'a stream of a destroyed object ends with an AbortError': async (api) => {
    const made = await makeTranslator(api);
    const stream = made.translateStreaming(text);
    made.destroy();
    await assert.rejects(piecesOf(stream), named('AbortError'));
  },
  'empty text, white space and control characters come back unchanged': async (api) => {
    const made = await makeTranslator(api);
    const controls = Array.from({ length: 31 }, (_, code) => String.fromCharCode(code));
    for (const input of ['', ' ', ' \r\n\t\f', ...controls]) assert.equal(await made.translate(input), input);
    for (const control of ['\f', '\u0001', '\t'])
      assert.notEqual(await made.translate(`${control}${text}${control}`), `${control}${text}${control}`);
  },
  'create needs a click of the user where something must be downloaded': async ({
    Translator,
    configure,
    served,
  }) => {
    configure({ models: served });
    try {
      assert.equal(await Translator.availability(french), 'downloadable');
      await assert.rejects(Translator.create(french), named('NotAllowedError'));
    } finally {
      configure({});
    }
  },
  'exists in windows alone, in secure contexts': async () => {
    assert.ok(typeof window !== 'undefined' && globalThis.isSecureContext, 'this is no window');
  },
};

const detector = {
  'results fall in confidence, and the last is und': async (api) => {
    const results = await (await makeDetector(api)).detect('Where is the train station?');
    const known = results.slice(0, -1).map(({ confidence }) => confidence);
    assert.ok(known.every((one, i) => i === 0 || one <= known[i - 1]));
    assert.equal(results[0].detectedLanguage, 'en');
    assert.equal(results.at(-1).detectedLanguage, 'und');
    assert.ok(results.at(-1).confidence > 0);
  },
  'confidences sum to 1 at most, and the list stops once it is certain': async (api) => {
    const results = await (await makeDetector(api)).detect('Ich möchte zwei Karten, bitte.');
    const sum = (some) => some.reduce((total, { confidence }) => total + confidence, 0);
    assert.ok(sum(results) <= 1 + 1e-9);
    assert.ok(sum(results.slice(0, -2)) < 0.99);
  },
  'no language is listed that is less likely than none': async (api) => {
    for (const input of ['ok', '123', 'la casa', 'Hej!']) {
      const results = await (await makeDetector(api)).detect(input);
      const { confidence: none } = results.at(-1);
      assert.ok(results.slice(0, -1).every(({ confidence }) => confidence > 0 && confidence >= none));
    }
  },
  'tags are canonical': async (api) => {
    for (const { detectedLanguage } of await (await makeDetector(api)).detect('火车站在哪里？'))
      assert.deepEqual(Intl.getCanonicalLocales(detectedLanguage), [detectedLanguage]);
  },
  'expectedInputLanguages reads back null for none, else a frozen list': async (api) => {
    for (const options of [undefined, {}, { expectedInputLanguages: [] }])
      assert.equal((await makeDetector(api, options)).expectedInputLanguages, null);
    const { expectedInputLanguages } = await makeDetector(api, { expectedInputLanguages: ['en', 'es'] });
    assert.deepEqual(expectedInputLanguages, ['en', 'es']);
    assert.ok(Object.isFrozen(expectedInputLanguages));
  },
  'availability answers without options, and refuses a tag that is none': async ({ LanguageDetector }) => {
    assert.equal(typeof (await LanguageDetector.availability()), 'string');
    await assert.rejects(LanguageDetector.availability({ expectedInputLanguages: ['e!'] }), RangeError);
  },
};

/** `[object, what, run]` for every case. */
export const platformCases = [
  ...Object.entries({
    ...translator,
    ...shared(makeTranslator, (made, options) => made.translate(text, options)),
  }).map(([what, run]) => ['Translator', what, run]),
  ...Object.entries({
    ...detector,
    ...shared(makeDetector, (made, options) => made.detect(text, options)),
  }).map(([what, run]) => ['LanguageDetector', what, run]),
];

/** Runs every case: `{ object, what, passes, message }`, one after the other. */
export async function runPlatformCases(api) {
  const results = [];
  for (const [object, what, run] of platformCases) {
    const message = await run(api).then(
      () => null,
      (error) => error.message,
    );
    results.push({ object, what, passes: message === null, message });
  }
  return results;
}
