/** Numbers as Python writes and reads them: rounded to the even neighbour where two are equally near. */

/** More digits than JavaScript gives are zeros, or beyond what a double tells apart. */
const mostDigits = 100;

function checked(digits: number): number {
  if (digits <= mostDigits) return digits;
  throw new Error(`more than ${mostDigits} digits are not supported`);
}

const isTie = (rest: string) => /^50*$/.test(rest);
const isOdd = (digit: string | undefined) => digit !== undefined && '13579'.includes(digit);

/** `%.{digits}f`. */
export function fixed(value: number, digits: number): string {
  const size = Math.abs(value);
  const sign = value < 0 || Object.is(value, -0) ? '-' : '';
  if (size >= 1e21) return `${sign}${BigInt(size)}${digits > 0 ? `.${'0'.repeat(checked(digits))}` : ''}`;
  const rounded = size.toFixed(checked(digits));
  const exact = size.toFixed(mostDigits);
  const point = exact.indexOf('.');
  // JavaScript rounds a half up.
  const isUp = isTie(exact.slice(point + 1 + digits)) && isOdd(rounded.at(-1));
  return sign + (isUp ? exact.slice(0, point + (digits > 0 ? digits + 1 : 0)) : rounded);
}

/** `%.{digits}e`. */
export function exponential(value: number, digits: number): string {
  const rounded = value.toExponential(checked(digits));
  const exact = value.toExponential(mostDigits);
  const [mantissa = '', exponent = ''] = rounded.split('e');
  const whole = exact.replace(/e.*/, '');
  const begin = whole.indexOf('.') + 1 + digits;
  const isUp = isTie(whole.slice(begin)) && isOdd(mantissa.at(-1));
  const shown = isUp ? whole.slice(0, digits > 0 ? begin : begin - 1) : mantissa;
  return `${shown}e${exponent.replace(/^([+-])(\d)$/, '$10$2')}`;
}

interface GeneralStyle {
  readonly precision: number;
  /** Whether zeros at the end stay. */
  readonly keepsZeros: boolean;
  /** Whether a number without an exponent shows that it is a fraction. */
  readonly isFraction: boolean;
}

/** `%.{precision}g`: the shorter of the two forms. */
export function general(value: number, { precision, keepsZeros, isFraction }: GeneralStyle): string {
  const digits = Math.max(1, precision);
  const scientific = exponential(value, digits - 1);
  const exponent = Number(scientific.slice(scientific.indexOf('e') + 1));
  const isShort = exponent >= -4 && exponent < digits - (isFraction ? 1 : 0);
  const written = isShort ? fixed(value, digits - 1 - exponent) : scientific;
  const trimmed = keepsZeros
    ? written
    : written.replace(/\.?0+(?=e|$)/, (zeros) => (written.includes('.') ? '' : zeros));
  return isFraction && isShort && !trimmed.includes('.') ? `${trimmed}.0` : trimmed;
}

/** Python's `round`. */
export function rounded(value: number, digits: number): number {
  if (digits >= 0)
    return digits > mostDigits || !Number.isFinite(value) ? value : Number(fixed(value, digits));
  const unit = 10 ** -digits;
  const down = Math.floor(value / unit);
  const rest = value - down * unit;
  const isUp = rest * 2 > unit || (rest * 2 === unit && down % 2 !== 0);
  const size = (isUp ? down + 1 : down) * unit;
  return size === 0 && value < 0 ? -0 : size;
}

const digit = /\p{Nd}/gu;

/** Digits of any script as those of ASCII, which each begins a block of ten. */
function asciiDigits(text: string): string {
  return text.replace(digit, (letter) => {
    const code = letter.codePointAt(0) ?? 0;
    if (code < 0x80) return letter;
    let zero = code;
    while (zero > code - 9 && /\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero--;
    return String((code - zero) % 10);
  });
}

/** Python's `int(text, base)`. @returns null for what is no whole number */
export function readInteger(text: string, base: number): number | null {
  const written = asciiDigits(text).toLowerCase();
  const [, sign = '', prefix = '', rest = ''] = /^([+-]?)(0[xob])?(.*)$/s.exec(written) ?? [];
  const named = { '0x': 16, '0o': 8, '0b': 2 }[prefix];
  const usesPrefix = named !== undefined && (base === 0 || base === named);
  const radix = base === 0 ? (named ?? 10) : base;
  const digits = usesPrefix ? rest.replace(/^_/, '') : prefix + rest;
  if (!/^[\da-z]+(_[\da-z]+)*$/.test(digits) || radix < 2 || radix > 36) return null;
  if (base === 0 && !usesPrefix && /^0[\d_]*[1-9]/.test(digits)) return null;
  const plain = digits.replaceAll('_', '');
  for (const letter of plain) if (Number.parseInt(letter, 36) >= radix) return null;
  const value = Number.parseInt(plain, radix);
  return sign === '-' ? -value : value;
}

/** Python's `float(text)`. @returns null for what is no number */
export function readFloat(text: string): number | null {
  const written = asciiDigits(text).toLowerCase();
  const [, sign = '', name] = /^([+-]?)(inf|infinity|nan)$/.exec(written) ?? [];
  if (name !== undefined) return name === 'nan' ? Number.NaN : sign === '-' ? -Infinity : Infinity;
  const digits = String.raw`\d+(?:_\d+)*`;
  const number = new RegExp(`^[+-]?(?:${digits}\\.?(?:${digits})?|\\.${digits})(?:e[+-]?${digits})?$`);
  return number.test(written) ? Number(written.replaceAll('_', '')) : null;
}
