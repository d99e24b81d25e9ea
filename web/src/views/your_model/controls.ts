/** Where a visitor gives a model: files, a folder that is dropped, or an id of the hub. */

import type { CheckpointSource } from 'transformer-wasm';
import { make } from '../../drawing/dom.js';
import { acceptDrops } from '../../drawing/dropped.js';
import { words } from '../../words/words.js';

/** @param back a button beside the fields @param onSource called with what the visitor gives */
export function dropZone(back: HTMLElement, onSource: (source: CheckpointSource) => void): HTMLElement {
  const files = make('input', { type: 'file', multiple: true, id: 'model-files' });
  const id = make('input', { type: 'text', id: 'model-id', placeholder: 'owner/name', autocomplete: 'off' });
  const zone = make(
    'form',
    { class: 'drop' },
    make('label', { for: 'model-files' }, words.yourModel.drop),
    files,
    make('label', { for: 'model-id' }, words.yourModel.orHub),
    id,
    make('button', { type: 'submit' }, words.yourModel.load),
    back,
  );
  files.addEventListener('change', () => onSource([...(files.files ?? [])]));
  zone.addEventListener('submit', (event) => {
    event.preventDefault();
    if (id.value.trim() !== '') onSource(id.value.trim());
  });
  acceptDrops(zone, onSource);
  return zone;
}
