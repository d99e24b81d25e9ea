/** Language tags, as the platform's interfaces read them. */

/** @throws RangeError for what is no BCP 47 tag. */
export function canonicalTag(value: unknown): string {
  return Intl.getCanonicalLocales(String(value))[0] ?? '';
}

/** @throws TypeError where a member is missing. */
export function requiredTag(options: unknown, name: string): string {
  const value = (options as Record<string, unknown> | null | undefined)?.[name];
  if (value === undefined) throw new TypeError(`${name} is required`);
  return canonicalTag(value);
}

/** A tag and what serves in its place, best first: without its region, with the script that it implies. */
export function fallbacks(tag: string): string[] {
  const { language, script } = new Intl.Locale(tag).maximize();
  const parts = tag.split('-');
  const shorter = parts.map((_, i) => parts.slice(0, parts.length - i).join('-'));
  const withScript = script ? [`${language}-${script}`] : [];
  return [...new Set([tag, ...withScript, ...shorter])];
}

/** Whether a reader of one language reads the other: the same one, in the same script. */
export function isSameLanguage(a: string, b: string): boolean {
  const [one, other] = [a, b].map((tag) => new Intl.Locale(tag).maximize());
  return one?.language === other?.language && one?.script === other?.script;
}
