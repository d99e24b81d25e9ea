/** What all layers have: weights that live in the engine until the layer is disposed of. */

import { fail } from '../engine/errors.js';
import type { Handle, Host } from '../engine/host.js';
import { makeLayer, type Recipe } from './layer_weights.js';

/** A layer in the engine, before it is wrapped in its class. */
export interface Made {
  readonly host: Host;
  readonly handle: Handle;
  readonly parameterCount: number;
}

export async function make(host: Host, recipe: Recipe): Promise<Made> {
  const handle = await makeLayer(host, recipe);
  return { host, handle, parameterCount: await host.call<number>(handle, 'parameterCount') };
}

/** Frees the memory of layers that were never disposed of. */
const forgotten = new FinalizationRegistry<Made>(({ host, handle }) => {
  // A host that was closed in the meantime has already freed everything.
  host.release(handle).catch(() => undefined);
});

export abstract class Layer implements Disposable {
  /** How many numbers the layer's weights hold. */
  readonly parameterCount: number;
  #made: Made | undefined;

  /** @internal Layers are made by an engine. */
  constructor(made: Made) {
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

  /** Calls a method of the layer in the engine. */
  protected async run<T>(method: string, ...args: unknown[]): Promise<T> {
    const { host, handle } =
      this.#made ?? fail('disposed', 'This layer was disposed of and cannot be used any more.');
    return host.call<T>(handle, method, ...args);
  }
}
