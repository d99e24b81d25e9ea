/**
 * Addition as token ids: `a + b =`, and after it the sum, each number in eleven places with the lowest first. The digits are
 * their own ids.
 */

/** Places of the numbers that are added, and of what is written of each: a sum may have one more. */
export const places = 10;
const width = places + 1;
export const plus = 10;
export const equals = 11;

const powers = Array.from({ length: width }, (_, place) => 10n ** BigInt(place));

/** The digits of a number, the lowest first. */
export const digitsOf = (number) => powers.map((power) => Number((BigInt(number) / power) % 10n));

/** @param a digits, the lowest first @returns token ids, 24 of them */
export const promptOf = (a, b) => [...padded(a), plus, ...padded(b), equals];

const padded = (digits) => Array.from({ length: width }, (_, place) => digits[place] ?? 0);

/** The digits of the sum, 11 of them. */
export function sumOf(a, b) {
  let carry = 0;
  return padded(a).map((digit, place) => {
    const sum = digit + (b[place] ?? 0) + carry;
    carry = sum > 9 ? 1 : 0;
    return sum % 10;
  });
}

/** Integers that follow from the seed, in [0, below): the same on every machine (SplitMix32). */
export function randomIntegers(seed) {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return Math.floor((((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32) * below);
  };
}

const digits = (random, count) =>
  Array.from({ length: places }, (_, place) => (place < count ? random(10) : 0));

/** Two numbers of ten random digits. */
export const randomPair = (random) => [digits(random, places), digits(random, places)];

/** Two numbers to learn from: some of them short, and in some many pairs of digits that hand a carry on, because their sum is 9. */
export function pairToLearn(random) {
  const length = () => (isShort ? 1 + random(places) : places);
  const isShort = random(10) < 3;
  const nines = random(10) < 5 ? random(101) : 0;
  const a = digits(random, length());
  const b = digits(random, length()).map((digit, place) => (random(100) < nines ? 9 - a[place] : digit));
  return [a, b];
}

/** Sequences that learn every digit of the sum: what stands before it is not to be predicted. */
export function batchOf(pairs) {
  const inputs = pairs.map(([a, b]) => [...promptOf(a, b), ...sumOf(a, b).slice(0, -1)]);
  const targets = pairs.map(([a, b]) => [...promptOf(a, b).slice(0, -1).fill(-100), ...sumOf(a, b)]);
  return { inputs, targets };
}

/** Where a carry may go wrong: every pair of digits at every place, with and without one, and chains of every length. */
export function edgePairs() {
  const pairs = [];
  const at = (place, digit) => Array.from({ length: places }, (_, i) => (i === place ? digit : 0));
  for (let place = 0; place < places; place++)
    for (let pair = 0; pair < 100; pair++) {
      const [a, b] = [at(place, Math.floor(pair / 10)), at(place, pair % 10)];
      pairs.push([a, b]);
      if (place > 0) pairs.push([a.with(place - 1, 5), b.with(place - 1, 5)]);
      if (place > 0) pairs.push([a.with(place - 1, 9), b.with(place - 1, 9)]);
    }
  const random = randomIntegers(9);
  for (let from = 0; from < places; from++)
    for (let to = from + 1; to <= places; to++) {
      const within = (inside, outside) =>
        Array.from({ length: places }, (_, i) => (i >= from && i < to ? inside(i) : outside(i)));
      const nines = within(
        () => 9,
        () => 0,
      );
      pairs.push([nines, at(from, 1)], [at(from, 1), nines], [nines, nines]);
      // Pairs of digits that hand a carry on or have none to hand on, between others of any kind.
      for (let time = 0; time < 10; time++) {
        const a = digits(random, places);
        const b = within(
          (i) => 9 - a[i],
          () => random(10),
        );
        pairs.push([a, b]);
        if (from > 0) pairs.push([a.with(from - 1, 9), b.with(from - 1, 1 + random(9))]);
      }
    }
  return pairs;
}
