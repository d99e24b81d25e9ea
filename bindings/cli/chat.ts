/** `transformer-wasm chat`. */

import type { Model } from '../model/model.js';
import type { ChatMessage, ChatOptions, ChatReply } from '../tasks/chat.js';
import { messageOf, TransformerError } from '../values/errors.js';
import { command } from './command.js';
import { anyModelFlags, filtering, generationOptionsOf, sampling, searching, text } from './flags.js';
import { textOrInput } from './read_input.js';
import { withModel } from './run_model.js';
import { print, prompter, say } from './terminal.js';

export const chat = command({
  args: '[TEXT... | -] --model DIR',
  summary: 'holds a conversation',
  about: `Holds a conversation in the terminal; with TEXT, answers it. The model's files must have a chat template.

With --jsonl, a line is an object with the field messages: [{ "role": "user", "content": "Hello" }].`,
  flags: {
    ...anyModelFlags,
    ...searching,
    system: text('TEXT', 'instructions before the conversation'),
    ...sampling,
    ...filtering,
  },
  examples: ['chat --model path/to/model', 'chat "Who wrote Faust?" --model path/to/model --json'],
  async run(positionals, values) {
    const options: ChatOptions = generationOptionsOf(values);
    const system: ChatMessage[] =
      values.system === undefined ? [] : [{ role: 'system', content: values.system }];
    const isTalk = positionals.length === 0 && process.stdin.isTTY;
    await withModel(values, async (model) => {
      if (isTalk) return talk(model, system, options);
      const input = textOrInput(positionals, 'the message');
      const conversation = (given: unknown) =>
        typeof given === 'string' ? [...system, { role: 'user', content: given }] : (given as ChatMessage[]);
      if (input.texts !== null && !values.json) {
        for (const text of input.texts) await answer(model, conversation(text), options);
        return;
      }
      await input.answer<ChatReply>(values, {
        field: 'messages',
        async run(inputs) {
          const replies: ChatReply[] = [];
          for (const one of inputs) replies.push(await model.chat(conversation(one), options));
          return replies;
        },
        text: ({ text }) => text,
        json: ({ message, score }, given) => ({
          messages: [...conversation(given), message],
          text: message.content,
          score,
        }),
      });
    });
  },
});

/** Writes an answer as it comes, and returns it. */
async function answer(model: Model, messages: readonly ChatMessage[], options: ChatOptions): Promise<string> {
  let text = '';
  for await (const chunk of model.streamChat(messages, options)) {
    text += chunk.text;
    print(chunk.text);
  }
  print('\n');
  return text;
}

/** A conversation in the terminal, until the input ends. */
async function talk(model: Model, system: readonly ChatMessage[], options: ChatOptions): Promise<void> {
  const terminal = prompter('> ');
  const messages = [...system];
  terminal.prompt();
  for await (const line of terminal) {
    if (line.trim() !== '') {
      try {
        const asked: ChatMessage[] = [...messages, { role: 'user', content: line }];
        messages.splice(0, messages.length, ...asked, {
          role: 'assistant',
          content: await answer(model, asked, options),
        });
      } catch (error) {
        if (!(error instanceof TransformerError)) throw error;
        say(messageOf(error));
      }
    }
    terminal.prompt();
  }
}
