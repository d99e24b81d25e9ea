// Well-known checkpoints by task: what the guide "Which model can I use" lists. A shape is `{ config, tensors }`, from
// which sizes are computed and random weights are made to measure with.

import { gpt2, llamaLike } from './shapes/decoders.mjs';
import { bert, clip, distilbert, modernbert, vit } from './shapes/encoders.mjs';
import { bart, m2m100, marian, moonshine, t5, whisper } from './shapes/pairs.mjs';

const miniLm = { d: 384, ffn: 1536, layers: 6, heads: 12, vocab: 30522 };
const bertBase = { d: 768, ffn: 3072, layers: 12, heads: 12 };
const bartLarge = { d: 1024, ffn: 4096, layers: 12, heads: 16 };
const apache = 'Apache-2.0';

export const qwen3Size = {
  ...{ d: 1024, ffn: 3072, layers: 28, vocab: 151936 },
  ...{ heads: 16, keys: 8, dHead: 128 },
};

/** `input`: what a pass reads; of texts 64 tokens. */
export const knownModels = [
  {
    task: 'translation, a pair of languages',
    id: 'Helsinki-NLP/opus-mt-en-de',
    shape: () => marian({ d: 512, ffn: 2048, layers: 6, heads: 8, vocab: 58101 }),
    licence: 'CC BY 4.0, some Apache-2.0',
  },
  {
    task: 'translation, 100 languages',
    id: 'facebook/m2m100_418M',
    shape: () => m2m100({ ...bartLarge, vocab: 128112 }),
    licence: 'MIT',
  },
  {
    task: 'translation, 200 languages',
    id: 'facebook/nllb-200-distilled-600M',
    shape: () => m2m100({ ...bartLarge, vocab: 256206 }),
    licence: 'CC BY-NC 4.0: non-commercial',
  },
  {
    task: 'summaries',
    id: 'google-t5/t5-small',
    shape: () => t5({ d: 512, ffn: 2048, layers: 6, heads: 8, dHead: 64, vocab: 32128 }),
    licence: apache,
  },
  {
    task: 'instructions',
    id: 'google/flan-t5-small',
    shape: () => t5({ d: 512, ffn: 1024, layers: 8, heads: 6, dHead: 64, vocab: 32128, gated: true }),
    licence: apache,
  },
  {
    task: 'embeddings, search by meaning',
    id: 'sentence-transformers/all-MiniLM-L6-v2',
    shape: () => bert(miniLm),
    licence: apache,
  },
  {
    task: 'embeddings, 100 languages',
    id: 'intfloat/multilingual-e5-small',
    shape: () => bert({ ...miniLm, layers: 12, vocab: 250037 }),
    licence: 'MIT',
  },
  {
    task: 'embeddings, English',
    id: 'BAAI/bge-base-en-v1.5',
    shape: () => bert({ ...bertBase, vocab: 30522 }),
    licence: 'MIT',
  },
  {
    task: 'ranking of search results',
    id: 'cross-encoder/ms-marco-MiniLM-L6-v2',
    shape: () => bert(miniLm),
    licence: apache,
  },
  {
    task: 'sentiment',
    id: 'distilbert/distilbert-base-uncased-finetuned-sst-2-english',
    shape: () => distilbert({ ...bertBase, layers: 6, vocab: 30522 }),
    licence: apache,
  },
  {
    task: 'labels of your own (zero-shot)',
    id: 'facebook/bart-large-mnli',
    shape: () => bart({ ...bartLarge, vocab: 50265 }),
    licence: 'MIT',
  },
  {
    task: 'names in a text',
    id: 'dslim/bert-base-NER',
    shape: () => bert({ ...bertBase, vocab: 28996 }),
    licence: 'MIT',
  },
  {
    task: 'answers in a text',
    id: 'deepset/roberta-base-squad2',
    shape: () => bert({ ...bertBase, vocab: 50265, positions: 514, types: 1 }, 'roberta'),
    licence: 'CC BY 4.0',
  },
  {
    task: 'a base for classifiers of your own, texts of 8,192 tokens',
    id: 'answerdotai/ModernBERT-base',
    shape: () => modernbert({ ...bertBase, ffn: 1152, layers: 22, vocab: 50368 }),
    licence: apache,
  },
  {
    task: 'continuing a text',
    id: 'openai-community/gpt2',
    shape: () => gpt2({ d: 768, layers: 12, heads: 12, vocab: 50257, positions: 1024 }),
    licence: 'MIT',
  },
  {
    task: 'chat, smallest',
    id: 'HuggingFaceTB/SmolLM2-135M-Instruct',
    shape: () => llamaLike('llama', { d: 576, ffn: 1536, layers: 30, heads: 9, keys: 3, vocab: 49152 }),
    licence: apache,
  },
  {
    task: 'chat, small',
    id: 'HuggingFaceTB/SmolLM2-360M-Instruct',
    shape: () => llamaLike('llama', { d: 960, ffn: 2560, layers: 32, heads: 15, keys: 5, vocab: 49152 }),
    licence: apache,
  },
  {
    task: 'chat, to be trained further',
    id: 'google/gemma-3-270m-it',
    shape: () =>
      llamaLike(
        'gemma3_text',
        { d: 640, ffn: 2048, layers: 18, heads: 4, keys: 1, dHead: 256, vocab: 262144 },
        { hidden_activation: 'gelu_pytorch_tanh', sliding_window: 512, query_pre_attn_scalar: 256 },
      ),
    licence: 'Gemma: terms of use',
  },
  {
    task: 'chat',
    id: 'Qwen/Qwen2.5-0.5B-Instruct',
    shape: () => llamaLike('qwen2', { d: 896, ffn: 4864, layers: 24, heads: 14, keys: 2, vocab: 151936 }),
    licence: apache,
  },
  {
    task: 'chat',
    id: 'Qwen/Qwen3-0.6B',
    shape: () => llamaLike('qwen3', qwen3Size, { rope_theta: 1e6 }),
    licence: apache,
  },
  {
    task: 'speech to text',
    id: 'openai/whisper-tiny',
    shape: () => whisper({ d: 384, ffn: 1536, layers: 4, heads: 6, vocab: 51865 }),
    input: 'sound',
    licence: apache,
  },
  {
    task: 'speech to text',
    id: 'openai/whisper-base',
    shape: () => whisper({ d: 512, ffn: 2048, layers: 6, heads: 8, vocab: 51865 }),
    input: 'sound',
    licence: apache,
  },
  {
    task: 'speech to text, short recordings in English',
    id: 'UsefulSensors/moonshine-tiny',
    shape: () => moonshine({ d: 288, ffn: 1152, layers: 6, heads: 8, vocab: 32768 }),
    input: 'sound',
    licence: 'MIT',
  },
  {
    task: 'pictures by words',
    id: 'openai/clip-vit-base-patch32',
    shape: () =>
      clip({
        text: { d: 512, ffn: 2048, layers: 12, heads: 8, vocab: 49408, positions: 77 },
        vision: { ...bertBase, patch: 32, image: 224 },
        projection: 512,
      }),
    input: 'picture',
    licence: 'MIT',
  },
  {
    task: 'features of pictures',
    id: 'facebook/dinov2-small',
    shape: () => vit({ d: 384, ffn: 1536, layers: 12, heads: 6, patch: 14, image: 518 }, 'dinov2'),
    input: 'picture',
    licence: apache,
  },
  {
    task: 'what is in a picture',
    id: 'google/vit-base-patch16-224',
    shape: () => vit({ ...bertBase, patch: 16, image: 224 }),
    input: 'picture',
    licence: apache,
  },
];
