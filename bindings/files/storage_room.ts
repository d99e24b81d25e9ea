/** The room that a browser gives to a page's origin: how much there is, and whether it may be taken back. */

const storage = () => (globalThis.navigator as Navigator | undefined)?.storage;

/** Asks the browser not to delete what is kept when space runs short; the reason if it will not promise that. */
export async function askToPersist(): Promise<string | null> {
  const ask = storage()?.persist;
  if (!ask) return 'it has no navigator.storage.persist';
  try {
    const isGranted = (await storage()?.persisted()) || (await storage()?.persist());
    return isGranted ? null : 'it did not grant navigator.storage.persist()';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Bytes that can still be kept; `null` where nobody says. */
export async function roomLeft(): Promise<number | null> {
  const { quota, usage } =
    (await storage()
      ?.estimate?.()
      .catch(() => undefined)) ?? {};
  return quota === undefined || usage === undefined ? null : Math.max(0, quota - usage);
}

/** `; the browser gives this origin 2.1 GB, of which 2 GB are used`; empty where it does not say. */
export async function roomIn(): Promise<string> {
  const { quota, usage } =
    (await storage()
      ?.estimate?.()
      .catch(() => undefined)) ?? {};
  if (quota === undefined || usage === undefined) return '';
  return `; the browser gives this origin ${sizeOf(quota)}, of which ${sizeOf(usage)} are used`;
}

const sizeOf = (bytes: number) =>
  bytes < 1e9 ? `${Number((bytes / 1e6).toPrecision(3))} MB` : `${Number((bytes / 1e9).toPrecision(3))} GB`;
