/** The calls that an engine accepts, by the types that Embind emits: a name that C++ lacks is a type error. */

import type { Context, EmbindModule } from '../modules/embind.js';

/** A C++ object. */
interface EmbindObject {
  delete(): void;
}

/** The classes whose objects live in an engine. */
export type ClassName = {
  [Name in keyof EmbindModule]: EmbindModule[Name] extends new (
    ...args: never[]
  ) => EmbindObject
    ? Name
    : never;
}[keyof EmbindModule];

type Instance<Name extends ClassName> = InstanceType<EmbindModule[Name]>;

/** A reference to an object in the engine. */
export interface Handle<Name extends ClassName = ClassName> {
  readonly handle: number;
  readonly className: Name;
}

/** The classes that a C++ object may be an instance of. */
type ClassOf<T> = { [Name in ClassName]: Instance<Name> extends T ? Name : never }[ClassName];

/** The caller's form of an argument: a handle in place of an object. */
type Given<T> = T extends EmbindObject ? Handle<ClassOf<T>> : T;
type GivenAll<Args extends unknown[]> = {
  [I in keyof Args]: Given<NonNullable<Args[I]>> | Extract<Args[I], undefined>;
};

/** Arguments without the context, which the engine prepends. */
type AfterContext<F> = F extends (context: Context, ...args: infer Args) => unknown ? GivenAll<Args> : never;

/** Functions that take the context and values only. */
export type FunctionName = {
  [Name in keyof EmbindModule]: EmbindModule[Name] extends (context: Context, ...args: never[]) => unknown
    ? Name
    : never;
}[keyof EmbindModule];
export type FunctionArgs<Name extends FunctionName> = AfterContext<EmbindModule[Name]>;
export type FunctionResult<Name extends FunctionName> = ReturnType<EmbindModule[Name]>;

/** The methods of a class. */
export type MethodName<Name extends ClassName> = Exclude<keyof Instance<Name>, 'delete'>;
type Method<Name extends ClassName, M> = M extends keyof Instance<Name> ? Instance<Name>[M] : never;
export type MethodArgs<Name extends ClassName, M> =
  Method<Name, M> extends (...args: infer Args) => unknown ? GivenAll<Args> : never;
export type MethodResult<Name extends ClassName, M> =
  Method<Name, M> extends (...args: never[]) => infer Result ? Result : never;

/** Classes that callers can instantiate. */
export type MadeClass = Exclude<ClassName, 'Context'>;
export type ConstructorArgs<Name extends MadeClass> = EmbindModule[Name] extends new (
  context: Context,
  ...args: infer Args
) => unknown
  ? GivenAll<Args>
  : never;

/** A generation from its beginning to its end. */
export interface Run {
  /** The model, the input and the settings. */
  readonly args: ConstructorArgs<'Generation'>;
  /** A smaller model that guesses what follows. */
  readonly assistant?: MethodArgs<'Generation', 'assist'>[0] | undefined;
  /** Whether every report has the results so far, not only the last one. */
  readonly reportsResults?: boolean | undefined;
}

/** A request in the form that crosses to a worker. Objects among the arguments are handles. */
export type Call =
  | { readonly kind: 'call'; readonly name: string; readonly args: readonly unknown[] }
  | {
      readonly kind: 'invoke';
      readonly target: Handle;
      readonly method: string;
      readonly args: readonly unknown[];
    }
  | { readonly kind: 'create'; readonly className: ClassName; readonly args: readonly unknown[] }
  | { readonly kind: 'release'; readonly handle: Handle };
