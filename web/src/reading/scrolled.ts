/** Whoever only reads the first screen loads none of the comparison models, though the next figure is prepared below it. */

const asked = new EventTarget();
let isAsked = false;

const onPaper = () => matchMedia('print');
const isAtTop = () =>
  scrollY === 0 && !/[?&](embed|present)/.test(location.search) && !onPaper().matches && !isAsked;

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
    for (const target of [onPaper(), asked])
      target.addEventListener('change', check, { signal: waiting.signal });
  });
}
