/** Text in lines of a canvas. */

/** As many words a line as it holds; of Chinese, and of what has no space, as many letters. */
export function linesOf(
  context: CanvasRenderingContext2D,
  font: string,
  text: string,
  width: number,
): string[] {
  context.font = font;
  const fits = (line: string) => context.measureText(line.trimEnd()).width <= width;
  const lines: string[] = [];
  let line = '';
  const add = (piece: string) => {
    if (line !== '' && !fits(line + piece)) {
      lines.push(line);
      line = '';
    }
    line += piece;
  };
  for (const [piece] of text
    .replace(/[ \n]+/g, ' ')
    .matchAll(/[\u2e80-\u9fff][，。；：？！、）”]*|[^ \u2e80-\u9fff]+ ?| /g)) {
    if (fits(piece)) add(piece);
    else for (const letter of piece) add(letter);
  }
  return line === '' ? lines : [...lines, line];
}
