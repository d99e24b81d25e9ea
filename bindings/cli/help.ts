/** What `--help` says. */

import type { Command } from './arguments.js';

const running = `
  --model DIR           folder or URL of a model; default: the English-French model of this package
  --beams N             beam search with N beams; default: as the model's files say
  --max-new-tokens N    longest answer, in tokens
  --from, --to LANGUAGE
                        of a model that knows several, by its own codes: eng_Latn, en_XX, en
  --threads N|auto      threads to compute with; default: auto
  --simd auto|relaxed|simd128
                        instructions to compute with; default: the fastest that this machine has
  --dtype f32|int8      how matrices are kept: int8 takes a quarter of the memory, is faster and less exact;
                        default: f32, or int8 where the model's files are of 8 bits
  --json                results as JSON`;

const texts: Readonly<Record<Command, string>> = {
  help: `Usage: transformer-wasm COMMAND [OPTIONS]

  translate [TEXT | -]  translates a text, or each line of the standard input
  attend TEXT           shows what a model looks at while it translates a text
  inspect DIR           says what is in the folder of a model
  check DIR FILE        holds a model's numbers against expected ones
  bench                 measures where a model's time goes, and how far from the machine's limits
  quantize DIR OUT      writes a model again, with matrices of 8 bits: a quarter of the size

  --help                with a command: its options
  --version             the version of this package

Examples:
  transformer-wasm translate "The cat sat on the mat."
  transformer-wasm attend "The cat sat on the mat." --svg attention.svg
`,
  translate: `Usage: transformer-wasm translate [TEXT | -] [OPTIONS]

Translates TEXT. With -, each line of the standard input is a text and each line of the output its translation (with
--json: an object a line). Words that the model does not know are named on the standard error.
${running}

Examples:
  transformer-wasm translate "I am hungry."
  transformer-wasm translate --beams 4 --json "I am hungry."
  cat sentences.txt | transformer-wasm translate --model path/to/model - > translations.txt
`,
  attend: `Usage: transformer-wasm attend TEXT [OPTIONS]

Translates TEXT and shows the attention weights: a row for each token that looks, a column for each that is looked at.

  --kind cross|encoder|decoder
                        from the translation to the text (default), inside of the text, inside of the translation
  --layer N             counted from 1; default: the last
  --head N              counted from 1; default: the mean of all heads
  --svg FILE            draws the matrix into a file
${running}

Examples:
  transformer-wasm attend "The animal didn't cross the street because it was too tired."
  transformer-wasm attend "I am hungry." --kind encoder --layer 1 --head 2
  transformer-wasm attend "I am hungry." --svg attention.svg
`,
  inspect: `Usage: transformer-wasm inspect DIR [OPTIONS]

Says what is in the folder (or at the URL) of a model: its family and sizes, its tensors, which of them are used, its
tokenizer, and what would keep it from being loaded. Reads the header of the weights, not the weights.

  --check               also loads the model, which finds tensors that are missing, misshapen or not numbers
  --json                all of it as JSON

Example:
  transformer-wasm inspect path/to/model
`,
  check: `Usage: transformer-wasm check DIR FILE [OPTIONS]

Runs the model of a folder on the inputs in FILE, a safetensors file, and compares what comes out with the results in it,
tensor by tensor in the order in which the model computes them: which is the first that departs, and by how much does each
differ at most. Padding does not count. Exit code 1 where one departs.

FILE holds inputs and results under the names of the Python library: input_ids, attention_mask, token_type_ids,
decoder_input_ids, pixel_values, input_features; encoder_hidden_states.0, decoder_attentions.1, cross_attentions.1,
hidden_states.2, attentions.0, encoder_last_hidden_state, last_hidden_state, pooler_output, logits. Other tensors inside of
the model go by their paths: decoder.layers.0.cross_attn.queries.

  --tolerance X         allowed difference of logits and hidden states; default: 5e-5
  --attention-tolerance X
                        allowed difference of attention weights; default: 1e-5
  --threads N|auto      threads to compute with; default: auto
  --simd auto|relaxed|simd128
                        instructions to compute with; default: the fastest that this machine has
  --json                all of it as JSON

Example:
  transformer-wasm check path/to/model expected.safetensors
`,
  bench: `Usage: transformer-wasm bench [OPTIONS]

Runs the passes of a model on made-up tokens: the encoder, the decoder with its target given, a step of decoding. Says of
each layer and of each part of a layer how many operations and bytes it has to do with, how long it takes, and how much that
is of what this machine can do at most (a roofline): the longer of the time for the arithmetic, at the rate of
multiply-adds in registers, and of the time for the bytes, at the rate of reading as many. Both rates are measured, with
the same instructions and threads. The median of several rounds counts.

  --model DIR           folder or URL of a model; default: the English-French model of this package
  --tokens N            in each sequence; default: 64
  --batch N             sequences side by side; default: 1
  --rounds N            default: 5
  --threads N|auto      threads to compute with; default: auto
  --simd auto|relaxed|simd128
                        instructions to compute with; default: the fastest that this machine has
  --dtype f32|int8      how matrices are kept. The limit of the arithmetic is that of float32 for both, so products of
                        8 bits can go beyond it
  --json                all of it as JSON, with every part of every layer

Examples:
  transformer-wasm bench
  transformer-wasm bench --model path/to/model --tokens 128 --threads 1
  transformer-wasm bench --json > bench.json
`,
  quantize: `Usage: transformer-wasm quantize DIR OUT [OPTIONS]

Reads the model of a folder (or URL) and writes it into the folder OUT with its matrices in 8 bits: linear layers, token
embeddings and the output projection, each output channel with a scale of its own. Norms, biases and tables of positions
stay as they are. From 32 bits, OUT has about a quarter of the bytes. What is written is a Hugging Face folder again
(compressed-tensors, "int-quantized"), with the files of the tokenizer; tensors that the model has no use for are left out.

Says how many bytes there were and are, how far the weights were moved, and what stayed as it was.

  --force               writes over files in OUT
  --json                all of it as JSON

Examples:
  transformer-wasm quantize path/to/model path/to/model-int8
  transformer-wasm translate "I am hungry." --model path/to/model-int8
`,
};

export const helpOf = (command: Command): string => texts[command];
