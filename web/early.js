// A classic script: it runs before anything is drawn, and before the page's modules are there.

// The language: what the address says, else what the reader's browser asks for, else English. The address keeps it, and so
// does every link that is copied from it.
{
  const known = ['en', 'fr', 'de', 'es', 'zh'];
  const url = new URL(location.href);
  const asked = [url.searchParams.get('lang'), ...navigator.languages].map((tag) =>
    (tag ?? '').toLowerCase().split('-')[0],
  );
  const language = asked.find((code) => known.includes(code)) ?? 'en';
  // Its words are asked for at once, not when the page's modules are there.
  const files = document.currentScript?.dataset.words?.split(' ') ?? [];
  const file = files[files.indexOf(language) + 1];
  if (files.includes(language)) {
    const link = Object.assign(document.createElement('link'), { rel: 'modulepreload', href: file });
    document.head.append(link);
  }
  document.documentElement.lang = language === 'zh' ? 'zh-Hans' : language;
  if (language !== 'en') {
    // The page's own English stays out of sight until the words of the language are there.
    document.documentElement.classList.add('awaits-words');
    if (url.searchParams.get('lang') !== language && location.protocol !== 'file:') {
      url.searchParams.set('lang', language);
      history.replaceState(null, '', url);
    }
  }
}

// Whether the visitor has touched the page, even while its modules were on their way: nothing moves by itself after that.
for (const touch of ['pointerdown', 'keydown', 'wheel', 'touchstart', 'focusin', 'hashchange'])
  addEventListener(touch, () => document.documentElement.setAttribute('data-touched', ''), {
    once: true,
    passive: true,
    capture: true,
  });

// From disk, browsers refuse the page's modules: a classic script says so. Nobody else needs it.
if (location.protocol === 'file:' && document.currentScript?.dataset.fromDisk)
  document.head.append(
    Object.assign(document.createElement('script'), { src: document.currentScript.dataset.fromDisk }),
  );
