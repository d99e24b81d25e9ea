/** The `--help` texts. */

import type { Command } from './arguments.js';
import { asFilter, filtering, loading, model, running, sampling, searching } from './help_parts.js';

const texts: Readonly<Record<Command, string>> = {
  help: `Usage: transformer-wasm COMMAND [OPTIONS]

  translate [TEXT | -]  translates a text, files, or each line of standard input
  generate [TEXT | -]   continues a text, or answers it
  chat [TEXT | -]       holds a conversation
  transcribe FILE...    writes down what is said in recordings
  embed [TEXT | -]      turns texts into vectors
  classify [TEXT | -]   says which labels a text has
  attend TEXT           shows the attention weights of a model while it translates a text
  inspect DIR           describes the model in a folder
  check DIR FILE        compares a model's results with expected ones
  bench                 measures where a model spends its time, and how close it comes to the machine's limits
  quantize DIR OUT      writes a copy of a model with matrices in 8 or 4 bits: a quarter of the size or less

  --help                after a command: shows its options
  --version             shows the version of this package

Examples:
  transformer-wasm translate "The cat sat on the mat."
  transformer-wasm attend "The cat sat on the mat." --svg attention.svg
`,
  translate: `Usage: transformer-wasm translate [TEXT... | FILE... | -] [OPTIONS]

Translates TEXT. Words that the model does not know are reported on standard error.

Translates FILE if an argument is the name of one: plain text (.txt), Markdown (.md), HTML (.html) and subtitles (.srt, .vtt).
Code, targets of links, front matter and times stay as they are. Writes to standard output, or with --to-dir into a folder,
where a translation that is there and complete is not made again, and a run that was interrupted goes on. With --json, an
object for each file has the ranges of its parts in both texts, and what was not translated. Exit code 1: a file, or a
sentence of one, was not translated; standard error says which.

${asFilter}
${running}${filtering}

  --to-dir DIR          writes a translation of each FILE into DIR, under the same name
  --force               makes translations again that are there
  --format text|markdown|html|srt|vtt
                        reads each FILE as that, whatever its extension
  --wrapped             the lines of plain text are wrapped: an empty line ends a paragraph
  --no-split            the model reads each text as a whole, at most as long as its maximum, not sentence by sentence
  --hash                also print a hash of the tokens and their scores, which is the same for any number of threads

Examples:
  transformer-wasm translate "I am hungry."
  transformer-wasm translate --beams 4 --json "I am hungry."
  transformer-wasm translate docs/*.md film.srt --to-dir french
  cat sentences.txt | transformer-wasm translate --model path/to/model - > translations.txt
`,
  generate: `Usage: transformer-wasm generate [TEXT... | -] --model DIR [OPTIONS]

Continues TEXT with a decoder, or answers it with an encoder and a decoder. The text is written as it is generated.

${asFilter}
${model}${searching}
  --from, --to LANGUAGE
                        source and target language of a multilingual model${sampling}${loading}${filtering}

Examples:
  transformer-wasm generate "Once upon a time" --model path/to/model --max-new-tokens 50
  cat articles.jsonl | transformer-wasm generate --model path/to/t5 --jsonl - > summaries.jsonl
`,
  chat: `Usage: transformer-wasm chat [TEXT... | -] --model DIR [OPTIONS]

Holds a conversation in the terminal; with TEXT, answers it. The model's files must have a chat template.

${asFilter}
With --jsonl, a line is an object with the field messages: [{ "role": "user", "content": "Hello" }].
${model}${searching}
  --system TEXT         instructions before the conversation${sampling}${loading}${filtering}

Examples:
  transformer-wasm chat --model path/to/model
  transformer-wasm chat "Who wrote Faust?" --model path/to/model --json
`,
  transcribe: `Usage: transformer-wasm transcribe FILE... --model DIR [OPTIONS]
       transformer-wasm transcribe - --model DIR [OPTIONS]

Writes down what is said in recordings (WAV files of any rate and length), a line for each.

Reads the paths of files from standard input with -. ${asFilter}
With --jsonl, a line is an object with the field file.
${model}
  --from LANGUAGE       language of the recordings: en, fr, ...; default: detected
  --english             translates into English
  --words               with --json: times of words too
  --format text|srt|vtt text, or subtitles; for one file${loading}${filtering}

Examples:
  transformer-wasm transcribe talk.wav --model path/to/whisper --format srt > talk.srt
  ls recordings/*.wav | transformer-wasm transcribe --model path/to/whisper --json - > recordings.jsonl
`,
  embed: `Usage: transformer-wasm embed [TEXT... | -] --model DIR [OPTIONS]

Writes the embedding of TEXT: numbers separated by spaces, or with --json an object with text and embedding.

${asFilter}
${model}
  --pooling mean|cls|max|mean_sqrt_len|lasttoken
                        how the vectors of the tokens become one; default: as the model's files say, else mean
  --normalize           brings vectors to length 1
  --prompt TEXT         a text to put before each text${loading}${filtering}

Examples:
  transformer-wasm embed "The cat sat on the mat." --model path/to/model
  cat sentences.txt | transformer-wasm embed --model path/to/model --json - > embeddings.jsonl
`,
  classify: `Usage: transformer-wasm classify [TEXT... | -] --model DIR [OPTIONS]

Writes the label of TEXT and its probability, separated by a tab; with --json an object with text and labels.

${asFilter}
${model}
  --labels A,B,C        zero-shot classification: which of these labels applies, by a model of natural-language inference
  --top N               how many labels to write, best first; default: 1, with --json all${loading}${filtering}

Examples:
  transformer-wasm classify "I like it." --model path/to/model
  cat reviews.txt | transformer-wasm classify --model path/to/model --json - > labels.jsonl
`,
  attend: `Usage: transformer-wasm attend TEXT [OPTIONS]

Translates TEXT and shows the attention weights: a row for each query token, a column for each key token.

  --kind cross|encoder|decoder
                        from the translation to the text (default), within the text, within the translation
  --layer N             counted from 1; default: the last
  --head N              counted from 1; default: the mean of all heads
  --svg FILE            draws the matrix into an SVG file
${running}

Examples:
  transformer-wasm attend "The animal didn't cross the street because it was too tired."
  transformer-wasm attend "I am hungry." --kind encoder --layer 1 --head 2
  transformer-wasm attend "I am hungry." --svg attention.svg
`,
  inspect: `Usage: transformer-wasm inspect DIR [OPTIONS]

Describes the model in a folder (or at a URL): its family and sizes, its tensors and which of them are used, its
tokenizer, and anything that would prevent it from being loaded: then the exit code is 1. Reads only the headers of the
weights.

  --check               also loads the model, which finds tensors that are missing, have the wrong shape or hold NaN
  --json                print everything as JSON

Example:
  transformer-wasm inspect path/to/model
`,
  check: `Usage: transformer-wasm check DIR FILE [OPTIONS]

Runs the model of a folder on the inputs in FILE, a safetensors file, and compares its results with those in FILE, tensor
by tensor in the order of computation. Reports the largest difference of each tensor, and the first one beyond the
tolerance. Padding is ignored. Exit code 1 if any tensor differs by more than the tolerance.

FILE contains inputs and results under the names of the Python library: input_ids, attention_mask, token_type_ids,
decoder_input_ids, pixel_values, input_features; encoder_hidden_states.0, decoder_attentions.1, cross_attentions.1,
hidden_states.2, attentions.0, encoder_last_hidden_state, last_hidden_state, pooler_output, logits. Other inner tensors
are named by their paths: decoder.layers.0.cross_attn.queries.

  --tolerance X         tolerance for logits and hidden states; default: 5e-5
  --attention-tolerance X
                        tolerance for attention weights; default: 1e-5
  --threads N|auto      threads to compute with; default: auto
  --simd auto|relaxed|simd128
                        instructions to compute with; default: the fastest that this machine has
  --json                print everything as JSON

Example:
  transformer-wasm check path/to/model expected.safetensors
`,
  bench: `Usage: transformer-wasm bench [OPTIONS]

Runs the passes of a model on synthetic tokens: the encoder, the teacher-forced decoder, a step of decoding. For each
layer and each part of a layer, reports its operations, its bytes, its time, and how close it comes to the limit of this
machine (a roofline): the longer of the time for the arithmetic, at the rate of multiply-adds in registers, and the time
for the bytes, at the rate of reading memory. Both rates are measured with the same instructions and threads. Times are
the median of several rounds.

  --model DIR           folder or URL of a model; default: the English-French model of this package
  --tokens N            tokens per sequence; default: 64
  --batch N             sequences per batch; default: 1
  --rounds N            number of rounds; default: 5
  --threads N|auto      threads to compute with; default: auto
  --simd auto|relaxed|simd128
                        instructions to compute with; default: the fastest that this machine has
  --dtype auto|f32|int8|int4
                        how to store matrices. The arithmetic limit is that of float32 for all, so int8 products can
                        exceed it
  --json                print everything as JSON, with every part of every layer

Examples:
  transformer-wasm bench
  transformer-wasm bench --model path/to/model --tokens 128 --threads 1
  transformer-wasm bench --json > bench.json
`,
  quantize: `Usage: transformer-wasm quantize DIR OUT [OPTIONS]

Reads the model of a folder (or URL) and writes it to the folder OUT with 8-bit matrices: linear layers, token embeddings
and the output projection, with one scale per output channel. Norms, biases and position tables are not changed. OUT is
about a quarter of the size of a float32 model. It is a Hugging Face folder (compressed-tensors, "int-quantized") that
includes the tokenizer's files; tensors that the model does not use are left out.

With --dtype int4, all but the embeddings have 4 bits, with one scale for 32 weights ("pack-quantized"): little more than
an eighth of the size. Large models hold their quality, small ones lose some.

Reports the size before and after, the quantisation error, and which tensors were not changed.

  --dtype int8|int4     bits of the matrices; default: int8
  --force               overwrites files in OUT
  --json                print everything as JSON

Examples:
  transformer-wasm quantize path/to/model path/to/model-int8
  transformer-wasm translate "I am hungry." --model path/to/model-int8
`,
};

export const helpOf = (command: Command): string => texts[command];
