/** Whoever only reads the first screen loads none of the comparison models, though the next figure is prepared below it. */

const printed = matchMedia('print');
const isFrame = /[?&](embed|present)/.test(location.search);
const asked = new EventTarget();
let isAsked = false;

const isAtTop = () => scrollY === 0 && !isFrame && !printed.matches && !isAsked;

/** For paper, which shows all figures: nobody needs to scroll for them any more. */
export function askForAll(): void {
  isAsked = true;
  asked.dispatchEvent(new Event('change'));
}

/** Waits until somebody scrolls, prints, or asks. */
export function isScrolled(): Promise<void> {
  if (!isAtTop()) return Promise.resolve();
  return new Promise((resolve) => {
    const waiting = new AbortController();
    const check = () => {
      if (isAtTop()) return;
      waiting.abort();
      resolve();
    };
    addEventListener('scroll', check, { passive: true, signal: waiting.signal });
    for (const target of [printed, asked])
      target.addEventListener('change', check, { signal: waiting.signal });
  });
}
