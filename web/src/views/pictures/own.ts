/** A model of pictures and a picture of the visitor's own: where each head of the class token looked. */

import { type ForwardOutput, loadModel, type Model } from 'transformer-wasm';
import { type Control, menu } from '../../drawing/controls.js';
import { make } from '../../drawing/dom.js';
import { acceptDrops } from '../../drawing/dropped.js';
import { messageOf, shownMessage } from '../../page/messages.js';
import type { Page } from '../../page/view.js';
import { words } from '../../words/words.js';
import { headMaps, indexOfLargest, normalisedPixels, type PatchGrid, placeOf, sizeFor } from './compute.js';
import { paintSeen } from './draw.js';

/** Of pictures for ViT; DINO's files have their own. */
const usual = [0.5, 0.5, 0.5];

interface Seen {
  readonly image: ImageData;
  readonly output: ForwardOutput;
}

export class OwnPicture {
  readonly element: HTMLElement;
  readonly #page: Page;
  readonly #status = make('div', { class: 'note', role: 'status' });
  readonly #row = make('div', { class: 'controls' });
  readonly #maps = make('div', { class: 'head-maps' });
  #model: Model | null = null;
  #processor: Record<string, unknown> = {};
  #picture: ImageBitmap | null = null;

  constructor(page: Page) {
    this.#page = page;
    const files = make('input', { type: 'file', multiple: true, id: 'picture-files' });
    const zone = make(
      'form',
      { class: 'drop' },
      make('label', { for: 'picture-files' }, words.pictures.own.files),
      files,
      this.#status,
    );
    files.addEventListener('change', () => void this.#take([...(files.files ?? [])]));
    acceptDrops(zone, (dropped) => void this.#take(dropped));
    this.element = make(
      'div',
      { class: 'own-picture' },
      make('h3', {}, words.pictures.own.title),
      zone,
      this.#row,
      this.#maps,
    );
  }

  async #take(files: readonly File[]): Promise<void> {
    this.#status.textContent = words.yourModel.loadingNow;
    try {
      const [picture] = files.filter(({ type }) => type.startsWith('image/'));
      if (picture) this.#picture = await createImageBitmap(picture);
      if (files.some(({ name }) => name === 'config.json')) await this.#load(files);
      await this.#look();
    } catch (error) {
      this.#status.replaceChildren(...shownMessage(messageOf(error)));
    }
  }

  async #load(files: readonly File[]): Promise<void> {
    const model = await loadModel([...files], { engine: await this.#page.engine() });
    const processor = await files.find(({ name }) => name === 'preprocessor_config.json')?.text();
    this.#processor = processor ? JSON.parse(processor) : {};
    await this.#model?.dispose();
    this.#model = model;
  }

  async #look(): Promise<void> {
    if (!this.#model || !this.#picture) {
      this.#status.textContent = this.#model ? words.pictures.own.noPicture : words.pictures.own.noModel;
      return;
    }
    const size = sizeFor(this.#picture, this.#model.config);
    const context = new OffscreenCanvas(size.width, size.height).getContext('2d');
    if (!context) return;
    context.drawImage(this.#picture, 0, 0, size.width, size.height);
    const image = context.getImageData(0, 0, size.width, size.height);
    const { image_mean: mean = usual, image_std: deviation = usual } = this.#processor;
    const pixelValues = normalisedPixels(image, mean as number[], deviation as number[]);
    const output = await this.#model.forward({ pixelValues }, { outputAttentions: true });
    this.#status.textContent = '';
    this.#offer({ image, output });
  }

  /** The layers to choose from, the last of them first shown. */
  #offer(seen: Seen): void {
    const layers = seen.output.attentions?.length ?? 0;
    const options = Object.fromEntries(
      Array.from({ length: layers }, (_, layer) => [`${layer}`, words.pictures.own.layerOf(layer + 1)]),
    );
    const control: Control<string> = menu({
      label: words.pictures.own.layer,
      options,
      value: `${layers - 1}`,
      onChange: (value) => this.#show(seen, Number(value)),
    });
    this.#row.replaceChildren(control.element);
    this.#show(seen, layers - 1);
  }

  #show({ image, output }: Seen, layer: number): void {
    const maps = headMaps(output, layer);
    if (!maps) this.#status.textContent = words.pictures.own.noMaps;
    const { patches } = output;
    this.#maps.replaceChildren(
      ...(maps ?? []).map((weights, head) => mapOf(image, weights, head, patches ?? { rows: 1, columns: 1 })),
    );
  }
}

function mapOf(image: ImageData, weights: readonly number[], head: number, grid: PatchGrid): HTMLElement {
  const said = words.pictures.own.headOf(head + 1, placeOf(indexOfLargest(weights), grid.columns));
  const width = 224;
  const height = Math.round((width * image.height) / image.width);
  const canvas = make('canvas', { width, height, role: 'img', 'aria-label': said });
  paintSeen(canvas, image, weights, grid);
  return canvas;
}
