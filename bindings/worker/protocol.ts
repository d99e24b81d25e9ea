/** The messages between a page and the worker that runs its engine. */

import type { Call, Run } from '../engine/calls.js';
import type { MadeChoice, MemoryUse } from '../engine/core.js';
import type { EngineFiles } from '../modules/addresses.js';
import type { CompiledModule } from '../modules/glue.js';
import type { Wanted } from '../modules/variant.js';
import type { ErrorMessage } from '../values/errors.js';

export type Request =
  | {
      readonly kind: 'open';
      readonly wanted: Wanted;
      /** A lock that the worker holds as long as it lives. */
      readonly lifeLock?: string | undefined;
      readonly files?: EngineFiles;
      readonly wasmBinary?: Uint8Array;
      readonly wasmModule?: CompiledModule;
    }
  | ({ readonly kind: 'run' } & Run)
  /** Ends a run, given the number of its request. */
  | { readonly kind: 'stop'; readonly run: number }
  /** Asks for the .wasm file as the engine has compiled it. */
  | { readonly kind: 'compiled' }
  | Call;

/** A request with its number, which the reply repeats. */
export type Numbered = Request & { readonly id: number };

export type Reply = {
  readonly id: number;
  readonly memory: MemoryUse;
  /** Buffers of the request, to be used again. */
  readonly spent?: readonly ArrayBuffer[];
} /** `more`: another reply to this request follows. Only a run has several: its progress. */ & (
  | { readonly ok: true; readonly value: unknown; readonly more?: boolean }
  | { readonly ok: false; readonly error: ErrorMessage }
);

/** The reply to `open`. */
export interface Opened {
  readonly choice: MadeChoice;
}
