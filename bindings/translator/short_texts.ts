/**
 * What n-grams cannot say: languages by their own script, by the commonest words of short texts, and Indonesian beside
 * Malay.
 */

type Scores = Readonly<Record<string, number>>;

/** Scripts that one of the known languages is written in. Japanese comes before Chinese, whose signs it has too. */
const scripts: readonly (readonly [language: string, script: RegExp])[] = [
  ['ja', /[\p{sc=Hira}\p{sc=Kana}]/u],
  ['zh', /\p{sc=Han}/u],
  ['ko', /\p{sc=Hang}/u],
  ['el', /\p{sc=Grek}/u],
  ['he', /\p{sc=Hebr}/u],
  ['th', /\p{sc=Thai}/u],
  ['lo', /\p{sc=Laoo}/u],
  ['ka', /\p{sc=Geor}/u],
  ['hy', /\p{sc=Armn}/u],
  ['am', /\p{sc=Ethi}/u],
  ['bn', /\p{sc=Beng}/u],
  ['gu', /\p{sc=Gujr}/u],
  ['kn', /\p{sc=Knda}/u],
  ['ml', /\p{sc=Mlym}/u],
  ['or', /\p{sc=Orya}/u],
  ['pa', /\p{sc=Guru}/u],
  ['ta', /\p{sc=Taml}/u],
  ['te', /\p{sc=Telu}/u],
];

/** Greetings, thanks, answers and questions. */
const commonWords: Readonly<Record<string, string>> = {
  en: 'hello hi hey world good morning evening night thanks thank you please yes welcome goodbye bye how are what is the sorry',
  de: 'hallo guten tag morgen abend gute nacht danke bitte ja nein tschüss willkommen wie geht welt ich bin das ist entschuldigung',
  fr: 'bonjour bonsoir salut merci beaucoup oui non monde bienvenue comment ça va je suis le la les au revoir pardon',
  es: 'hola buenos buenas días tardes noches gracias por favor sí adiós mundo bienvenido cómo está estás qué tal',
  it: 'ciao buongiorno buonasera grazie prego sì mondo benvenuto come stai sono arrivederci scusa mille',
  pt: 'olá oi bom dia boa tarde noite obrigado obrigada sim não mundo você tchau bem-vindo como está',
  nl: 'hallo hoi goedemorgen goedendag dank bedankt je wel ja nee wereld welkom tot ziens hoe gaat het alsjeblieft',
  sv: 'hej god morgon tack så mycket ja nej världen välkommen hur mår du snälla tjena',
  da: 'hej goddag godmorgen tak ja nej verden velkommen hvordan går det farvel',
  no: 'hei god morgen takk ja nei verden velkommen hvordan går det ha bra',
  fi: 'hei moi terve huomenta kiitos kyllä ei maailma tervetuloa mitä kuuluu näkemiin',
  pl: 'cześć dzień dobry dziękuję proszę tak nie świat witaj jak się masz do widzenia',
  cs: 'ahoj dobrý den děkuji prosím ano ne světe svět vítejte jak se máš na shledanou',
  hu: 'szia helló jó napot reggelt köszönöm igen nem világ üdvözlöm hogy vagy kérem',
  ro: 'salut bună ziua dimineața mulțumesc da nu lume lumea bine ați venit ce mai faci',
  tr: 'merhaba selam günaydın teşekkürler teşekkür ederim evet hayır dünya hoş geldiniz nasılsın lütfen',
  ms: 'selamat pagi malam siang terima kasih apa kabar khabar halo ya tidak dunia saya baik',
  vi: 'xin chào cảm ơn vâng không tạm biệt thế giới bạn khỏe',
  tl: 'kamusta magandang umaga salamat po oo hindi mundo paalam',
  ru: 'привет здравствуйте спасибо да нет мир доброе утро добрый день пока где как дела пожалуйста что это',
  uk: 'привіт дякую так ні світ доброго ранку добрий день до побачення де як справи будь ласка що це',
  bg: 'здравей здравейте благодаря да не свят добро утро добър ден довиждане къде как си моля какво',
  sr: 'здраво хвала да не свет добро јутро добар дан довиђења где како си молим шта је',
  hr: 'bok zdravo hvala da ne svijete dobro jutro dobar dan doviđenja gdje kako si molim',
  ar: 'مرحبا السلام عليكم شكرا نعم لا العالم صباح الخير كيف حالك أهلا وسهلا',
  fa: 'سلام متشکرم ممنون بله نه دنیا صبح بخیر خوبی چطوری خداحافظ',
  ur: 'ہیلو شکریہ جی ہاں نہیں دنیا آپ کیسے ہیں صبح بخیر خدا حافظ',
  hi: 'नमस्ते धन्यवाद हाँ हां नहीं दुनिया शुभ प्रभात आप कैसे हैं कृपया है',
  mr: 'नमस्कार धन्यवाद होय नाही जग शुभ प्रभात तुम्ही कसे आहात कृपया आहे',
};

/** Words that only one of the two has; the n-grams know Malay alone. */
const indonesian =
  /^(?:apa|kabar|bisa|karena|kamu|anda|mau|uang|kantor|mobil|senin|bahwa|adalah|tidak|siang|halo|sepeda|rumah|ingin|sudah|belum|kalau|juga|sangat|lebih|teman|polisi|sekolah|kapan|gimana|nggak|banget|silakan|maaf)$/;
const malay =
  /^(?:khabar|boleh|kerana|awak|ialah|wang|pejabat|kereta|isnin|bahawa|basikal|tak|esok|kerajaan|encik|puan|cikgu|rosak|beliau|mahu|kamu|sahaja|bagaimanapun|petang|telefon|percuma|hospital)$/;

const words = new Map<string, string[]>();
for (const [language, list] of Object.entries(commonWords))
  for (const word of list.split(' ')) words.set(word, [...(words.get(word) ?? []), language]);

/** In a text of more words, n-grams say more. */
const mostWords = 6;

/**
 * @param scores from n-grams, from 0 to 1
 * @param expected the only languages in question; `null`: all
 */
export function completedScores(text: string, scores: Scores, expected: ReadonlySet<string> | null): Scores {
  const own = byScript(text) ?? withIndonesian(text, byLetters(text, withCommonWords(text, scores)));
  if (!expected) return own;
  return Object.fromEntries(Object.entries(own).filter(([language]) => expected.has(language)));
}

function byScript(text: string): Scores | null {
  const letters = text.match(/\p{L}/gu) ?? [];
  for (const [language, script] of scripts) {
    const share = letters.filter((letter) => script.test(letter)).length / letters.length;
    // A Japanese sentence has signs of Chinese in it.
    if (share > (language === 'ja' ? 0.1 : 0.8))
      return { [language]: language === 'ja' ? 0.9 : 0.5 + share / 2 };
  }
  return null;
}

function withCommonWords(text: string, scores: Scores): Scores {
  const own = text.toLowerCase().match(/[\p{L}\p{M}'’-]+/gu) ?? [];
  if (own.length > mostWords) return scores;
  const counts = new Map<string, number>();
  for (const word of own)
    for (const language of words.get(word) ?? []) counts.set(language, (counts.get(language) ?? 0) + 1);
  const completed: Record<string, number> = { ...scores };
  for (const [language, count] of counts) {
    const share = count / own.length;
    completed[language] = Math.max(completed[language] ?? 0, 0.6) + 0.2 * share;
  }
  return completed;
}

/** Letters that only some languages in Cyrillic have; where none stands, Russian has the most speakers. */
function byLetters(text: string, scores: Scores): Scores {
  const { ru, uk, bg, sr, ...others } = scores;
  if (ru === undefined || sr === undefined) return scores;
  if (/[ђјљњћџ]/i.test(text)) return { ...others, sr };
  if (/[іїєґ]/i.test(text) && uk !== undefined) return { ...others, uk };
  const own = { ...others, ru, ...(uk !== undefined && { uk: uk - 0.02 }) };
  if (/[ёыэ]/i.test(text)) return own;
  return { ...own, sr: sr - 0.04, ...(bg !== undefined && { bg: bg - 0.02 }) };
}

function withIndonesian(text: string, { ms, ...scores }: Scores): Scores {
  if (ms === undefined) return scores;
  const own = text.toLowerCase().match(/\p{L}+/gu) ?? [];
  const count = (pattern: RegExp) => own.filter((word) => pattern.test(word)).length;
  const more = Math.sign(count(indonesian) - count(malay));
  // Where nothing tells them apart, the one that seven times as many people speak.
  return { ...scores, id: more < 0 ? ms - 0.08 : ms, ms: more < 0 ? ms : ms - (more > 0 ? 0.08 : 0.02) };
}
