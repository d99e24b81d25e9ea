/** Made when the page is built: see vite.config.ts. */
declare module 'virtual:first-readings' {
  import type { PackedReading } from './packed_reading.js';

  const readings: PackedReading[];
  export default readings;
}
