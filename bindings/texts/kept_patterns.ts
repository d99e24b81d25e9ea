/** What is not language wherever it stands: addresses, code, placeholders, and the like. */

/** Not a part of a longer word. */
const alone = String.raw`(?<![\p{L}\p{N}_])`;
const ended = String.raw`(?![\p{L}\p{N}_])`;

/** The ends of addresses and names of files that are recognised without anything else. */
const endings =
  'com|org|net|edu|gov|io|dev|app|info|eu|uk|de|fr|ch|jp|cn|ru|js|mjs|cjs|ts|tsx|jsx|json|jsonl|md|txt|html?|css|scss|ya?ml|toml|xml|svg|png|jpe?g|gif|webp|pdf|zip|tar|gz|tgz|csv|tsv|py|rb|rs|go|java|kt|swift|cpp|cc|hpp|sh|bat|ps1|exe|dll|ini|cfg|conf|lock|log|sql|docx?|xlsx?|pptx?|odt|epub|mp3|mp4|wav|ogg|wasm|gguf|safetensors|onnx|bin|srt|vtt|po|arb';

/** Braces in braces, as deep as ICU messages have them: `{n, plural, one {# book} other {# books}}`. */
const braced = [1, 2, 3, 4].reduce(
  (inner) => String.raw`\{(?:[^{}\n]${inner ? `|${inner}` : ''}){1,400}?\}`,
  '',
);

/** By name; `:-:` and `:---:` align the columns of a table. */
const emoji = String.raw`(?<![\p{L}\p{N}:]):(?:[+-]1|100|1234|[a-z][\w+-]{0,40}):(?![\p{L}\p{N}])`;

/** i18next, ICU, Python, C, Objective-C, Ruby, vue-i18n, browser extensions. */
const placeholders: readonly string[] = [
  String.raw`\{\{[^{}\n]{0,400}\}\}\}?|\{%[^\n]{0,400}?%\}|<%[^\n]{0,400}?%>`,
  `[$%#]${braced}|${braced}`,
  String.raw`\$t\([^()\n]{1,200}\)|(?<!\d)%\(\w{1,60}\)[-+ #0]*\d*(?:\.\d+)?[a-zA-Z]`,
  String.raw`(?<![\p{L}\p{N}%])%(?:\d{1,2}\$)?[-+#0,]*\d*(?:\.\d+)?(?:[hlqjzt]{0,2}[dioux]|[sScCfFeEgGaAxXp@])${ended}|%%`,
  String.raw`(?<![\p{L}\p{N}_$])\$[A-Za-z_]\w{0,60}\$(?![\p{L}\p{N}$])|@(?:\.\w{1,20})?:[A-Za-z_][\w.]{0,200}(?<!\.)`,
];
const tags = String.raw`<\/?[a-zA-Z][^<>\n]{0,400}>|<!--[^\n]{0,400}?-->|&(?:[a-zA-Z]{2,10}|#\d{1,7}|#x[\da-fA-F]{1,6});`;

/** In the order in which they are tried at one place. */
const patterns: readonly string[] = [
  // Code: between backticks, as many at its end as at its beginning.
  '(?<!`)(`{1,3})(?!`)[^\\n]{1,400}?(?<!`)\\1(?!`)',
  // Addresses.
  String.raw`${alone}(?:[a-zA-Z][a-zA-Z\d+.-]{1,20}:\/\/|www\.|mailto:)[^\s<>"“”«»「」\u3000-\u303f\uff00-\uffef]+`,
  String.raw`(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}._%+-]{1,64}@[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63})+`,
  ...placeholders,
  emoji,
  // Mathematics.
  String.raw`\$\$[^$]{1,400}\$\$|\\\([^\n]{1,400}?\\\)|\\\[[^\n]{1,400}?\\\]`,
  String.raw`(?<![\p{L}\p{N}$])\$(?![\s\d])(?:[A-Za-z]|[^$\n]{0,200}[\\^_={}][^$\n]{0,200})(?<!\s)\$(?![\p{L}\p{N}$])`,
  String.raw`\\[a-zA-Z]{2,20}(?:\{[^{}\n]{0,100}\}){1,3}`,
  tags,
  // Paths and names of files.
  String.raw`${alone}[A-Za-z]:\\[^\s"<>|?*]+|\\\\[\w.-]+\\[^\s"<>|?*]+`,
  String.raw`(?<![\p{L}\p{N}_./~-])(?:~|\.{1,2})?(?:\/[\p{L}\p{N}_.@+-]{1,255}){2,}\/?|(?<![\p{L}\p{N}_./~-])(?:~|\.{1,2})\/[\p{L}\p{N}_@+-][\p{L}\p{N}_.@+-]{0,254}\/?`,
  String.raw`(?<![\p{L}\p{N}_./@-])@?(?:[\w.-]{1,100}\/){0,20}[A-Za-z\d_-][\w-]{0,99}(?:\.[\w-]{1,60}){0,4}\.(?:${endings})${ended}(?:\/[\w./#?=&%+-]*)?(?!@)`,
  // Handles, tags, flags and names of programs.
  String.raw`(?<![\p{L}\p{N}_.@/])@[\p{L}\p{N}_][\p{L}\p{N}_.-]{0,60}(?:\/[\w.-]{1,100})?`,
  String.raw`(?<![\p{L}\p{N}_&#/])#(?=[\p{L}\p{N}_]{0,60}\p{L})[\p{L}\p{N}_]{1,60}`,
  String.raw`(?<![\p{L}\p{N}_-])--[a-z][\w-]{1,60}(?:=[^\s,;]{1,100})?`,
  String.raw`(?<![\p{L}\p{N}_.])\$[A-Za-z_]\w{1,60}`,
  String.raw`${alone}[A-Za-z_$][\w$]{0,60}(?:\.[A-Za-z_$][\w$]{0,60}){0,8}\(\)`,
  String.raw`${alone}(?=\w{0,80}[A-Za-z])(?:_{0,2}[A-Za-z\d]{1,40}(?:_{1,2}[A-Za-z\d]{1,40}){1,8}_{0,2}|__[A-Za-z\d]{1,40}__)${ended}`,
  // Identifiers, hashes and versions.
  String.raw`${alone}[\da-fA-F]{8}(?:-[\da-fA-F]{4}){3}-[\da-fA-F]{12}${ended}`,
  String.raw`${alone}(?:sha\d{1,3}[-:])[A-Za-z\d+/=]{16,128}`,
  String.raw`${alone}(?=[\da-f]{0,63}\d)(?=[\da-f]{0,63}[a-f])[\da-f]{7,128}${ended}`,
  String.raw`(?<![\p{L}\p{N}_.])v\d{1,6}(?:\.\d{1,6}){1,3}(?:[-+][\w.]{1,40}(?<!\.))?${ended}`,
  String.raw`(?<![\p{L}\p{N}_.,])\d{1,6}(?:\.\d{1,3}){2,3}(?:-[\w.]{1,40}(?<!\.))?(?![\p{L}\p{N}_]|\.\d)`,
  // Pictures among letters, and numbers of notes.
  String.raw`(?:\p{Extended_Pictographic}(?:\uFE0F|\u200D\p{Extended_Pictographic}|\p{Emoji_Modifier})*|\p{Regional_Indicator}{2})+`,
  String.raw`\[\d{1,3}\]|[\u00b9\u00b2\u00b3\u2070\u2074-\u2079]+`,
];

const pattern = new RegExp(patterns.join('|'), 'gu');

/** Of Laravel, and the variables of `.stringsdict`; in other texts a colon stands before words, too. */
const inFiles = String.raw`(?<![\p{L}\p{N}:]):[a-z_]\w{0,60}(?![\w:])|%(?:\d{1,2}\$)?#@\w{1,60}@`;
/** What stays of a value of a localisation file, with tags, which its text is read around. */
export const inValues = new RegExp([inFiles, ...placeholders, tags].join('|'), 'gu');

/**
 * Of PHP, Jinja, Liquid, Vue, ERB and the like. Each ends before another of its kind begins, so that time is linear.
 */
const templates: readonly RegExp[] = [
  /\{\{[%<](?:(?!\{\{|\}\})[\s\S])*\}\}/g,
  /\{%-?\s*(raw|verbatim|highlight|comment)\b(?:(?!\{%-?\s*(?:end)?\1\b)[\s\S])*\{%-?\s*end\1\s*-?%\}/g,
  /\{%(?:(?!\{%|%\})[\s\S])*%\}/g,
  /\{\{(?:(?!\{\{|\}\})[^`])*\}\}\}?/g,
  /<\?(?:php|=)(?:(?!<\?|\?>)[\s\S])*(?:\?>|$(?![\s\S]))/g,
  /<%(?:(?!<%|%>)[\s\S])*%>/g,
];
const environments =
  'align|aligned|alignat|array|bmatrix|cases|eqnarray|equation|gather|gathered|matrix|multline|pmatrix|split|vmatrix';
/** What sites add to Markdown: attributes, directives, formulas, links of wikis, notes, abbreviations. */
const ofSites: readonly RegExp[] = [
  /^\*\[[^[\]\n]+\]:/gm,
  /(?<![\w:]):{1,2}[a-zA-Z][\w-]*(?=\[[^[\]\n]*\]\{|\{[^{}\n]*\})/g,
  /\{[:#.][^{}\n]*\}|(?<=[\])`*_])\{[^{}\n`]*=[^{}\n`]*\}/g,
  new RegExp(String.raw`\\begin\{((?:${environments})\*?)\}(?:(?!\\begin\{\1\})[\s\S])*?\\end\{\1\}`, 'g'),
  /(?<!\\)\\\((?:[A-Za-z]|(?=[^()\n]*[\\^_={}+])(?:[^\\\n]|\\[^()\n])*)\\\)/g,
  /(?<!\\)\\\[(?=(?:[^[\]\\]|\\[^[\]])*[\^_={}])(?:[^[\]\\]|\\[^[\]])*\\\]/g,
  /(?<!\\)\$\$[^$\n]+\$\$/g,
  /(?<![\\$\w])\$(?=[^\s$])[^$\n`]*(?<=[^\s$\\])\$(?![$\w])/g,
  /\[\[[^[\]\n]*\]\]/g,
  /\[\^[^\]\s[]+\](?!:)/g,
  new RegExp(emoji, 'gu'),
];
/** Of MDX: modules, and expressions up to two braces deep. */
const ofMdx: readonly RegExp[] = [
  /^(?:import|export)\s(?:.*\S.*(?:\n|$))+/gm,
  /\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}/g,
];

/** What the parser of a document must not read, over several lines, too. */
export const inDocuments = {
  html: templates,
  markdown: [...templates, ...ofSites],
  mdx: [...templates, ...ofSites, ...ofMdx],
};

/** Every text with a span has one of these. */
const signs =
  /[@/\\`{}%$<&:#_[\]]|\.\p{L}|\d\.\d|\d[a-f]|[a-f]\d|--|\p{Extended_Pictographic}|[\u00b9\u00b2\u00b3\u2070-\u2079]|\p{Regional_Indicator}/u;

/** Whether nothing in a text can be one of these for certain. */
export const isOnlyLanguage = (text: string): boolean => !signs.test(text);

/** The marks at the end of an address that belong to the sentence around it. */
function withoutMarks(match: string): string {
  let end = match.length;
  for (;;) {
    const last = match.charAt(end - 1);
    const opening = ({ ')': '(', ']': '[', '}': '{' } as Record<string, string>)[last];
    const own = match.slice(0, end);
    const isUnpaired = opening !== undefined && own.split(last).length > own.split(opening).length;
    if (!/[.,;:!?'’*_~]/.test(last) && !isUnpaired) return own;
    end--;
  }
}

/** Whether a match begins like an address or a path, whose end has to be looked for. */
const isAddress = /^(?:[a-zA-Z][\w+.-]*:\/\/|www\.|mailto:|[A-Za-z]:\\|\\\\|[~.]{0,2}\/|@|--)/;

/** A number with two marks in it is a version, unless it is a date. */
const isDate = /^(?:\d{1,2}\.\d{1,2}\.\d{4}|\d{4}\.\d{1,2}\.\d{1,2})$/;

/** The ranges of what is not language, in order and disjoint, in time proportional to the text's length. */
export function knownSpans(text: string): [begin: number, end: number][] {
  if (isOnlyLanguage(text)) return [];
  const spans: [number, number][] = [];
  for (const { 0: match, index } of text.matchAll(pattern)) {
    const own = isAddress.test(match) ? withoutMarks(match) : match;
    if (own.length > 0 && !isDate.test(own)) spans.push([index, index + own.length]);
  }
  return spans;
}
