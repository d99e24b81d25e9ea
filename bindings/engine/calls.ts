/** What can be asked of an engine, by the types that Embind emits: a name that C++ does not have is a type error. */

import type { Context, EmbindModule } from './embind.js';

/** An object of C++. */
interface EmbindObject {
  delete(): void;
}

/** The classes whose objects live inside of an engine. */
export type ClassName = {
  [Name in keyof EmbindModule]: EmbindModule[Name] extends new (
    ...args: never[]
  ) => EmbindObject
    ? Name
    : never;
}[keyof EmbindModule];

type Instance<Name extends ClassName> = InstanceType<EmbindModule[Name]>;

/** An object that lives inside of the engine, as callers hold it. */
export interface Handle<Name extends ClassName = ClassName> {
  readonly handle: number;
  readonly className: Name;
}

/** The classes that an object of C++ may be of. */
type ClassOf<T> = { [Name in ClassName]: Instance<Name> extends T ? Name : never }[ClassName];

/** What callers give in the place of an argument: a handle for an object. */
type Given<T> = T extends EmbindObject ? Handle<ClassOf<T>> : T;
type GivenAll<Args extends unknown[]> = {
  [I in keyof Args]: Given<NonNullable<Args[I]>> | Extract<Args[I], undefined>;
};

/** Arguments without the context, which the engine puts in front. */
type AfterContext<F> = F extends (context: Context, ...args: infer Args) => unknown ? GivenAll<Args> : never;

/** The functions that need nothing but the context. */
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

/** The classes that callers make objects of. */
export type MadeClass = Exclude<ClassName, 'Context'>;
export type ConstructorArgs<Name extends MadeClass> = EmbindModule[Name] extends new (
  context: Context,
  ...args: infer Args
) => unknown
  ? GivenAll<Args>
  : never;

/** A request as it crosses to a worker. Objects among the arguments are handles. */
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
