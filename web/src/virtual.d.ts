/** Made when the page is built, of the type `FirstReadings`: see vite.config.mjs. */
declare module 'virtual:first-readings' {
  const first: unknown;
  export default first;
}
