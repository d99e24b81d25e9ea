/** Long loops over a sentence give way to the browser: no task holds the page for longer than a frame. */

/** How long a loop may go on, in milliseconds. */
const most = 8;

let since = 0;

/** Whether the page has been held since it last drew for as long as it may be. */
export const isOutOfBreath = (): boolean => performance.now() - since > most;

/** Lets the browser do what waits. A timer, for a promise alone would not. */
export async function breathe(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve));
  since = performance.now();
}
