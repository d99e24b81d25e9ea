/** Saves a file. Nothing is sent anywhere: the browser writes it. */

import { make } from './dom.js';

export function saveBlob(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  make('a', { href: url, download: name }).click();
  // The browser reads the file after the click.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** Saves a picture; where one shares by touch, it is handed to the system's own sheet instead. */
export async function saveCanvas(canvas: HTMLCanvasElement, name: string): Promise<void> {
  const blob = await new Promise<Blob | null>((resolve) => {
    canvas.toBlob(resolve, 'image/png');
  });
  if (!blob || (await hasShared(blob, name))) return;
  saveBlob(blob, name);
}

/** Whether the visitor was asked where to share the picture; closing that sheet is an answer too. */
async function hasShared(blob: Blob, name: string): Promise<boolean> {
  const data = { files: [new File([blob], name, { type: blob.type })] };
  if (!matchMedia('(pointer: coarse)').matches || !navigator.canShare?.(data)) return false;
  try {
    await navigator.share(data);
    return true;
  } catch (error) {
    return (error as Error).name === 'AbortError';
  }
}
