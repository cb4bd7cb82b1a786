// Parses the environment into typed configuration, or returns the list of all its errors.
import { readFileSync } from 'node:fs';
import type { Environment } from './environment.ts';
import type { CheckContext, Mode, Section, SectionValues, Variable } from './section.ts';
import { nearest } from './suggest.ts';

export type Sections = Readonly<Record<string, Section>>;

export type ConfigValues<S extends Sections> = { readonly [K in keyof S]: SectionValues<S[K]['variables']> };

/** Values during parsing: undefined when not given or invalid. */
export type PartialValues<S extends Sections> = {
  readonly [K in keyof S]: Partial<SectionValues<S[K]['variables']>>;
};

export interface ConfigSource<S extends Sections> {
  readonly sections: S;
  readonly environment: Environment;
  readonly mode: Mode;
  /** The sections whose required variables and checks apply; all when left out. */
  readonly active?: (values: PartialValues<S>) => readonly (keyof S)[];
  /** Checks that need several sections. */
  readonly check?: (values: PartialValues<S>, context: CheckContext) => readonly string[];
  readonly readFile?: (path: string) => string;
}

export type ConfigResult<S extends Sections> =
  | { readonly ok: true; readonly values: ConfigValues<S> }
  | { readonly ok: false; readonly issues: readonly string[] };

/** `NAME_FILE` names the file of a secret. */
export const FILE_SUFFIX = '_FILE';
/** The prefix of variables that test support passes to test processes. A process that a test starts inherits them. */
const TEST_PREFIX = 'KEDJA_TEST_';

/** Reads every section and lists every error at once. Secrets appear in no error. */
export function parseConfig<S extends Sections>(source: ConfigSource<S>): ConfigResult<S> {
  const reader = new Reader(source.environment, source.mode, source.readFile ?? readText);
  const values = readSections(source.sections, reader) as PartialValues<S>;
  const active = new Set(source.active?.(values) ?? Object.keys(source.sections));
  for (const [name, section] of Object.entries(source.sections)) {
    if (!active.has(name)) continue;
    for (const variable of Object.values(section.variables)) reader.require(variable);
  }
  for (const [name, section] of Object.entries(source.sections)) {
    if (active.has(name)) reader.add(section.check?.(values[name] ?? {}, reader.context) ?? []);
  }
  reader.add(source.check?.(values, reader.context) ?? []);
  reader.add(unknownVariables(source.sections, source.environment));
  if (reader.issues.length > 0) return { ok: false, issues: reader.issues };
  return { ok: true, values: values as ConfigValues<S> };
}

function readSections(sections: Sections, reader: Reader): Record<string, Record<string, unknown>> {
  const values: Record<string, Record<string, unknown>> = {};
  for (const [name, section] of Object.entries(sections)) {
    values[name] = Object.fromEntries(
      Object.entries(section.variables).map(([key, variable]) => [key, reader.read(variable)]),
    );
  }
  return values;
}

/** Reads single variables and collects the errors in order. */
class Reader {
  readonly issues: string[] = [];
  readonly context: CheckContext;
  readonly #environment: Environment;
  readonly #invalidNames = new Set<string>();

  constructor(environment: Environment, mode: Mode, readFile: (path: string) => string) {
    this.#environment = environment;
    this.context = { mode, readFile, hasIssue: (env) => this.#invalidNames.has(env) };
  }

  add(issues: readonly string[]): void {
    this.issues.push(...issues);
  }

  /** The given value, else the mode's default. Undefined when there is neither or the value is invalid. */
  read(variable: Variable): unknown {
    const text = this.#text(variable);
    if (text === undefined) {
      return this.#invalidNames.has(variable.env) ? undefined : variable.defaults[this.context.mode];
    }
    const result = variable.parse(text);
    if (result.ok) return result.value;
    const shown = variable.secret ? '' : ` (it is ${JSON.stringify(text)})`;
    for (const issue of result.issues) this.#issue(variable.env, `${issue}${shown}`);
    return undefined;
  }

  /** Reports a variable that a production start requires and that is absent. */
  require(variable: Variable): void {
    if (!variable.required || this.context.mode !== 'production' || this.#invalidNames.has(variable.env)) return;
    if (this.#text(variable) === undefined) this.#issue(variable.env, `is missing: ${variable.description}`);
  }

  #text(variable: Variable): string | undefined {
    const direct = this.#environment[variable.env];
    const path = variable.secret ? this.#environment[variable.env + FILE_SUFFIX] : undefined;
    if (path === undefined || path === '')
      return direct === undefined || direct.trim() === '' ? undefined : tidy(variable, direct);
    if (direct !== undefined && direct !== '') {
      this.#issue(variable.env, `is given twice: by its own name and as ${variable.env}${FILE_SUFFIX}`);
      return undefined;
    }
    return this.#fileText(variable, path);
  }

  #fileText(variable: Variable, path: string): string | undefined {
    try {
      const content = this.context.readFile(path).replace(/\r?\n$/, '');
      if (content.trim() !== '') return content;
      this.#issue(variable.env, `is empty: the file that ${variable.env}${FILE_SUFFIX} names holds nothing (${path})`);
    } catch (error) {
      const reason = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
      this.#issue(
        variable.env,
        `cannot be read from the file that ${variable.env}${FILE_SUFFIX} names (${path}): ${reason}`,
      );
    }
    return undefined;
  }

  #issue(env: string, message: string): void {
    this.#invalidNames.add(env);
    const issue = `${env} ${message}`;
    if (!this.issues.includes(issue)) this.issues.push(issue);
  }
}

function tidy(variable: Variable, text: string): string {
  return variable.secret ? text : text.trim();
}

function readText(path: string): string {
  return readFileSync(path, 'utf8');
}

function unknownVariables(sections: Sections, environment: Environment): string[] {
  const known = new Set<string>();
  for (const section of Object.values(sections)) {
    for (const variable of Object.values(section.variables)) {
      known.add(variable.env);
      if (variable.secret) known.add(variable.env + FILE_SUFFIX);
    }
  }
  return Object.keys(environment)
    .filter((name) => name.toUpperCase().startsWith('KEDJA_') && !known.has(name) && !name.startsWith(TEST_PREFIX))
    .sort()
    .map((name) => {
      const suggestion = nearest(name.toUpperCase(), known);
      return `${name} is not a known variable${suggestion === undefined ? '' : `; did you mean ${suggestion}?`}`;
    });
}
