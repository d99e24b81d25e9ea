/** The languages of Whisper, by their codes. */

import { fail } from '../../values/errors.js';

const names =
  'en english zh chinese de german es spanish ru russian ko korean fr french ja japanese pt portuguese tr turkish ' +
  'pl polish ca catalan nl dutch ar arabic sv swedish it italian id indonesian hi hindi fi finnish vi vietnamese ' +
  'he hebrew uk ukrainian el greek ms malay cs czech ro romanian da danish hu hungarian ta tamil no norwegian ' +
  'th thai ur urdu hr croatian bg bulgarian lt lithuanian la latin mi maori ml malayalam cy welsh sk slovak ' +
  'te telugu fa persian lv latvian bn bengali sr serbian az azerbaijani sl slovenian kn kannada et estonian ' +
  'mk macedonian br breton eu basque is icelandic hy armenian ne nepali mn mongolian bs bosnian kk kazakh ' +
  'sq albanian sw swahili gl galician mr marathi pa punjabi si sinhala km khmer sn shona yo yoruba so somali ' +
  'af afrikaans oc occitan ka georgian be belarusian tg tajik sd sindhi gu gujarati am amharic yi yiddish lo lao ' +
  'uz uzbek fo faroese ht haitian_creole ps pashto tk turkmen nn nynorsk mt maltese sa sanskrit lb luxembourgish ' +
  'my myanmar bo tibetan tl tagalog mg malagasy as assamese tt tatar haw hawaiian ln lingala ha hausa ba bashkir ' +
  'jw javanese su sundanese yue cantonese';

const aliases =
  'my burmese ca valencian nl flemish ht haitian lb letzeburgesch ps pushto pa panjabi ro moldavian ro moldovan ' +
  'si sinhalese es castilian zh mandarin';

const codes = new Map<string, string>();
for (const list of [names, aliases]) {
  const words = list.split(' ');
  for (let i = 0; i < words.length; i += 2) codes.set((words[i + 1] ?? '').replace('_', ' '), words[i] ?? '');
}

export const languageCodes = new Set(codes.values());

/** The name of a code, such as 'english'; a code that is not known stays. */
export function languageName(code: string): string {
  return [...codes].find(([, one]) => one === code)?.[0] ?? code;
}

/**
 * The code of a language that is given as `en`, `English` or `<|en|>`.
 *
 * @param known the codes that the model has
 * @throws TransformerError `invalid_argument`
 */
export function languageCode(given: string, known: readonly string[]): string {
  const plain = given.toLowerCase().replace(/^<\|(.*)\|>$/, '$1');
  const code = codes.get(plain) ?? plain;
  if (known.includes(code)) return code;
  return fail(
    'invalid_argument',
    `the model does not know the language '${given}'; it knows ${known.join(', ')}`,
  );
}

/** Languages that are written without spaces between words. */
export const hasSpaces = (code: string | null) => !['zh', 'ja', 'th', 'lo', 'my', 'yue'].includes(code ?? '');
