/** Python's formats of a date, as Linux has them; in English, as templates expect. */

const days = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const months = [
  ...['January', 'February', 'March', 'April', 'May', 'June'],
  ...['July', 'August', 'September', 'October', 'November', 'December'],
];
const pad = (value: number, width = 2, fill = '0') => String(value).padStart(width, fill);

const day = 86_400_000;
/** Days since the first of January. */
const yearDay = (date: Date) =>
  (Date.UTC(date.getFullYear(), date.getMonth(), date.getDate()) - Date.UTC(date.getFullYear(), 0, 1)) / day;
const sinceMonday = (date: Date) => (date.getDay() + 6) % 7;

/** The year and week of ISO 8601: those of the week's Thursday. */
function isoWeek(date: Date): readonly [year: number, week: number] {
  const thursday = new Date(date.getFullYear(), date.getMonth(), date.getDate() + 3 - sinceMonday(date));
  return [thursday.getFullYear(), Math.floor(yearDay(thursday) / 7) + 1];
}

const hour12 = (date: Date) => date.getHours() % 12 || 12;

const parts: Readonly<Record<string, (date: Date) => string>> = {
  Y: (date) => String(date.getFullYear()),
  C: (date) => pad(Math.floor(date.getFullYear() / 100)),
  y: (date) => pad(date.getFullYear() % 100),
  m: (date) => pad(date.getMonth() + 1),
  d: (date) => pad(date.getDate()),
  e: (date) => pad(date.getDate(), 2, ' '),
  j: (date) => pad(yearDay(date) + 1, 3),
  H: (date) => pad(date.getHours()),
  k: (date) => pad(date.getHours(), 2, ' '),
  I: (date) => pad(hour12(date)),
  l: (date) => pad(hour12(date), 2, ' '),
  M: (date) => pad(date.getMinutes()),
  S: (date) => pad(date.getSeconds()),
  f: (date) => pad(date.getMilliseconds(), 3).padEnd(6, '0'),
  p: (date) => (date.getHours() < 12 ? 'AM' : 'PM'),
  P: (date) => (date.getHours() < 12 ? 'am' : 'pm'),
  B: (date) => months[date.getMonth()] ?? '',
  b: (date) => (months[date.getMonth()] ?? '').slice(0, 3),
  A: (date) => days[date.getDay()] ?? '',
  a: (date) => (days[date.getDay()] ?? '').slice(0, 3),
  w: (date) => String(date.getDay()),
  u: (date) => String(date.getDay() || 7),
  U: (date) => pad(Math.floor((yearDay(date) + 7 - date.getDay()) / 7)),
  W: (date) => pad(Math.floor((yearDay(date) + 7 - sinceMonday(date)) / 7)),
  V: (date) => pad(isoWeek(date)[1]),
  G: (date) => String(isoWeek(date)[0]),
  g: (date) => pad(isoWeek(date)[0] % 100),
  s: (date) => String(Math.floor(date.getTime() / 1000)),
  // Python's `now()` has no time zone, and so neither an offset nor a name.
  z: () => '',
  Z: () => '',
  n: () => '\n',
  t: () => '\t',
  '%': () => '%',
};

const composed: Readonly<Record<string, string>> = {
  F: '%Y-%m-%d',
  T: '%H:%M:%S',
  X: '%H:%M:%S',
  R: '%H:%M',
  r: '%I:%M:%S %p',
  D: '%m/%d/%y',
  x: '%m/%d/%y',
  c: '%a %b %e %H:%M:%S %Y',
  h: '%b',
};

/** `%-d` is a number without zeros before it; a letter that stands for nothing stays as it is. */
export function strftime(date: Date, format: string): string {
  return format.replace(/%(-?)(.)/gs, (whole, sign: string, letter: string) => {
    const longer = Object.hasOwn(composed, letter) ? composed[letter] : undefined;
    if (longer !== undefined) return strftime(date, longer);
    const part = Object.hasOwn(parts, letter) ? parts[letter]?.(date) : undefined;
    if (part === undefined) return whole;
    return sign === '' ? part : part.replace(/^[0 ]+(?=\d)/, '');
  });
}
