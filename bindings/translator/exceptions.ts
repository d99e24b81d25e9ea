/** The platform's errors, by the names that its specification gives them. */

import { messageOf, TransformerError } from '../values/errors.js';

type ExceptionName =
  | 'AbortError'
  | 'NetworkError'
  | 'NotAllowedError'
  | 'NotSupportedError'
  | 'OperationError'
  | 'UnknownError';

/** @param cause what went wrong inside */
export function exception(name: ExceptionName, message: string, cause?: unknown): DOMException {
  const made = new DOMException(message, name);
  if (cause !== undefined) Object.defineProperty(made, 'cause', { value: cause, configurable: true });
  return made;
}

/** Why a model could not be loaded. */
export function loadingFailed(error: unknown): DOMException {
  const code = error instanceof TransformerError ? error.code : undefined;
  const names: Partial<Record<string, ExceptionName>> = {
    missing_file: 'NetworkError',
    unsupported: 'NotSupportedError',
  };
  return exception(names[code ?? ''] ?? 'OperationError', messageOf(error), error);
}
