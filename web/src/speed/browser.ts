/** Which browser this is, as far as a figure needs it. */

interface Brands {
  readonly brands: readonly { readonly brand: string; readonly version: string }[];
  readonly platform: string;
}

/** `Chromium 156 on Linux, 2 processors` */
export function browserText(): string {
  const data = (navigator as { readonly userAgentData?: Brands }).userAgentData;
  const brand = data?.brands.findLast(({ brand: name }) => !/not.?a.?brand/i.test(name.replace(/\W/g, '')));
  const [, name, version] =
    /(Firefox|Edg|Chrome)\/(\d+)/.exec(navigator.userAgent) ??
    /Version\/(\d+).*(Safari)/.exec(navigator.userAgent)?.map((_, i, all) => all[3 - i] ?? '') ??
    [];
  const known = brand ? `${brand.brand} ${brand.version}` : name ? `${name} ${version}` : 'a browser';
  const processors = navigator.hardwareConcurrency;
  return `${known}${data?.platform ? ` on ${data.platform}` : ''}, ${processors} processor${processors === 1 ? '' : 's'}`;
}
