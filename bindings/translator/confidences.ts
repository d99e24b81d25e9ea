/** Probabilities of languages, from the scores of a detector that gives none. */

export interface LanguageDetectionResult {
  /** A BCP 47 tag, or `und`: none of those that are known. */
  detectedLanguage: string;
  /** From 0 to 1. */
  confidence: number;
}

type Scores = Readonly<Record<string, number>>;

/**
 * How much a difference of scores says, and the score of what is no language: those with which 165 sentences of 33
 * languages, and ten of none, are likeliest.
 */
const sharpness = 40;
const unknownScore = 0.55;

/** The length of text that is judged at once, in UTF-16 units: texts of several languages have several such pieces. */
const pieceLength = 200;
/** Of long texts, pieces from all over are judged. */
const mostPieces = 64;

/** @param scoresOf knows nothing of some texts, and then gives no scores */
export function confidencesOf(text: string, scoresOf: (text: string) => Scores): Map<string, number> {
  const sums = new Map<string, number>();
  const pieces = piecesOf(text);
  const letters = pieces.map((piece) => piece.match(/\p{L}/gu)?.length ?? 0);
  const whole = letters.reduce((sum, count) => sum + count, 0);
  if (whole === 0) return new Map([['und', 1]]);
  for (const [i, piece] of pieces.entries())
    for (const [language, probability] of probabilities(scoresOf(piece))) {
      const share = (probability * (letters[i] ?? 0)) / whole;
      sums.set(language, (sums.get(language) ?? 0) + share);
    }
  return sums;
}

function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  for (const part of text.split(/(?<=[\n.!?。！？])/)) {
    const last = pieces.at(-1);
    if (last !== undefined && last.length + part.length <= pieceLength)
      pieces[pieces.length - 1] = last + part;
    else for (let at = 0; at < part.length; at += 1000) pieces.push(part.slice(at, at + 1000));
  }
  const step = Math.max(1, pieces.length / mostPieces);
  return Array.from(
    { length: Math.min(pieces.length, mostPieces) },
    (_, i) => pieces[Math.floor(i * step)] ?? '',
  );
}

function probabilities(scores: Scores): [language: string, probability: number][] {
  const all: [string, number][] = [...Object.entries(scores), ['und', unknownScore]];
  const weights = all.map(([, score]) => Math.exp(sharpness * (score - 1)));
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return all.map(([language], i) => [language, (weights[i] ?? 0) / sum]);
}

/**
 * By falling confidence, up to where nearly everything is said; `und` comes last, and what is less certain than it is
 * left out.
 */
export function sortedResults(confidences: ReadonlyMap<string, number>): LanguageDetectionResult[] {
  const unknown = Math.max(confidences.get('und') ?? 0, Number.EPSILON);
  const known = [...confidences].filter(([language, one]) => language !== 'und' && one > 0 && one >= unknown);
  known.sort(([, a], [, b]) => b - a);
  const results: LanguageDetectionResult[] = [];
  let sum = 0;
  for (const [language, confidence] of known) {
    if (sum >= 0.99) break;
    sum += confidence;
    results.push({ detectedLanguage: Intl.getCanonicalLocales(language)[0] ?? language, confidence });
  }
  return [
    ...results,
    { detectedLanguage: 'und', confidence: Math.min(unknown, Math.max(1 - sum, Number.EPSILON)) },
  ];
}
