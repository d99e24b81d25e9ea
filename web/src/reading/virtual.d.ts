/** Made when the page is built, of the type `FirstReadings`: see vite.config.mjs. */
declare module 'virtual:first-readings' {
  const first: unknown;
  export default first;
}

/** The files of the models as compressed data: URLs, by path; only in the page that is a single file. */
declare module 'virtual:packed-models' {
  const packed: Readonly<Record<string, string>>;
  export default packed;
}
