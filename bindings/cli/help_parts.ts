/** The paragraphs that the help of several commands shares. */

export const loading = `
  --revision NAME       branch, tag or commit of a model on a hub; default: main
  --threads N|auto      threads to compute with; default: auto
  --simd auto|relaxed|simd128
                        instructions to compute with; default: the fastest that this machine has
  --dtype auto|f32|int8|int4
                        how to store matrices: int8 takes a quarter of the memory, is faster and less exact; int4, for
                        large models, takes little more than an eighth and is clearly less exact; default: auto, as the
                        model's files do, in 32, 16, 8 or 4 bits
  --json                print results as JSON`;

export const searching = `
  --beams N             beam search with N beams; default: as the model's files specify
  --max-new-tokens N    maximum length of the answer, in tokens`;

export const running = `
  --model DIR           folder or URL of a model, or its id on a hub (owner/name); default: the English-French model of
                        this package${searching}
  --from, --to LANGUAGE
                        source and target language of a multilingual model, in its own codes: eng_Latn, en_XX, en${loading}`;

export const model = `
  --model DIR           folder or URL of a model, or its id on a hub (owner/name); required`;

export const sampling = `
  --sample              samples; so do the following options
  --temperature X       below 1: more certain; above 1: more varied
  --top-k N, --top-p X  samples only from the N most probable tokens, or from those that together have the probability X
  --seed N              the same seed gives the same text`;

export const filtering = `
  --jsonl               lines of input are JSON objects; the other fields of an object are kept in its result
  --first-line N        number of the first line of input, where it is a part of a whole; default: 1`;

export const asFilter = `With -, reads lines from standard input and writes a line for each, in the same order; empty lines stay empty, or
with --json become { line, empty: true }. A line that fails gives an empty line and a message on standard error, or with
--json the record { line, error: { code, message } }, and the rest goes on. Exit code: 1 where some lines failed, 2 where
all did. Memory does not grow with the input.`;
