// A classic script, which browsers run from disk too: there, they refuse modules, so that the page would stay silent.
if (location.protocol === 'file:') {
  addEventListener('DOMContentLoaded', () => {
    const notice = document.createElement('p');
    notice.className = 'message from-disk';
    notice.setAttribute('role', 'alert');
    notice.textContent =
      'This page was opened from disk, where browsers do not let it load its engine. Serve its folder, for example with ' +
      '“npx serve”, or build the page as one file that works from disk: “npm run build:single”.';
    document.querySelector('main').prepend(notice);
  });
}
