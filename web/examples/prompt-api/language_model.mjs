// Chrome's Prompt API (https://webmachinelearning.github.io/prompt-api) where a browser has none, over a model that runs here:
//   LanguageModel.source = 'HuggingFaceTB/SmolLM2-135M-Instruct';
//   const session = await LanguageModel.create({ initialPrompts: [{ role: 'system', content: 'Answer briefly.' }] });
//   const answer = await session.prompt('Who wrote Faust?');
import { describe, loadModel } from 'transformer-wasm';

/** One model for all sessions of a source. */
const models = new Map();

const asMessages = (input) => (typeof input === 'string' ? [{ role: 'user', content: input }] : input);

export class LanguageModel extends EventTarget {
  /** What `loadModel` takes: a folder, a file, the id of a model on a hub. */
  static source = 'HuggingFaceTB/SmolLM2-135M-Instruct';

  #model;
  #options;
  #messages;
  #usage = 0;
  #isDestroyed = false;

  constructor(model, options, messages) {
    super();
    this.#model = model;
    this.#options = options;
    this.#messages = messages;
  }

  static async availability() {
    if (models.has(LanguageModel.source)) return 'available';
    try {
      await describe(LanguageModel.source);
      return 'downloadable';
    } catch {
      return 'unavailable';
    }
  }

  static async params() {
    return { defaultTopK: 3, maxTopK: 128, defaultTemperature: 1, maxTemperature: 2 };
  }

  static async create({ initialPrompts = [], temperature, topK, monitor, signal } = {}) {
    signal?.throwIfAborted();
    const events = new EventTarget();
    monitor?.(events);
    const onProgress = ({ loaded, total }) => {
      if (total) events.dispatchEvent(Object.assign(new Event('downloadprogress'), { loaded: loaded / total, total: 1 }));
    };
    const { source } = LanguageModel;
    if (!models.has(source)) models.set(source, loadModel(source, { onProgress, signal }));
    models.get(source).catch(() => models.delete(source));
    const sampling = temperature > 0 ? { doSample: true, temperature, topK: topK ?? 3 } : {};
    const session = new LanguageModel(await models.get(source), sampling, []);
    await session.append([...initialPrompts]);
    return session;
  }

  async prompt(input, options) {
    let answer = '';
    for await (const text of this.promptStreaming(input, options)) answer += text;
    return answer;
  }

  /** A turn that fails or is left early is not kept. */
  promptStreaming(input, { signal, responseConstraint } = {}) {
    return ReadableStream.from(this.#answer(asMessages(input), { signal, responseConstraint }));
  }

  async *#answer(asked, { signal, responseConstraint }) {
    this.#check();
    const form = responseConstraint instanceof RegExp ? { regex: responseConstraint.source } : { jsonSchema: responseConstraint };
    const options = { maxNewTokens: 512, ...this.#options, ...(responseConstraint && { constrain: form }) };
    const messages = [...this.#messages, ...asked];
    let answer = '';
    for await (const { text } of this.#model.streamChat(messages, { ...options, ...(signal && { signal }) })) {
      answer += text;
      if (text) yield text;
    }
    await this.#keep([...messages, { role: 'assistant', content: answer }]);
  }

  /** What is said without an answer. */
  async append(input) {
    this.#check();
    await this.#keep([...this.#messages, ...asMessages(input)]);
  }

  /** In tokens. */
  async measureInputUsage(input) {
    const text = asMessages(input).map(({ content }) => content).join('\n');
    return (await this.#model.tokenizer.encode(text)).ids.length;
  }

  /** Of the conversation so far, in tokens. */
  get inputUsage() {
    return this.#usage;
  }

  async clone() {
    this.#check();
    const session = new LanguageModel(this.#model, this.#options, []);
    await session.#keep(this.#messages);
    return session;
  }

  destroy() {
    this.#isDestroyed = true;
  }

  async #keep(messages) {
    this.#messages = messages;
    this.#usage = await this.measureInputUsage(messages);
  }

  #check() {
    if (this.#isDestroyed) throw new DOMException('The session is destroyed.', 'InvalidStateError');
  }
}
