/** Types of results whose optional parts were asked for. */

/** A result that has these parts, because the options of the call ask for them. */
export type Given<Result, Parts extends keyof Result> = Result & {
  [Part in Parts]-?: NonNullable<Result[Part]>;
};
