/** Subtitles as files: SubRip (SRT) and WebVTT. */

interface Line {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** `01:02:03,456` */
function clock(seconds: number, point: string): string {
  const milliseconds = Math.max(0, Math.round(seconds * 1000));
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0');
  const [hours, minutes] = [milliseconds / 3_600_000, (milliseconds / 60_000) % 60];
  const rest = String(milliseconds % 1000).padStart(3, '0');
  return `${two(hours)}:${two(minutes)}:${two((milliseconds / 1000) % 60)}${point}${rest}`;
}

const shown = (lines: readonly Line[]) =>
  lines.map(({ start, end, text }) => ({ start, end, text: text.trim() })).filter(({ text }) => text !== '');

export const toSrt = (lines: readonly Line[]): string =>
  shown(lines)
    .map(({ start, end, text }, i) => `${i + 1}\n${clock(start, ',')} --> ${clock(end, ',')}\n${text}\n`)
    .join('\n');

export function toVtt(lines: readonly Line[]): string {
  // What could be read as the mark between times, or as a tag.
  const plain = (text: string) =>
    text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const cues = shown(lines).map(
    ({ start, end, text }) => `${clock(start, '.')} --> ${clock(end, '.')}\n${plain(text)}\n`,
  );
  return ['WEBVTT\n', ...cues].join('\n');
}
