// Recordings made by formulas, and as files.

/** Pairs of tones, each swelling and fading in 10 ms, over a hum: samples in [-1, 1] at 16000 Hz. */
export function tones({ samples, hum, noise_seed: seed, events }) {
  const sum = Float64Array.from(
    { length: samples },
    (_, i) => 600 * Math.sin((2 * Math.PI * hum * i) / 16000),
  );
  for (const [start, length, f1, f2, amp] of events) {
    for (let k = 0; k < length && start + k < samples; k++) {
      const weight = Math.min(1, k / 160, (length - 1 - k) / 160);
      const wave = (f) => Math.sin((2 * Math.PI * f * k) / 16000);
      sum[start + k] += amp * weight * (wave(f1) + wave(f2));
    }
  }
  let state = seed ?? 0;
  return Float32Array.from(sum, (value) => {
    state = (Math.imul(1664525, state) + 1013904223) >>> 0;
    const noise = seed === null ? 0 : ((state >>> 16) - 32768) >> 9;
    return Math.max(-32768, Math.min(32767, Math.floor(value + 0.5) + noise)) / 32768;
  });
}

/** A WAV file. `write` puts a sample at a place of a DataView. */
export function wav(samples, { format, bits, rate = 16000, channels = 1 }, write) {
  const size = (samples.length * bits) / 8;
  const view = new DataView(new ArrayBuffer(44 + size));
  const text = (at, value) =>
    [...value].forEach((letter, i) => {
      view.setUint8(at + i, letter.charCodeAt(0));
    });
  text(0, 'RIFF');
  view.setUint32(4, 36 + size, true);
  text(8, 'WAVEfmt ');
  view.setUint32(16, 16, true);
  view.setUint16(20, format, true);
  view.setUint16(22, channels, true);
  view.setUint32(24, rate, true);
  view.setUint32(28, (rate * channels * bits) / 8, true);
  view.setUint16(32, (channels * bits) / 8, true);
  view.setUint16(34, bits, true);
  text(36, 'data');
  view.setUint32(40, size, true);
  for (const [i, sample] of samples.entries()) write(view, 44 + (i * bits) / 8, sample);
  return new Uint8Array(view.buffer);
}

/** A WAV file with samples of 16 bits. */
export const wav16 = (samples, rate = 16000) =>
  wav(samples, { format: 1, bits: 16, rate }, (view, at, x) =>
    view.setInt16(at, Math.round(x * 32767), true),
  );

/** CRC of a FLAC header (8 bits) or frame (16 bits). */
function crc(bytes, polynomial, bits) {
  let state = 0;
  const top = 1 << (bits - 1);
  for (const byte of bytes) {
    state ^= byte << (bits - 8);
    for (let i = 0; i < 8; i++)
      state = (state & top ? (state << 1) ^ polynomial : state << 1) & ((1 << bits) - 1);
  }
  return state;
}

/** A FLAC file with one channel of 16 bits at 16000 Hz, uncompressed: at most 127 frames of 4096 samples. */
export function flac(samples) {
  const block = 4096;
  const info = new DataView(new ArrayBuffer(34));
  info.setUint16(0, block);
  info.setUint16(2, block);
  // 20 bits of sample rate, 3 of channels - 1, 5 of bits - 1, 36 of the number of samples.
  info.setUint32(10, (16000 << 12) | (15 << 4));
  info.setUint32(14, samples.length);
  const parts = [0x66, 0x4c, 0x61, 0x43, 0x80, 0, 0, 34, ...new Uint8Array(info.buffer)];
  for (let first = 0, frame = 0; first < samples.length; first += block, frame++) {
    const some = samples.subarray(first, first + block);
    // Sync code; size in 16 bits, 16 kHz; one channel, 16 bits; number of the frame; size - 1.
    const head = [0xff, 0xf8, 0x75, 0x08, frame, (some.length - 1) >> 8, (some.length - 1) & 255];
    const bytes = [...head, crc(head, 0x07, 8), 0x02];
    for (const sample of some) {
      const value = Math.max(-32768, Math.min(32767, Math.round(sample * 32767)));
      bytes.push((value >> 8) & 255, value & 255);
    }
    const check = crc(bytes, 0x8005, 16);
    for (const byte of [...bytes, check >> 8, check & 255]) parts.push(byte);
  }
  return Uint8Array.from(parts);
}
