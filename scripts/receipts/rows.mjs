// The models that have a row in web/docs/real.md, and what each is asked.

const text = (input, maxNewTokens) => ({ task: 'generate', input, ...(maxNewTokens && { maxNewTokens }) });
const [animal, train, hungry] = [
  "The animal didn't cross the street because it was too wide.",
  'The train to Paris leaves at seven.',
  'I am hungry.',
];
const translates = [text(animal), text(hungry)];
/** Without a carry, with some, and with one that runs through all places. */
const sums = ['1234567890 + 1111111111', '8675309421 + 2718281828', '9999999999 + 1'];

/** Our own, in folders of web/public/models. `dtype: 'int8'`: as the page ships them. */
export const ours = [
  { model: 'en-fr', dtype: 'int8', examples: [...translates, text(train)] },
  { model: 'en-fr-float32', examples: translates },
  { model: 'en-fr-bahdanau', examples: translates },
  { model: 'en-fr-luong-dot', examples: translates },
  { model: 'en-fr-luong-general', examples: translates },
  { model: 'en-fr-luong-concat', examples: translates },
  { model: 'en-fr-luong-local', examples: translates },
  { model: 'en-fr-bottleneck', examples: translates },
  { model: 'en-continue', examples: [text('The cat', 12)] },
  { model: 'en-fill', examples: [{ task: 'logits', input: 'The cat [MASK] on the chair.' }] },
  { model: 'adder', examples: sums.map((input) => ({ task: 'add', input })) },
  { model: 'digits', examples: [0, 1, 2].map((input) => ({ task: 'classifyImage', input })) },
];

const tokenizer = ['tokenizer.json', 'tokenizer_config.json'];
const checkpoint = ['config.json', 'model.safetensors', ...tokenizer];
const generates = [...checkpoint, 'generation_config.json'];
const capital = [text('The capital of France is', 16)];
const marian = [
  'config.json',
  'generation_config.json',
  'tokenizer_config.json',
  'vocab.json',
  'source.spm',
  'target.spm',
];
const embeds = [{ task: 'embed', input: 'A cat is a small animal.' }];

/** Of the hub, with the files that are read. Whoever has a network fills their rows. */
export const hub = [
  {
    model: 'sentence-transformers/all-MiniLM-L6-v2',
    files: [...checkpoint, 'modules.json', '1_Pooling/config.json'],
    examples: embeds,
  },
  {
    model: 'BAAI/bge-small-en-v1.5',
    files: [...checkpoint, 'modules.json', '1_Pooling/config.json'],
    examples: embeds,
  },
  { model: 'Helsinki-NLP/opus-mt-en-de', files: [...marian, 'pytorch_model.bin'], examples: translates },
  {
    model: 'google-t5/t5-small',
    files: generates,
    examples: [text(`translate English to German: ${hungry}`)],
  },
  {
    model: 'openai/whisper-tiny',
    files: [...generates, 'preprocessor_config.json'],
    examples: [{ task: 'transcribe', input: '' }],
  },
  { model: 'openai-community/gpt2', files: generates, examples: capital },
  { model: 'HuggingFaceTB/SmolLM2-135M', files: generates, examples: capital },
  { model: 'Qwen/Qwen3-0.6B', files: generates, examples: capital },
];
