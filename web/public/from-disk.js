// A classic script, which browsers run from disk too: there, they refuse modules, so that the page would stay silent. The
// page's words are in modules as well; what it says here, it brings along. early.js asks for it there alone.
{
  const notices = {
    en:
      'This page was opened from disk, where browsers do not let it load its engine. Serve its folder, for example with ' +
      '“npx serve”, or build the page as one file that works from disk: “npm run build:single”.',
    fr:
      'Cette page a été ouverte depuis le disque, d’où les navigateurs ne la laissent pas charger son moteur. Servez son dossier, ' +
      'par exemple avec « npx serve », ou construisez la page en un seul fichier qui fonctionne depuis le disque : ' +
      '« npm run build:single ».',
    de:
      'Diese Seite wurde von der Festplatte geöffnet; von dort lassen Browser sie ihre Engine nicht laden. Stellen Sie ihren Ordner ' +
      'über einen Server bereit, etwa mit „npx serve“, oder bauen Sie die Seite als eine Datei, die auch so läuft: ' +
      '„npm run build:single“.',
    es:
      'Esta página se abrió desde el disco, desde donde los navegadores no le dejan cargar su motor. Sirva su carpeta, por ejemplo ' +
      'con «npx serve», o construya la página como un solo archivo que funciona desde el disco: «npm run build:single».',
    zh:
      '本页是从磁盘直接打开的，浏览器不允许它这样加载引擎。请通过服务器提供它的文件夹，例如用“npx serve”；' +
      '或者把页面构建成可以从磁盘打开的单个文件：“npm run build:single”。',
  };
  const say = () => {
    const root = document.documentElement;
    const language = root.lang.split('-')[0];
    const notice = document.createElement('p');
    notice.className = 'message from-disk';
    notice.setAttribute('role', 'alert');
    notice.lang = root.lang;
    notice.textContent = notices[language] ?? notices.en;
    document.querySelector('main').prepend(notice);
    // The rest stays in English, as the page's HTML has it.
    root.lang = 'en';
    root.classList.remove('awaits-words');
  };
  if (document.readyState === 'loading') addEventListener('DOMContentLoaded', say);
  else say();
}
