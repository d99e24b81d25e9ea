// All sides must agree: in float32 up to rounding, in int8 and int4 up to the loss of 8 and 4 bits.

const largestShare = 1e-3;
const smallestCosine = { int8: 0.99, int4: 0.9 };
const kindsOfIds = ['decoding', 'whisper', 'batch', 'halves', 'guesses'];

/** The largest difference relative to the largest value. */
function difference(found, expected) {
  let largest = 0;
  let scale = 0;
  for (let i = 0; i < expected.length; i++) {
    largest = Math.max(largest, Math.abs(found[i] - expected[i]));
    scale = Math.max(scale, Math.abs(expected[i]));
  }
  return largest / scale;
}

function cosine(a, b) {
  let [ab, aa, bb] = [0, 0, 0];
  for (let i = 0; i < a.length; i++) {
    ab += a[i] * b[i];
    aa += a[i] * a[i];
    bb += b[i] * b[i];
  }
  return ab / Math.sqrt(aa * bb);
}

/** The number of equal ids before the first difference. */
function sameIds(found, expected) {
  const first = expected.findIndex((id, i) => id !== found[i]);
  return first < 0 ? expected.length : first;
}

/**
 * Compares a side's numbers or ids with the expected ones and returns the agreement: `difference`, `cosine` or `sameIds`. In
 * int8 and int4, ids may differ where two tokens are about equally likely, and the texts diverge from there, so they are only counted.
 */
export function agreement({ kind, dtype }, found, expected) {
  if (found.length !== expected.length)
    throw new Error(`gives ${found.length} numbers in place of ${expected.length}`);
  if (kindsOfIds.includes(kind)) {
    const same = sameIds(Array.from(found), Array.from(expected));
    if (dtype === 'f32' && same < expected.length) throw new Error(`departs at the token ${same}`);
    return { sameIds: same };
  }
  if (dtype === 'f32') {
    const share = difference(found, expected);
    if (!(share < largestShare)) throw new Error(`departs by ${share} of the largest value`);
    return { difference: share };
  }
  const near = cosine(found, expected);
  if (!(near >= smallestCosine[dtype])) throw new Error(`has a cosine of ${near} with float32`);
  return { cosine: near };
}
