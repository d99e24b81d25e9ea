/** Reports that arrive on their own, of which a reader takes the latest: those that came in between are dropped. */
export class LatestReport<T> {
  #latest: { readonly report: T } | undefined;
  #failure: { readonly error: unknown } | undefined;
  #wake = () => {};

  resolve(report: unknown): void {
    this.#latest = { report: report as T };
    this.#wake();
  }

  /** The reader learns of a failure at once, before reports that it has not taken yet. */
  reject(error: unknown): void {
    this.#failure ??= { error };
    this.#wake();
  }

  /** Waits for a report that was not taken yet. */
  async next(): Promise<T> {
    for (;;) {
      if (this.#failure) throw this.#failure.error;
      const latest = this.#latest;
      this.#latest = undefined;
      if (latest) return latest.report;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}
