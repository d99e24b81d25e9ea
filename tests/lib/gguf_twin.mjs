// The blocks of GGUF as ggml's loops walk over them: a naive twin of the package's own, in the order of the bytes.

function half(bytes, at) {
  const bits = bytes[at] | (bytes[at + 1] << 8);
  const [exponent, mantissa] = [(bits >> 10) & 31, (bits & 1023) / 1024];
  const size = exponent === 0 ? mantissa * 2 ** -14 : (1 + mantissa) * 2 ** (exponent - 15);
  return bits & 0x8000 ? -size : size;
}

const signed = (byte) => (byte << 24) >> 24;
const { fround } = Math;

function of32(bytes, { hasMinimum, hasHigh, zero }) {
  const d = half(bytes, 0);
  const m = hasMinimum ? half(bytes, 2) : 0;
  const front = hasMinimum ? 4 : 2;
  const q = front + (hasHigh ? 4 : 0);
  const y = [];
  for (let j = 0; j < 16; j++) {
    const [first, second] = [j, j + 16].map((bit) =>
      hasHigh ? (bytes[front + (bit >> 3)] >> (bit & 7)) & 1 : 0,
    );
    y[j] = fround(fround(((bytes[q + j] % 16) + 16 * first - zero) * d) + m);
    y[j + 16] = fround(fround((Math.floor(bytes[q + j] / 16) + 16 * second - zero) * d) + m);
  }
  return y;
}

function q8(bytes) {
  const d = half(bytes, 0);
  return Array.from({ length: 32 }, (_, j) => fround(d * signed(bytes[2 + j])));
}

function q2k(bytes) {
  const [d, min] = [half(bytes, 80), half(bytes, 82)];
  const y = [];
  let part = 0;
  for (const q of [16, 48]) {
    for (const shift of [0, 2, 4, 6]) {
      for (const begin of [0, 16]) {
        const scale = bytes[part++];
        for (let l = 0; l < 16; l++)
          y.push(
            fround(
              fround(d * (scale % 16) * ((bytes[q + begin + l] >> shift) % 4)) - fround(min * (scale >> 4)),
            ),
          );
      }
    }
  }
  return y;
}

function q3k(bytes) {
  const d = half(bytes, 108);
  const packed = bytes.subarray(96, 108);
  const scales = Array.from({ length: 16 }, (_, i) => {
    const low = i < 8 ? packed[i] % 16 : packed[i - 8] >> 4;
    return low + 16 * ((packed[8 + (i % 4)] >> (2 * Math.floor(i / 4))) % 4) - 32;
  });
  const y = [];
  let mask = 1;
  let part = 0;
  for (const q of [32, 64]) {
    for (const shift of [0, 2, 4, 6]) {
      for (const begin of [0, 16]) {
        const scale = d * scales[part++];
        for (let l = begin; l < begin + 16; l++)
          y.push(fround(scale * (((bytes[q + l] >> shift) % 4) - (bytes[l] & mask ? 0 : 4))));
      }
      mask *= 2;
    }
  }
  return y;
}

function q45k(bytes, hasHigh) {
  const [d, min] = [half(bytes, 0), half(bytes, 2)];
  const s = bytes.subarray(4, 16);
  const pair = (j) =>
    j < 4
      ? [s[j] & 63, s[j + 4] & 63]
      : [(s[j + 4] & 15) | ((s[j - 4] >> 6) << 4), (s[j + 4] >> 4) | ((s[j] >> 6) << 4)];
  const y = [];
  for (let part = 0; part < 8; part += 2) {
    const q = (hasHigh ? 48 : 16) + 16 * part;
    for (const upper of [0, 1]) {
      const [scale, minimum] = pair(part + upper);
      for (let l = 0; l < 32; l++) {
        const high = hasHigh && bytes[16 + l] & (1 << (part + upper)) ? 16 : 0;
        const low = upper ? bytes[q + l] >> 4 : bytes[q + l] % 16;
        y.push(fround(fround(d * scale * (low + high)) - fround(min * minimum)));
      }
    }
  }
  return y;
}

function q6k(bytes) {
  const d = half(bytes, 208);
  const y = new Array(256);
  for (let n = 0; n < 2; n++) {
    const [ql, qh, sc] = [64 * n, 128 + 32 * n, 192 + 8 * n];
    for (let l = 0; l < 32; l++) {
      const high = (k) => ((bytes[qh + l] >> (2 * k)) & 3) << 4;
      const q = [
        (bytes[ql + l] & 15) | high(0),
        (bytes[ql + l + 32] & 15) | high(1),
        (bytes[ql + l] >> 4) | high(2),
        (bytes[ql + l + 32] >> 4) | high(3),
      ];
      for (let k = 0; k < 4; k++)
        y[128 * n + 32 * k + l] = fround(d * signed(bytes[sc + 2 * k + (l >> 4)]) * (q[k] - 32));
    }
  }
  return y;
}

/** The numbers of a block, by the name of its type. */
export const twins = {
  Q4_0: (bytes) => of32(bytes, { zero: 8 }),
  Q4_1: (bytes) => of32(bytes, { zero: 0, hasMinimum: true }),
  Q5_0: (bytes) => of32(bytes, { zero: 16, hasHigh: true }),
  Q5_1: (bytes) => of32(bytes, { zero: 0, hasMinimum: true, hasHigh: true }),
  Q8_0: q8,
  Q2_K: q2k,
  Q3_K: q3k,
  Q4_K: (bytes) => q45k(bytes, false),
  Q5_K: (bytes) => q45k(bytes, true),
  Q6_K: q6k,
};

/** Where a block's numbers of float16 are, which must be finite. */
export const halvesAt = {
  Q4_0: [0],
  Q4_1: [0, 2],
  Q5_0: [0],
  Q5_1: [0, 2],
  Q8_0: [0],
  Q2_K: [80, 82],
  Q3_K: [108],
  Q4_K: [0, 2],
  Q5_K: [0, 2],
  Q6_K: [208],
};
