// Where a text's sentences are found, and where one that is too long is broken.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { halves } from '../../build/modules/texts/parts.js';
import { sentencesOf } from '../../build/modules/texts/sentences.js';
import { trickyCases } from '../lib/sentence_cases.mjs';

const cut = (text, rules = {}) => sentencesOf(text, rules).map(([begin, end]) => text.slice(begin, end));

/** `|` stands where a sentence ends; the space after it is part of the text. */
const cases = {
  en: [
    'Dr. Smith paid $3.50 at 5 p.m. on Monday.| He left.| Then (he said so.) she came.',
    '"Are you there?" he asked.| "Yes."| She smiled.',
    'We met at 5 p.m.| Then we left, i.e. Mr. J. R. Tolkien and I, e.g. by car.',
    'The U.S. Army is here.| I live in the U.S.| It is big.',
    'No. 5 is alive.| No.| I am not.',
    'See Fig. 3 and p. 12, or vol. 2.| Smith et al. 2017 say so.',
    'He said.[1]| And then (really?) he left.| See www.x.com.',
    '“Hello.”| She said hi… then left.| What?!| Really.',
    'He (J. Doe, see p. 5. It is good.) came early.| Next.',
    'Apple Inc. was founded here.| I like Apple Inc.| The end.',
    'The cat is here.| 300 people came.| 2 dogs too, approx. 12 cats, max. 5 birds.| In 1999.| 12 of them left.',
    'Call ext. 12 on Jan. 5 about No. 7, vol. 3.| "He left."| 40 years ago, see p. 7. 5, it was so.',
    'The cat is hungry.|The dog is tired.|I am here.| Prof.Smith and Mr.Smith use www.Google.com, Node.JS and x.Size.',
    'Hello world.|Today is Tuesday.|Mr. Smith bought 1,000.|That is a lot.| See Node.JS here.',
    'It is at N°. 1026.253.553.| Here n° 7 is.| Τι κάνεις;| Καλά; ναι.| Read; Write.',
    'Version 2.0.1 is out.| Mail a@b.com!| Use node.js.| .NET is fine.',
  ],
  de: [
    'Er kam am 3. Mai um 5 Uhr.| Das ist z. B. gut, bzw. sehr gut.',
    'Im 19. Jahrhundert war es so.| Prof. Dr. Müller kam.',
    '„Hallo.“| Er ging.| »Ja.«| »Nein.«',
  ],
  fr: ['Il a dit : « Bonjour. »| Puis il partit.| M. Dupont est là.| Quoi ?| Non !'],
  es: ['¿Qué hora es?| ¡Hola!| El Sr. Pérez vive en EE.UU.| Es rico.'],
  it: ['Il sig. Rossi è qui.| Il dott. Bianchi no.| Vedi pag. 5.'],
  nl: ['Dhr. de Vries is er, o.a. met Jan.| Het is koud.'],
  pt: ['O Sr. Silva mora na av. Paulista.| Ele é alto.'],
  pl: ['To jest np. kot.| Prof. Nowak i dr Kowalski tu są.'],
  cs: ['Přijde 3. května.| Je to např. kočka.'],
  ru: ['Это г. Москва, т.е. город.| А. С. Пушкин родился в 1799 г.| Он поэт.'],
  da: ['Det er f.eks. en kat.| Den 3. maj kom hr. Hansen.| 12 hunde kom, ca. 300 katte.'],
  nb: ['Det er bl.a. en katt.| Kl. 12 kom dr. Berg.| 30 hunder kom.'],
  fi: ['Se on esim. kissa.| Klo 12 tuli prof. Virtanen.| 30 koiraa tuli, ks. s. 5.'],
  hu: ['Ez pl. egy macska.| Dr. Nagy a 3. oldalon van.| 30 kutya jött.'],
  ro: ['Dl. Popescu este aici.| Vezi pag. 5, art. 7.| 30 de câini au venit.'],
  ca: ['El Sr. Puig viu a l’av. Diagonal.| Vegeu pàg. 5.| 30 gossos.'],
  uk: ['Це напр. кіт, див. с. 5.| Він живе на вул. Шевченка.| 30 собак прийшли.'],
  bg: ['Това е напр. котка, вж. стр. 5.| Проф. Иванов е тук.| 30 кучета дойдоха.'],
  sk: ['Je to napr. mačka.| Príde 3. mája prof. Novák.| 30 psov prišlo.'],
  hr: ['To je npr. mačka.| Dr. Horvat je u ul. Gaj.| Vidi str. 5.'],
  el: [
    'Αυτό είναι π.χ. γάτα, βλ. σελ. 5.| Ο κ. Παππάς ήρθε.| 30 σκύλοι.',
    'Η γάτα πεινάει.| Τι κάνεις;| Καλά.',
  ],
  zh: ['我很饿。|你呢？|“是的。”他说。|这是3.5元。'],
  ja: ['彼は言った。|「おはよう。」|彼女は笑った。|（本当です。）|次です！'],
  ko: ['안녕하세요.| 저는 배가 고파요.| 3.5점입니다.'],
  hi: ['हिन्दी वाक्य।| दूसरा वाक्य।'],
  ar: ['مرحبا.| كيف حالك؟| أنا بخير.'],
};

describe('sentences', () => {
  for (const [language, texts] of Object.entries(cases))
    test(`in ${language}`, () => {
      for (const marked of texts)
        assert.deepEqual(
          cut(marked.replaceAll('|', ''), { language }),
          marked.split('|').map((one) => one.trim()),
        );
    });

  for (const [language, texts] of Object.entries(trickyCases))
    test(`that are tricky, in ${language}`, () => {
      for (const marked of texts)
        assert.deepEqual(
          cut(marked.replaceAll('|', ''), { language }),
          marked.split('|').map((one) => one.trim()),
        );
    });

  test('marks of lists are none where a date, a name or a title begins', () => {
    assert.deepEqual(cut('1. One.\na. two.\nA. Der dritte.\n3. Oktober.', { language: 'de' }), [
      'One.',
      'two.',
      'Der dritte.',
      '3. Oktober.',
    ]);
  });

  test('a model’s code of a language is as good as a tag, and an unknown one is none', () => {
    const text = 'Er kam am 3. Mai. Sie auch.';
    for (const language of ['de', 'de-AT', 'deu_Latn', 'de_DE'])
      assert.deepEqual(cut(text, { language }), ['Er kam am 3. Mai.', 'Sie auch.'], language);
    assert.equal(cut(text, { language: '??' }).at(-1), 'Sie auch.');
  });

  test('without a language, abbreviations of all languages hold', () => {
    const text = 'Dr. Who met Mme. Curie. El Sr. Pérez, Dhr. Bakker.';
    assert.deepEqual(cut(text), ['Dr. Who met Mme. Curie.', 'El Sr. Pérez, Dhr. Bakker.']);
  });

  test('text without capitals', () => {
    const text = 'hello. how are you? i am fine, see e.g. this. bye';
    assert.deepEqual(cut(text), ['hello.', 'how are you?', 'i am fine, see e.g. this.', 'bye']);
  });

  test('lines, marks of lists, and lines without words', () => {
    const text =
      ' One.\r\nTwo\n\n- three. Four\n  * five\n12. six\n(a) seven\n---\n***\n## Eight\n\t\u0007\n> nine\u2028Ten';
    const sentences = ['One.', 'Two', 'three.', 'Four', 'five', 'six', 'seven', 'Eight', 'nine', 'Ten'];
    assert.deepEqual(cut(text), sentences);
    assert.deepEqual(cut(' \n\t--- !? 🙂 \n'), []);
  });

  test('wrapped lines', () => {
    const text =
      'This is a\nwrapped paragraph. It goes\r\n  on.\n\nNext one\n- an item\n  goes on. Yes\n \nEnd';
    assert.deepEqual(cut(text, { wrapped: true }), [
      'This is a\nwrapped paragraph.',
      'It goes\r\n  on.',
      'Next one',
      'an item\n  goes on.',
      'Yes',
      'End',
    ]);
  });

  test('the time grows with the length alone', () => {
    for (const unit of [
      'Mr. ',
      'a. ',
      '. ',
      '「',
      '([“',
      '1. ',
      '- ',
      'A.',
      'a',
      '\n',
      '» ',
      '中',
      '「',
      '中。」',
    ])
      assert.ok(Array.isArray(sentencesOf(unit.repeat(40_000), {})), unit);
  });
});

test('ranges of any text are in order, apart, and leave nothing to translate between them', () => {
  const pieces = [
    'Dr. ',
    'cat',
    '. ',
    '! ',
    '\n',
    '\r\n\n',
    ' ',
    '«',
    '»',
    '“',
    '”',
    '(',
    ')',
    '3.5',
    '。',
    '我',
    '🙂',
    '- ',
    'é',
    '\t',
  ];
  let state = 1;
  const random = (below) => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return (state >>> 8) % below;
  };
  for (let round = 0; round < 400; round++) {
    const text = Array.from({ length: random(60) }, () => pieces[random(pieces.length)]).join('');
    for (const wrapped of [false, true]) {
      let end = 0;
      for (const [from, to] of sentencesOf(text, { wrapped })) {
        assert.ok(from >= end && to > from, JSON.stringify(text));
        const between = text.slice(end, from);
        assert.doesNotMatch(between, /[\p{L}\p{N}](?![.)]\s)/u, JSON.stringify(text));
        assert.equal(text.slice(from, to).trim(), text.slice(from, to));
        end = to;
      }
      assert.doesNotMatch(text.slice(end), /[\p{L}\p{N}](?![.)]\s)/u, JSON.stringify(text));
    }
  }
});

describe('halves', () => {
  const halve = (text) =>
    halves(text, [0, text.length])?.map(([begin, end]) => text.slice(begin, end)) ?? null;

  test('at a clause near the middle, else between words', () => {
    assert.deepEqual(halve('the cat is here, and the dog is there'), [
      'the cat is here,',
      'and the dog is there',
    ]);
    assert.deepEqual(halve('a, the black cat sleeps in the house'), [
      'a, the black cat',
      'sleeps in the house',
    ]);
    assert.deepEqual(halve('我很饿，因为我没有吃饭'), ['我很饿，', '因为我没有吃饭']);
  });

  test('never in a word', () => {
    assert.equal(halve('Donaudampfschifffahrt'), null);
    assert.equal(halve('https://example.com/a/b,c;d'), null);
    const [left, right] = halve('我今天早上没有吃早饭');
    assert.equal(left + right, '我今天早上没有吃早饭');
    assert.deepEqual(halve('สวัสดีชาวโลก')?.join(''), 'สวัสดีชาวโลก');
  });

  test('ranges are those of the whole text', () => {
    assert.deepEqual(halves('xx one two  three xx', [3, 17]), [
      [3, 10],
      [12, 17],
    ]);
  });
});
