/** What stands in the page's HTML, in the reader's language, and the switch between the languages. */

import { make } from '../drawing/dom.js';
import { type Language, language, languages, words } from '../words/words.js';

/** Puts the words of the language into the elements that the HTML has for them. It carries the English ones. */
export function fillStaticWords(): void {
  for (const element of document.querySelectorAll<HTMLElement>('[data-words]')) {
    const text = words.html[element.dataset.words as keyof typeof words.html];
    if (element instanceof HTMLMetaElement) element.content = text;
    else if (element.textContent !== text) element.textContent = text;
  }
  document.documentElement.classList.remove('awaits-words');
  for (const link of document.querySelectorAll<HTMLAnchorElement>('a[data-keeps-language]'))
    link.search = languageQuery();
}

/** `?lang=fr` where the address names a language, which links to other pages then keep. */
export function languageQuery(): string {
  return new URLSearchParams(location.search).has('lang') ? `?lang=${language}` : '';
}

/** The same address in another language. */
function addressIn(chosen: string): string {
  const url = new URL(location.href);
  url.searchParams.set('lang', chosen);
  return url.href;
}

/** A list of the languages, each in its own name; another one opens the same address in it. */
export function languageSwitch(): HTMLElement {
  const options = (Object.entries(languages) as [Language, string][]).map(([code, name]) =>
    make('option', { value: code, lang: code, selected: code === language }, name),
  );
  const list = make('select', { class: 'language', 'aria-label': words.html.language }, ...options);
  list.addEventListener('change', () => location.assign(addressIn(list.value)));
  // Coming back from another language, browsers put the list to where it was left.
  addEventListener('pageshow', () => {
    list.value = language;
  });
  return list;
}
