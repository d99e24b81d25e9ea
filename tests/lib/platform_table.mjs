// The cases of platform_cases.mjs as a table of the guide: which pass for which object, and why the others differ.

const heading = '| expected | Translator | LanguageDetector |\n|---|---|---|\n';

/** @param differences the reason of each case that does not pass, by what it expects */
export function platformTable(results, differences) {
  const whats = [...new Set(results.map(({ what }) => what))];
  const cell = (object, what) => {
    const found = results.find((one) => one.object === object && one.what === what);
    if (!found) return '';
    return found.passes ? 'yes' : `no: ${differences[what] ?? found.message}`;
  };
  const rows = whats.map(
    (what) => `| ${what} | ${cell('Translator', what)} | ${cell('LanguageDetector', what)} |`,
  );
  return `${heading}${rows.join('\n')}\n`;
}

/** The text of the guide with another table. */
export function withTable(guide, table) {
  const begin = guide.indexOf(heading);
  const end = guide.indexOf('\n\n', begin) + 1;
  return guide.slice(0, begin) + table + guide.slice(end);
}
