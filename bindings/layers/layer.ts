/** Base class of all layers: their weights live in the engine until the layer is disposed. */

import type { ClassName, MethodName } from '../engine/calls.js';
import { whenForgotten } from '../engine/forgotten.js';
import type { Handle, Host } from '../engine/host.js';
import { fail } from '../values/errors.js';

/** The engine's layer classes: those whose parameters can be counted. */
export type LayerClass = {
  [Name in ClassName]: 'parameterCount' extends MethodName<Name> ? Name : never;
}[ClassName];

/** A layer in the engine, and its host. */
export interface Made<Name extends LayerClass = LayerClass> {
  readonly host: Host;
  readonly handle: Handle<Name>;
  readonly parameterCount: number;
}

/** Frees the memory of layers that were garbage-collected. */
const forgotten = whenForgotten<Made>(({ host, handle }) => {
  // A host that was closed in the meantime has already freed everything.
  host.release(handle).catch(() => undefined);
});

export abstract class Layer<Name extends LayerClass> implements Disposable {
  /** The number of parameters. */
  readonly parameterCount: number;
  #made: Made<Name> | undefined;

  /** @internal Created by an engine. */
  constructor(made: Made<Name>) {
    this.parameterCount = made.parameterCount;
    this.#made = made;
    forgotten.register(this, made, this);
  }

  /** Frees the weights; later calls reject with `disposed`. Idempotent. */
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

  /** @internal The layer in the engine. */
  protected alive(): Made<Name> {
    return this.#made ?? fail('disposed', 'This layer was disposed and can no longer be used.');
  }
}
