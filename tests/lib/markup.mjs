// Translations given by hand: tokens with their alignment, as the words that a model's translation has.

/** Ranges of the words of a text. */
function wordsOf(text, from) {
  const segments = new Intl.Segmenter(undefined, { granularity: 'word' }).segment(text);
  return [...segments]
    .filter(({ segment }) => segment.trim() !== '')
    .map(({ index, segment }) => [from + index, from + index + segment.length]);
}

/** Which word each token is in; -1 for white space and the end token. */
function placesOf(tokens, words, from) {
  let at = from;
  return tokens.map((token) => {
    const [begin, end] = [at + token.length - token.trimStart().length, at + token.length];
    at = end;
    return words.findIndex(([first, last]) => first < end && last > begin);
  });
}

/** A sentence with its words, from tokens and the weights between them. */
function sentenceOf({ source, target, weights }, [sourceBegin, targetBegin]) {
  const [sourceText, targetText] = [source.join(''), target.join('')];
  const [sourceWords, targetWords] = [wordsOf(sourceText, sourceBegin), wordsOf(targetText, targetBegin)];
  const [ofSource, ofTarget] = [
    placesOf(source, sourceWords, sourceBegin),
    placesOf(target, targetWords, targetBegin),
  ];
  const data = new Float32Array(targetWords.length * sourceWords.length);
  for (const [row, to] of ofTarget.entries())
    for (const [column, from] of ofSource.entries())
      if (to >= 0 && from >= 0) data[to * sourceWords.length + from] += weights[row]?.[column] ?? 0;
  const links = targetWords.map((_, row) => {
    const own = [...data.subarray(row * sourceWords.length, (row + 1) * sourceWords.length)];
    const most = Math.max(...own);
    return most > 0 ? own.indexOf(most) : null;
  });
  return {
    source: [sourceBegin, sourceBegin + sourceText.length],
    target: [targetBegin, targetBegin + targetText.length],
    alignment: { sourceWords, targetWords, weights: { data }, links },
  };
}

const identity = (source, target) =>
  target.map((_, row) => source.map((_, column) => (row === column ? 1 : 0)));

/** A translate function that answers each text with the next sentences of the case which stand in it. */
export function scripted({ sourceTokens = [], targetTokens = [], targetGaps = [], alignments }) {
  let next = 0;
  return async (texts) =>
    texts.map((text) => {
      const sentences = [];
      let at = 0;
      let written = '';
      while (next < sourceTokens.length) {
        const source = sourceTokens[next];
        const begin = text.indexOf(source.join(''), at);
        if (begin < 0) break;
        const target = targetTokens[next];
        const weights = alignments === 'identity' ? identity(source, target) : (alignments?.[next] ?? []);
        written += sentences.length === 0 ? text.slice(0, begin) : (targetGaps[next] ?? ' ');
        const sentence = sentenceOf({ source, target, weights }, [begin, written.length]);
        if (!alignments) sentence.alignment = undefined;
        sentences.push(sentence);
        written += target.join('');
        [at] = sentence.source.slice(1);
        next++;
      }
      return { text: written + text.slice(at), sentences };
    });
}

/**
 * Word for word: each word is replaced by `translate(word)`, and the order of a sentence reversed if asked. Sentences end at
 * full stops.
 */
export function wordByWord(translate, { isReversed = false } = {}) {
  return async (texts) =>
    texts.map((text) => {
      const sentences = [];
      let written = '';
      let end = 0;
      for (const match of text.matchAll(/\S[^.]*\.?/g)) {
        const own = match[0].trimEnd();
        written += text.slice(end, match.index);
        const words = wordsOf(own, 0);
        const order = words.map((_, i) => (isReversed ? words.length - 1 - i : i));
        const begin = written.length;
        const targetWords = order.map((place, i) => {
          if (i > 0) written += isReversed ? ' ' : own.slice(words[i - 1][1], words[i][0]);
          const from = written.length;
          written += translate(own.slice(...words[place]));
          return [from, written.length];
        });
        const data = new Float32Array(words.length ** 2);
        for (const [row, column] of order.entries()) data[row * words.length + column] = 1;
        const sourceWords = words.map(([from, to]) => [from + match.index, to + match.index]);
        end = match.index + own.length;
        sentences.push({
          source: [match.index, end],
          target: [begin, written.length],
          alignment: { sourceWords, targetWords, weights: { data }, links: order },
        });
      }
      return { text: written + text.slice(end), sentences };
    });
}
