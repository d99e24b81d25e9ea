/**
 * The part of the template library's public interface that is used. Its own declarations do not work with a compiler
 * that resolves modules as Node.js does.
 */
declare module '@huggingface/jinja' {
  interface Program {
    readonly type: string;
  }
  interface RuntimeValue {
    readonly value: unknown;
  }

  export function tokenize(
    template: string,
    options: { lstrip_blocks: boolean; trim_blocks: boolean },
  ): unknown;
  export function parse(tokens: unknown): Program;

  export class Environment {
    set(name: string, value: unknown): unknown;
  }

  export class Interpreter {
    constructor(environment: Environment);
    run(program: Program): RuntimeValue;
    evaluate(statement: unknown, environment: Environment): RuntimeValue;
  }
}
