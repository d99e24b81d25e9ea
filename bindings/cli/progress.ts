/** A progress bar on standard error while a model loads, for people who watch. */

import type { LoadProgress } from '../checkpoint/load_checkpoint.js';
import { clearStatus, isWatched, showStatus } from './terminal.js';

const width = 24;

/** The bar as a line: `model.safetensors [######------------------]  25 %  74 of 296 MB`. */
export function barOf({ file, loaded, total }: LoadProgress): string {
  const megabytes = (bytes: number) => (bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0);
  if (total === null || total === 0) return `${file}  ${megabytes(loaded)} MB`;
  const share = Math.min(1, loaded / total);
  return `${file} ${barWith(share)}  ${megabytes(loaded)} of ${megabytes(total)} MB`;
}

/** `[######------------------]  25 %` */
export function barWith(share: number): string {
  const filled = Math.round(share * width);
  const percent = `${Math.floor(share * 100)}`.padStart(3);
  return `[${'#'.repeat(filled)}${'-'.repeat(width - filled)}] ${percent} %`;
}

/** Shows the bar where standard error is a terminal, at most ten times a second; removes it at the end. */
export function progressBar(): { onProgress?: (progress: LoadProgress) => void } {
  if (!isWatched()) return {};
  let shown = 0;
  return {
    onProgress(progress) {
      const isReady = progress.phase === 'ready';
      if (!isReady && performance.now() - shown < 100) return;
      shown = performance.now();
      if (isReady) clearStatus();
      else showStatus(barOf(progress));
    },
  };
}
