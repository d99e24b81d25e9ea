// The rows that are measured. A row has a name, a number of floating-point operations, and a `problem` of one `kind`, which every side
// solves in its own way:
//   linear       { weight [out, into], src [rows, into] }                  -> src weight^T
//   attention    { query, key, value: [heads, time, width] }               -> the weighted values
//   softmax      { scores [rows, width] }                                  -> its rows' softmax
//   transformer  { config, weights, src, tgt?: [batch, time, dModel] }     -> the last stack's output
//   decoding     { config, weights, srcIds, startId, newTokens }           -> the new ids
//   sampling     { the same, sampling: options }                           -> the new ids
//   encoderCallers { config, weights, time, ids [callers * time], startId }: a call each   -> the encoder's output
//   whisper      { config, weights, features, startId, newTokens }         -> the new ids
//   whisperEncoder: the same, without the tokens                           -> the encoder's output
//   batch        { config, weights, sources, startId, newTokens, numBeams, pageTasks: milliseconds each, apart: a call each }
//                                                                          -> the new ids
//   guesses      { config, weights, srcIds, startId, newTokens, sampling: options, assistant?: { config, weights },
//                  expected?: ids }                                        -> the new ids
//   halves       { config, weights, stored: BF16 | F16, srcIds, startId, newTokens, numBeams }   -> the new ids
//   halvesEncoder: the same, without the tokens                            -> the encoder's output

import { attentionRows } from './attention.mjs';
import { batchRows } from './batches.mjs';
import { decodingRows } from './decoding.mjs';
import { gemmRows } from './gemm.mjs';
import { guessRows } from './guesses.mjs';
import { halfRows } from './halves.mjs';
import { transformerRows } from './transformer.mjs';
import { whisperRows } from './whisper.mjs';

export const rows = [
  ...gemmRows,
  ...attentionRows,
  ...transformerRows,
  ...decodingRows,
  ...whisperRows,
  ...batchRows,
  ...halfRows,
  ...guessRows,
];

/** Whether a name contains one of these parts; without parts, every name is selected. */
export const isAsked = (name, parts) => parts.length === 0 || parts.some((part) => name.includes(part));
