// Types that follow from a task's name and from options; compiled with the guides' blocks.

import type { Tensor } from 'transformer-wasm';
import { pipeline } from 'transformer-wasm/pipeline';

const classify = await pipeline('text-classification', 'owner/name');
export const [{ label, score }]: [{ label: string; score: number }] = await classify('text');
export const lists: { label: string }[][] = await classify(['text'], { top_k: 2 });
// @ts-expect-error: the task is misspelt
await pipeline('text-clasification', 'owner/name');
// @ts-expect-error: the option is misspelt
await classify('text', { top_kk: 2 });
// @ts-expect-error: a text needs candidate labels
await (await pipeline('zero-shot-classification', 'owner/name'))('text');

const rank = await pipeline('text-ranking', 'owner/name');
export const [best]: { corpus_id: number; score: number }[] = await rank('query', ['text'], { top_k: 1 });
export const [whole]: { text: string }[] = await rank('query', ['text'], { return_documents: true });

const translate = await pipeline('translation_en_to_fr', 'owner/name');
export const [{ translation_text }] = await translate('text', { max_new_tokens: 4, numBeams: 2 });
await translate[Symbol.asyncDispose]();

export const { weights }: { weights: Tensor } = await engine.scaledDotProductAttention([[1]], [[1]], [[1]], {
  needWeights: true,
});
// @ts-expect-error: there may be none
export const absent: Tensor = (await engine.scaledDotProductAttention([[1]], [[1]], [[1]])).weights;
export const cross: Tensor[] = (await model.translate('text', { outputAttentions: true, split: false }))
  .crossAttentions;
