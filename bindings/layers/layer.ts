/** What all layers have: weights that live in the engine until the layer is disposed of. */

import { fail } from '../engine/errors.js';
import type { Handle, Host } from '../engine/host.js';

/** The classes of layers inside of the engine. */
export type LayerClass =
  | 'Linear'
  | 'FeedForward'
  | 'MultiHeadAttention'
  | 'EncoderLayer'
  | 'DecoderLayer'
  | 'Transformer';

/** A layer in the engine, before it is wrapped in its class. */
export interface Made<Name extends LayerClass = LayerClass> {
  readonly host: Host;
  readonly handle: Handle<Name>;
  readonly parameterCount: number;
}

/** Frees the memory of layers that were never disposed of. */
const forgotten = new FinalizationRegistry<Made>(({ host, handle }) => {
  // A host that was closed in the meantime has already freed everything.
  host.release(handle).catch(() => undefined);
});

export abstract class Layer<Name extends LayerClass> implements Disposable {
  /** How many numbers the layer's weights hold. */
  readonly parameterCount: number;
  #made: Made<Name> | undefined;

  /** @internal Layers are made by an engine. */
  constructor(made: Made<Name>) {
    this.parameterCount = made.parameterCount;
    this.#made = made;
    forgotten.register(this, made, this);
  }

  /** Frees the memory of the weights; later calls reject with `disposed`. Disposing of it again does nothing. */
  async dispose(): Promise<void> {
    const made = this.#made;
    this.#made = undefined;
    forgotten.unregister(this);
    if (made) await made.host.release(made.handle);
  }

  [Symbol.dispose](): void {
    void this.dispose();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.dispose();
  }

  /** @internal The layer inside of the engine. */
  protected alive(): Made<Name> {
    return this.#made ?? fail('disposed', 'This layer was disposed of and cannot be used any more.');
  }
}
