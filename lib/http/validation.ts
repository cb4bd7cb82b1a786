// Request validation by Ajv from the TypeBox schemas of the routes: bodies are taken as they are, everything in the URL
// is text and therefore coerced, unknown fields are errors, and every error is named, up to a hundred (decisions G2 and
// G4).
import { Ajv, type ErrorObject, type Options, type ValidateFunction } from 'ajv';
import addFormatsModule from 'ajv-formats';
import type { FastifySchemaCompiler } from 'fastify';
import { furtherIssues, type Issue, MAX_ISSUES } from '../errors.ts';
import { withBounds, withGuards } from './body/schema-bounds.ts';

// `verbose` hands the failed schema to `describe`, which looks for its hint.
const OPTIONS: Options = { verbose: true, useDefaults: true, removeAdditional: false, strict: false };
const WHERE: Readonly<Record<string, string>> = { querystring: 'query parameter', params: 'path', headers: 'header' };

/** Ajv's own code counts what it has found; from here on it is stopped. */
const STOP = `errors++;if(errors>${MAX_ISSUES})throw vErrors;`;

/** Stands at the end of errors that are not all that there are. */
const STOPPED: ErrorObject = { keyword: 'stopped', instancePath: '', schemaPath: '', params: {} };

// ajv-formats is CommonJS whose types put the function under `default`.
const addFormats = addFormatsModule.default ?? addFormatsModule;

/**
 * One pair of Ajvs for bodies (no coercion) and one for the parts of the URL and the headers (coercion from text). The
 * first of a pair ends at the first error; the second is asked only then, and finds as many as are shown: to find each
 * of hundreds of thousands would take seconds.
 */
export function createValidatorCompiler(): FastifySchemaCompiler<object> {
  const forBodies = createPair(false);
  const forText = createPair('array');
  return ({ schema, httpPart }) => {
    const isBody = httpPart === 'body';
    const { quick, thorough } = isBody ? forBodies : forText;
    const bounded = isBody ? withBounds(schema) : schema;
    // Compiled when it is first needed: most of a start's processor time went into schemas that few requests meet.
    let isValid: ValidateFunction | undefined;
    let findAll: ValidateFunction | undefined;
    return Object.assign(validate, { errors: null as ErrorObject[] | null });

    function validate(value: unknown): boolean {
      isValid ??= quick.compile(bounded);
      if (isValid(value)) return true;
      findAll ??= thorough.compile(isBody ? withGuards(bounded) : schema);
      const first = isValid.errors ?? [];
      Object.assign(validate, { errors: faultyParts(findAll, value, first) });
      return false;
    }
  };
}

function createPair(coerceTypes: false | 'array'): { quick: Ajv; thorough: Ajv } {
  const quick = new Ajv({ ...OPTIONS, coerceTypes });
  const process = (code: string) => code.replaceAll('errors++;', STOP);
  const thorough = new Ajv({ ...OPTIONS, coerceTypes, allErrors: true, code: { process } });
  addFormats(quick);
  addFormats(thorough);
  return { quick, thorough };
}

/** `first` stands for them where they were not found again. */
function faultyParts(findAll: ValidateFunction, value: unknown, first: readonly ErrorObject[]): ErrorObject[] {
  try {
    findAll(value);
    return [...(findAll.errors ?? first)];
  } catch (found) {
    // A part of an `anyOf` may have failed several times while another part accepts the value.
    if (Array.isArray(found)) return [...first, ...found, STOPPED];
    throw found;
  }
}

/** Ajv's errors as errors: one for each field and rule, named as a caller writes the field (`transactions[0].name`). */
export function issuesOfValidation(errors: readonly ErrorObject[], context: string | undefined): Issue[] {
  const isNoise = (error: ErrorObject) =>
    error.keyword === 'if' || (error.keyword === 'const' && error.schemaPath.includes('/anyOf/'));
  const seen = new Set<string>();
  const issues: Issue[] = [];
  for (const error of errors) {
    if (isNoise(error) || error === STOPPED) continue;
    const issue = describe(error, context);
    if (seen.has(issue.message)) continue;
    seen.add(issue.message);
    issues.push(issue);
  }
  return errors.at(-1) === STOPPED ? [...issues.slice(0, MAX_ISSUES - 1), furtherIssues()] : issues;
}

/** Whether there is nothing against the value but members that nobody knows. */
export function isUnknownOnly(errors: readonly ErrorObject[]): boolean {
  return errors.every((error) => error.keyword === 'additionalProperties' || error === STOPPED);
}

function describe(error: ErrorObject, context: string | undefined): Issue {
  const parent = fieldOf(error.instancePath);
  const where = WHERE[context ?? ''];
  const label = (field: string) => (where === undefined ? `'${field}'` : `${where} '${field}'`);
  if (isRepeated(error, context)) return { field: parent, message: `${label(parent)} must be given once` };
  switch (error.keyword) {
    case 'required': {
      const field = join(parent, String(error.params['missingProperty']));
      return { field, message: `${label(field)} is required`, code: 'required' };
    }
    case 'additionalProperties': {
      const field = join(parent, String(error.params['additionalProperty']));
      return { field, message: `${label(field)} is not a known field` };
    }
    case 'enum': {
      const allowed = (error.params['allowedValues'] as unknown[]).map((value) => `'${String(value)}'`).join(', ');
      return { field: parent, message: `${label(parent)} must be one of ${allowed}`, code: 'code-invalid' };
    }
    case 'pattern': {
      // A schema may say in words what its pattern asks for.
      const hint: unknown = error.parentSchema?.['patternHint'];
      return { field: parent, message: `${label(parent)} ${typeof hint === 'string' ? hint : error.message}` };
    }
    default:
      return otherwise(error, parent, label);
  }
}

/** A list where a value is asked for is a query parameter that was given again. */
function isRepeated({ keyword, data }: ErrorObject, context: string | undefined): boolean {
  return context === 'querystring' && Array.isArray(data) && (keyword === 'type' || keyword === 'enum');
}

function otherwise({ message = 'is invalid' }: ErrorObject, parent: string, label: (field: string) => string): Issue {
  return parent === '' ? { message: `the body ${message}` } : { field: parent, message: `${label(parent)} ${message}` };
}

/** `/transactions/0/name` → `transactions[0].name` (JSON Pointer, RFC 6901). */
function fieldOf(pointer: string): string {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((path, part) => (/^\d+$/.test(part) ? `${path}[${part}]` : join(path, part)), '');
}

function join(parent: string, child: string): string {
  return parent === '' ? child : `${parent}.${child}`;
}
