// Declares the configuration of a part of the program: a section of typed variables and the checks across them. The
// same declaration is the parser, the TypeScript type, `.env.example` and the reference page.
import type { Parsed, ValueType } from './types.ts';

/** `production` is `kedja start`; `demo` needs nothing and has its own defaults. */
export type Mode = 'production' | 'demo';

export interface Variable<T = unknown> {
  readonly env: string;
  readonly label: string;
  readonly description: string;
  readonly secret: boolean;
  /** Whether a production start is refused without it. */
  readonly required: boolean;
  readonly defaults: Readonly<Record<Mode, T | undefined>>;
  /** The defaults in the form of the environment. */
  readonly defaultTexts: Readonly<Record<Mode, string | undefined>>;
  /** The behaviour without a value and without a default, for the reference page. */
  readonly whenUnset: string | undefined;
  readonly example: string | undefined;
  readonly parse: (text: string) => Parsed<T>;
}

export interface VariableSettings<T> {
  readonly description: string;
  readonly default?: T;
  /** The default of demo mode, where it differs. */
  readonly demo?: T;
  /** A production start is refused without it. */
  readonly required?: boolean;
  readonly whenUnset?: string;
  readonly example?: string;
}

type ValueOf<T, S> = S extends { readonly default: unknown } ? T : T | undefined;

/** Declares one variable; with a default its value is never undefined. */
export function variable<T, const S extends VariableSettings<T>>(
  env: string,
  type: ValueType<T>,
  settings: S & VariableSettings<T>,
): Variable<ValueOf<T, S>> {
  const defaults = { production: settings.default, demo: settings.demo ?? settings.default };
  const declared: Variable<T | undefined> = {
    env,
    label: type.label,
    description: settings.description,
    secret: type.secret,
    required: settings.required ?? false,
    defaults,
    defaultTexts: { production: textOf(defaults.production), demo: textOf(defaults.demo) },
    whenUnset: settings.whenUnset,
    example: settings.example,
    parse: type.parse,
  };
  return declared as Variable<ValueOf<T, S>>;
}

/** A default in the form of the environment. */
function textOf(value: unknown): string | undefined {
  return value === undefined ? undefined : Array.isArray(value) ? value.join(',') : String(value);
}

export type Variables = Readonly<Record<string, Variable>>;

export type SectionValues<V extends Variables> = {
  readonly [K in keyof V]: V[K] extends Variable<infer T> ? T : never;
};

export interface CheckContext {
  readonly mode: Mode;
  /** Whether an error of this variable is already reported, so that a check need not add a second. */
  readonly hasIssue: (env: string) => boolean;
  /** The content of a file that a variable names. @throws when it cannot be read. */
  readonly readFile: (path: string) => string;
}

export interface Section<V extends Variables = Variables> {
  readonly title: string;
  readonly variables: V;
  /**
   * Errors that need several variables or the mode. A value is undefined when it is not given or is itself invalid.
   * Texts begin with the variable's name and never hold a secret.
   */
  check?(values: Partial<SectionValues<V>>, context: CheckContext): readonly string[];
}

/** Declares a section; infers the type of its values. */
export function defineSection<const V extends Variables>(section: Section<V>): Section<V> {
  return section;
}
