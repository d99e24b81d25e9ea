// In the list of guides and modules, a module opens and closes, and its own page is the first entry below it: what can be
// pressed has no link inside of it.
{
  const list = document.querySelector('nav.tsd-navigation');
  const tidy = () => {
    for (const link of list?.querySelectorAll('summary a') ?? []) {
      const entries = link.closest('details')?.querySelector('ul');
      const name = document.createElement('span');
      name.textContent = link.textContent;
      link.replaceWith(name);
      const entry = document.createElement('li');
      link.textContent = `All of ${name.textContent}`;
      entry.append(link);
      entries?.prepend(entry);
    }
  };
  // A permalink in the heading of a section that opens and closes, likewise.
  for (const link of document.querySelectorAll('summary .tsd-anchor-icon')) link.remove();
  // What is scrolled sideways can be reached with the keyboard.
  for (const table of document.querySelectorAll('.tsd-typography table'))
    if (table.scrollWidth > table.clientWidth) table.tabIndex = 0;
  if (list) new MutationObserver(tidy).observe(list, { childList: true, subtree: true });
  tidy();
}
