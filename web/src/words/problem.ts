/** What could not be done, in the reader's own language: it is shown as it stands. */
export class Problem extends Error {}
