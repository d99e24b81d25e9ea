// <attention-map model="./models/en-fr" text="I am hungry." kind="cross" layer="2" head="1"></attention-map>
//
// Translates a text and shows where the model looked: a row for each token that asks, a column for each token that is
// looked at.
//
//   model  what loadModel takes: a URL, or the id of a model on a hub
//   text   the text to translate
//   kind   cross (from the translation to the text; default), encoder, decoder
//   layer  from 1 on; default: the last
//   head   from 1 on; default: the mean of all heads
//
// The event `ready` says that the map is drawn, `error` why it is not. CSS can set --attention-color (red, green and blue).

import { loadModel } from 'transformer-wasm';

const style = `
  :host { display: block; overflow-x: auto; font: 14px system-ui, sans-serif; }
  table { border-collapse: collapse; }
  th { font-weight: normal; padding: 2px 6px; }
  thead th { writing-mode: vertical-rl; transform: rotate(180deg); text-align: left; }
  tbody th { text-align: right; }
  td { width: 24px; height: 24px; border: 1px solid rgb(128 128 128 / 20%); }
  td.most { outline: 2px solid currentColor; outline-offset: -2px; }
  p { margin: 0; }
`;

/** Models by address: several maps on a page share one. */
const models = new Map();

function modelOf(address) {
  if (!models.has(address)) {
    const loading = loadModel(address, { cache: true });
    loading.catch(() => models.delete(address)); // another attempt may succeed
    models.set(address, loading);
  }
  return models.get(address);
}

class AttentionMap extends HTMLElement {
  static observedAttributes = ['model', 'text', 'kind', 'layer', 'head'];
  #root = this.attachShadow({ mode: 'open' });
  #run = new AbortController();
  #isDue = false;

  connectedCallback() {
    this.attributeChangedCallback();
  }

  disconnectedCallback() {
    this.#run.abort();
  }

  /** Several attributes that change together cost one translation. */
  attributeChangedCallback() {
    if (this.#isDue || !this.isConnected) return;
    this.#isDue = true;
    queueMicrotask(() => {
      this.#isDue = false;
      this.#update();
    });
  }

  async #update() {
    this.#run.abort();
    this.#run = new AbortController();
    const { signal } = this.#run;
    const [address, text] = [this.getAttribute('model'), this.getAttribute('text')];
    if (!address || !text) return;
    this.#show(element('p', 'Loading …'));
    try {
      const model = await modelOf(address);
      const translation = await model.translate(text, { outputAttentions: true, signal });
      if (signal.aborted) return;
      this.#show(this.#table(translation));
      this.dispatchEvent(new CustomEvent('ready', { detail: translation }));
    } catch (error) {
      if (signal.aborted) return;
      this.#show(element('p', error.message));
      this.dispatchEvent(new CustomEvent('error', { detail: error }));
    }
  }

  #show(content) {
    this.#root.replaceChildren(element('style', style), content);
  }

  #table(translation) {
    const { axes } = translation;
    const kinds = {
      cross: [translation.crossAttentions, axes.written, axes.source],
      encoder: [translation.encoderAttentions, axes.source, axes.source],
      decoder: [translation.decoderAttentions, axes.written, axes.decoder],
    };
    const kind = this.getAttribute('kind') ?? 'cross';
    if (!kinds[kind]) throw new Error(`kind must be one of ${Object.keys(kinds).join(', ')}, got '${kind}'`);
    const [layers, rows, columns] = kinds[kind];
    const tensor = layers[this.#index('layer', layers.length) ?? layers.length - 1];
    const weights = meanOf(tensor, this.#index('head', tensor.shape[1]));

    const table = element('table');
    table.setAttribute('aria-label', `Attention weights, ${kind}: ${translation.text}`);
    const head = table.createTHead().insertRow();
    head.append(element('td'), ...columns.map((token) => heading(token, 'col')));
    const body = table.createTBody();
    for (const [i, token] of rows.entries()) {
      const row = body.insertRow();
      row.append(heading(token, 'row'));
      const most = Math.max(...weights[i]);
      for (const [j, weight] of weights[i].entries()) {
        const cell = row.insertCell();
        cell.style.background = `rgb(var(--attention-color, 37 99 235) / ${(weight * 100).toFixed(1)}%)`;
        cell.title = `${token} → ${columns[j]}: ${(weight * 100).toFixed(1)} %`;
        if (weight === most) cell.className = 'most';
      }
    }
    return table;
  }

  /** An attribute that counts from 1, as an index; undefined if it is not set. */
  #index(name, count) {
    const text = this.getAttribute(name);
    if (text === null) return undefined;
    const number = Number(text);
    if (Number.isInteger(number) && number >= 1 && number <= count) return number - 1;
    throw new Error(`${name} must be from 1 to ${count}, got '${text}'`);
  }
}

/** Weights [1, heads, rows, columns] as rows: of one head, or the mean of all. */
function meanOf({ data, shape: [, heads, rows, columns] }, head) {
  const chosen = head === undefined ? Array.from({ length: heads }, (_, i) => i) : [head];
  const at = (one, row, column) => data[(one * rows + row) * columns + column];
  return Array.from({ length: rows }, (_, row) =>
    Array.from({ length: columns }, (__, column) =>
      chosen.reduce((sum, one) => sum + at(one, row, column) / chosen.length, 0),
    ),
  );
}

function element(name, text = '') {
  const made = document.createElement(name);
  made.textContent = text;
  return made;
}

function heading(token, scope) {
  const made = element('th', token);
  made.scope = scope;
  return made;
}

customElements.define('attention-map', AttentionMap);
