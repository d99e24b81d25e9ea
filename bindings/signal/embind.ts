/**
 * What the wasm module has, as Embind emits it from bindings/embind: made by the build, not by hand. A name that changes
 * in C++ is a type error here.
 */

import type { TensorData } from '../values/tensor.js';

export interface EmbindModule {
  LogMel: {
    new (_0: Partial<LogMelConfig>): LogMel;
  };
  Resampler: {
    new (_0: number, _1: number): Resampler;
  };
  clampLogMel(_0: TensorData, _1: number): TensorData;
  pixelValues(_0: RawImage, _1: Partial<PixelPlan>): TensorData;
}

export interface LogMel {
  delete(): void;
  forward(_0: AudioSlice, _1: Frames): TensorData;
}

export interface Resampler {
  delete(): void;
  forward(_0: AudioSlice, _1: number, _2: number): Float32Array;
  length(_0: number): number;
  reach(): number;
}

export type AudioSlice = {
  samples: Float32Array;
  begin: number;
};

export type Frames = {
  first: number;
  count: number;
  length: number;
};

export type ImageSize = {
  rows: number;
  columns: number;
};

export type LogMelConfig = {
  bands: number;
  sampleRate: number;
  window: number;
  hop: number;
};

export type PixelPlan = {
  size: Partial<ImageSize>;
  resample: 'nearest' | 'lanczos' | 'bilinear' | 'bicubic' | 'box' | 'hamming';
  crop: Partial<ImageSize>;
  rescale: number;
  mean: number[];
  deviation: number[];
  gray: boolean;
  floats: boolean;
  patch: number;
};

export type RawImage = {
  data: Uint8Array;
  rows: number;
  columns: number;
  channels: number;
};
