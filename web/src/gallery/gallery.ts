/** The gallery: every view in a frame, with the lines that put it into somebody's article. */

import { make } from '../drawing/dom.js';
import { copyButton } from '../page/copy_button.js';
import type { FrameHeight } from '../page/embedded.js';
import { fillStaticWords } from '../page/language.js';
import { views } from '../views/index.js';
import { language, words } from '../words/words.js';

const height = 760;

const entries = [
  { id: 'stage', claim: `${words.html.first} ${words.html.second}` },
  ...views.map(({ id, claim }) => ({ id, claim })),
];

/** Everything of a view's own is in its address. */
function addressOf(frame: HTMLIFrameElement): string {
  try {
    return frame.contentWindow?.location.href.replace(/^about:blank$/, '') || frame.src;
  } catch {
    return frame.src;
  }
}

/** The frame says how high it is; in the article, this makes it so. Once is enough for several frames. */
const sizing = `<script>
  addEventListener('message', ({ data, source }) => {
    if (data?.type !== 'transformer-wasm:height') return;
    for (const frame of document.querySelectorAll('iframe'))
      if (frame.contentWindow === source) frame.height = Math.min(4000, data.height);
  });
</script>`;

function show({ id, claim }: (typeof entries)[number]): HTMLElement {
  const title = `${id}-title`;
  const frame = make('iframe', {
    src: `../?${new URLSearchParams({ embed: id, ...(language !== 'en' && { lang: language }) })}`,
    title: claim,
    height,
    loading: 'lazy',
  });
  const code = make('code');
  const snippet = () => {
    const address = addressOf(frame).replaceAll('&', '&amp;');
    code.textContent = `<iframe src="${address}" title="${claim}" width="100%" height="${height}" loading="lazy"></iframe>\n${sizing}`;
  };
  snippet();
  frame.addEventListener('load', snippet);
  // Each frame is as high as what it shows, and its lines keep what was changed in it.
  addEventListener('message', ({ data, source }: MessageEvent<Partial<FrameHeight>>) => {
    if (source !== frame.contentWindow || data?.type !== 'transformer-wasm:height' || !data.height) return;
    frame.height = `${Math.min(4000, data.height)}`;
    snippet();
  });
  const copy = copyButton(words.gallery.copySnippet, () => {
    snippet();
    return code.textContent ?? '';
  });
  return make(
    'section',
    { class: 'view', 'aria-labelledby': title },
    make('h2', { id: title }, claim),
    frame,
    make(
      'div',
      { class: 'code' },
      make('div', { class: 'controls' }, copy),
      make('pre', { tabindex: 0, 'aria-label': words.gallery.snippet }, code),
    ),
  );
}

fillStaticWords();
document.querySelector('main')?.append(...entries.map(show));
