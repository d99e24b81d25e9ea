// What is measured. A row has a name, a number of floating-point operations, and a `problem` of one `kind`, which every side
// solves in its own way:
//   linear       { weight [out, into], src [rows, into] }                  -> src weight^T
//   attention    { query, key, value: [heads, time, width] }               -> the weighted values
//   transformer  { config, weights, src, tgt?: [batch, time, dModel] }     -> the last stack's output
//   decoding     { config, weights, srcIds, startId, newTokens }           -> the new ids
//   batch        { config, weights, sources, startId, newTokens, numBeams, pageTasks: milliseconds each }   -> the new ids

import { attentionRows } from './attention.mjs';
import { batchRows } from './batches.mjs';
import { decodingRows } from './decoding.mjs';
import { gemmRows } from './gemm.mjs';
import { transformerRows } from './transformer.mjs';

export const rows = [...gemmRows, ...attentionRows, ...transformerRows, ...decodingRows, ...batchRows];

/** Whether a name contains one of these parts; without parts, every name is selected. */
export const isAsked = (name, parts) => parts.length === 0 || parts.some((part) => name.includes(part));
