// Reads the inputs of a terminology operation, from a query or from Parameters
// (hl7.org/fhir/R5/operations.html#request). A text may have any value type, as clients differ.
import { type Json, objects, text } from '../json.ts';
import type { Coding } from '../model/code-system-model.ts';
import { readCoding } from '../model/read-code-system.ts';

export interface InputIssue {
  readonly name: string;
  readonly message: string;
}

const NONE: readonly never[] = [];
/** So many parameters are not indexed by their names. */
const FEW = 16;
const NO_DEFAULTS: ReadonlySet<Json> = new Set();
/** The most different values of a parameter that is compared with every code, and the most characters of a text. */
const MAX_VALUES = 100;
const MAX_TEXT = 1_000;

/** Boolean parameters of all operations. */
const BOOLEANS = [
  'abstract',
  'activeOnly',
  'compositional',
  'exact',
  'excludeNested',
  'excludeNotForUI',
  'includeDefinition',
  'includeDesignations',
  'inferSystem',
  'lenient-display-validation',
  'valueset-membership-only',
] as const;
const COUNTS = ['count', 'offset'] as const;

export class Inputs {
  readonly #parameters: readonly Json[];
  /** Only of many parameters: an operation reads twenty names, and looks through few parameters faster. */
  readonly #byName: ReadonlyMap<unknown, readonly Json[]> | undefined;
  readonly #issues: InputIssue[] = [];
  /** Most requests have no issues. */
  #reported: Set<string> | undefined;
  /** Defaults for names that are not given. */
  readonly #shared: ReadonlySet<Json>;

  constructor(parameters: readonly Json[], shared: readonly Json[] = NONE) {
    this.#parameters = parameters;
    this.#shared = shared.length === 0 ? NO_DEFAULTS : new Set(shared);
    this.#byName = parameters.length > FEW ? Map.groupBy(parameters, ({ name }) => name) : undefined;
  }

  static ofQuery(query: URLSearchParams): Inputs {
    const parameters: Json[] = [];
    for (const [name, valueString] of query) parameters.push({ name, valueString });
    return new Inputs(parameters);
  }

  /** Of a query string without `?`; undefined for one that cannot be decoded. */
  static ofQueryText(query: string): Inputs | undefined {
    const parameters = parametersOfQuery(query);
    return parameters === undefined ? undefined : new Inputs(parameters);
  }

  /** The names of the given parameters that are neither known nor to be ignored, each once. */
  namesBut(known: ReadonlySet<string>, isIgnored: (name: string) => boolean): readonly string[] {
    let others: Set<string> | undefined;
    for (const { name } of this.#parameters) {
      if (typeof name !== 'string' || known.has(name) || isIgnored(name)) continue;
      others ??= new Set();
      others.add(name);
    }
    return others === undefined ? NONE : [...others];
  }

  /** The same object for the same parameters: what was done of a request is found by it when the request runs again. */
  get identity(): object {
    return this.#parameters;
  }

  /** The issues of the parameters read so far. */
  get issues(): readonly InputIssue[] {
    return this.#issues;
  }

  /** The issues of all parameters, when an error has ended the reading early. */
  allIssues(): readonly InputIssue[] {
    for (const name of BOOLEANS) this.boolean(name);
    for (const name of COUNTS) this.count(name);
    return this.#issues;
  }

  issue(name: string, message: string): void {
    // A parameter may be read several times; an issue is added once.
    const key = `${name}\n${message}`;
    this.#reported ??= new Set();
    if (this.#reported.has(key)) return;
    this.#reported.add(key);
    this.#issues.push({ name, message });
  }

  has(name: string): boolean {
    if (this.#byName !== undefined) return this.#byName.has(name);
    for (const each of this.#parameters) if (each['name'] === name) return true;
    return false;
  }

  /**
   * The given one of alternative parameters; more than one is an issue.
   * @param purpose its purpose in the message: `says what is looked up`
   */
  oneOf(names: readonly string[], purpose: string): string | undefined {
    let first: string | undefined;
    for (const name of names) {
      if (!this.has(name) || this.#isEmpty(name)) continue;
      if (first === undefined) first = name;
      else this.issue(name, `${name} must not be given beside ${first}: one of them ${purpose}`);
    }
    return first;
  }

  text(name: string): string | undefined {
    const found = this.#named(name);
    if (found.length === 0) return undefined;
    // Nearly always it is given once.
    const given = found.length === 1 ? found[0]?.['valueString'] : undefined;
    return typeof given === 'string' && given !== '' ? given : this.#only(name, this.texts(name));
  }

  texts(name: string): readonly string[] {
    if (!this.has(name)) return NONE;
    const texts: string[] = [];
    for (const value of this.#values(name)) {
      // An empty text is ignored, as it cannot be echoed: FHIR has none.
      if (value === '') continue;
      if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
        texts.push(String(value));
      else this.issue(name, `${name} must be a text`);
    }
    return texts;
  }

  /** The different texts of a parameter that every code is compared with: at most 100. */
  fewTexts(name: string): readonly string[] {
    const texts = this.texts(name);
    if (texts.length < 2) return texts;
    const different = [...new Set(texts)];
    if (different.length <= MAX_VALUES) return different;
    this.issue(name, `${name} must have at most ${MAX_VALUES} different values; it has ${different.length}`);
    return NONE;
  }

  /** A text of at most 1,000 characters. */
  shortText(name: string): string | undefined {
    const text = this.text(name);
    if (text === undefined || text.length <= MAX_TEXT) return text;
    this.issue(name, `${name} must have at most ${MAX_TEXT} characters; it has ${text.length}`);
    return undefined;
  }

  boolean(name: (typeof BOOLEANS)[number]): boolean | undefined {
    const given = this.text(name);
    if (given === undefined || given === 'true' || given === 'false')
      return given === undefined ? undefined : given === 'true';
    this.issue(name, `${name} must be true or false`);
    return undefined;
  }

  /** A whole number that is not negative. */
  count(name: (typeof COUNTS)[number]): number | undefined {
    const given = this.text(name);
    if (given === undefined) return undefined;
    if (/^\d{1,9}$/.test(given)) return Number(given);
    this.issue(name, `${name} must be a whole number, 0 or more`);
    return undefined;
  }

  coding(name: string): Coding | undefined {
    const value = this.value(name);
    if (value === undefined) return undefined;
    const [coding] = objects(value);
    if (coding !== undefined && text(coding['code']) !== undefined) return readCoding(coding);
    this.issue(name, `${name} must be a Coding with a code`);
    return undefined;
  }

  /** The Codings of a parameter that may be repeated. */
  codingsNamed(name: string): readonly Coding[] {
    return this.#values(name).flatMap((value) => {
      const [coding] = objects(value);
      if (coding !== undefined && text(coding['code']) !== undefined) return [readCoding(coding)];
      this.issue(name, `${name} must be a Coding with a code`);
      return [];
    });
  }

  /** The Codings of a CodeableConcept. */
  codings(name: string): readonly Coding[] | undefined {
    const value = this.value(name);
    if (value === undefined) return undefined;
    const [concept] = objects(value);
    const codings = objects(concept?.['coding']).map(readCoding);
    if (codings.length > 0) return codings;
    this.issue(name, `${name} must be a CodeableConcept with a coding`);
    return undefined;
  }

  /** Whether any parameter is a resource. */
  get holdsResources(): boolean {
    return this.#parameters.some(({ resource }) => resource !== undefined);
  }

  /** Whether the parameter is a resource. */
  holdsResource(name: string): boolean {
    return this.#named(name).some(({ resource }) => resource !== undefined);
  }

  resources(name: string): Json[] {
    return this.#named(name).flatMap(({ resource }) => {
      const [found] = objects(resource);
      if (found === undefined) this.issue(name, `${name} must be a resource`);
      return found === undefined ? [] : [found];
    });
  }

  /** The resource of the parameter, which must have the given type. */
  resource(name: string, resourceType: string): Json | undefined {
    const found = this.#only(name, this.resources(name));
    if (found === undefined || found['resourceType'] === resourceType) return found;
    this.issue(name, `${name} must be a ${resourceType}`);
    return undefined;
  }

  /** The value as it was sent. */
  value(name: string): unknown {
    return this.#only(name, this.#values(name));
  }

  /** The parts of each parameter of this name. */
  parts(name: string): Inputs[] {
    return this.#named(name).map(({ part }) => new Inputs(objects(part)));
  }

  /** The inputs in each Parameters resource of this name, in order; undefined for any other value. */
  batch(name: string): (Inputs | undefined)[] {
    return this.#named(name).map(({ resource }) => {
      const [found] = objects(resource);
      return found?.['resourceType'] === 'Parameters' ? new Inputs(objects(found['parameter'])) : undefined;
    });
  }

  /** With these parameters as well; its own take precedence. */
  with(more: readonly Json[]): Inputs {
    return new Inputs([...this.#parameters, ...more], more);
  }

  /** With these parameters, which take precedence over its own. */
  after(more: readonly Json[]): Inputs {
    return new Inputs([...more, ...this.#parameters]);
  }

  /** The parameters of these names, as they were sent. */
  named(...names: readonly string[]): readonly Json[] {
    return this.#parameters.filter(({ name }) => names.some((each) => each === name));
  }

  /** All parameters except those of the name. */
  without(name: string): readonly Json[] {
    return this.#parameters.filter((parameter) => parameter['name'] !== name);
  }

  /** The first value of a parameter that may be given once. */
  #only<T>(name: string, values: readonly T[]): T | undefined {
    if (values.length > 1) {
      const own = this.#named(name).filter((each) => !this.#shared.has(each));
      if (own.length !== 1) this.issue(name, `${name} must be given once`);
    }
    return values[0];
  }

  #named(name: string): readonly Json[] {
    if (this.#byName !== undefined) return this.#byName.get(name) ?? NONE;
    let found: Json[] | undefined;
    for (const each of this.#parameters) {
      if (each['name'] !== name) continue;
      if (found === undefined) found = [each];
      else found.push(each);
    }
    return found ?? NONE;
  }

  /** Whether all values of the parameter are empty texts. */
  #isEmpty(name: string): boolean {
    return this.#named(name).every((parameter) => {
      // A resource is no value, and not empty either.
      const member = valueMemberOf(parameter);
      return member !== undefined && parameter[member] === '';
    });
  }

  #values(name: string): readonly unknown[] {
    const named = this.#named(name);
    if (named.length === 0) return NONE;
    const values: unknown[] = [];
    for (const parameter of named) {
      const member = valueMemberOf(parameter);
      if (member === undefined) this.issue(name, `${name} has no value`);
      else if (parameter[member] !== undefined) values.push(parameter[member]);
    }
    return values;
  }
}

/** Parses the pairs of a query string (application/x-www-form-urlencoded), as URLSearchParams does for valid ones. */
function parametersOfQuery(query: string): Json[] | undefined {
  const parameters: Json[] = [];
  const isPlain = !query.includes('%') && !query.includes('+');
  // URLSearchParams also leaves out one question mark at the beginning.
  for (let start = query.startsWith('?') ? 1 : 0; start <= query.length; ) {
    const next = query.indexOf('&', start);
    const end = next === -1 ? query.length : next;
    if (end > start) {
      const equals = query.indexOf('=', start);
      const nameEnd = equals === -1 || equals > end ? end : equals;
      const [rawName, rawValue] = [query.slice(start, nameEnd), query.slice(nameEnd + 1, end)];
      const name = isPlain ? rawName : decoded(rawName);
      const valueString = isPlain ? rawValue : decoded(rawValue);
      if (name === undefined || valueString === undefined) return undefined;
      parameters.push({ name, valueString });
    }
    start = end + 1;
  }
  return parameters;
}

function decoded(text: string): string | undefined {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  if (!spaced.includes('%')) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch {
    return undefined;
  }
}

/** The member `value[x]` of a parameter. */
function valueMemberOf(parameter: Json): string | undefined {
  for (const member of Object.keys(parameter)) if (member.startsWith('value')) return member;
  return undefined;
}
