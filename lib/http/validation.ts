// Request validation by Ajv, from the TypeBox schemas of the routes. Bodies are not coerced; texts in the URL and in
// headers are. Unknown fields are errors, and every error is reported, up to a hundred (decisions G2 and G4).
import { Ajv, type ErrorObject, type Options, type ValidateFunction } from 'ajv';
import addFormatsModule from 'ajv-formats';
import type { FastifySchemaCompiler } from 'fastify';
import { furtherIssues, type Issue, MAX_ISSUES } from '../errors.ts';
import { withBounds, withGuards } from './body/schema-bounds.ts';

// `verbose` hands the failed schema to `describe`, which reads its hint. The schemas are TypeBox's: to check them
// against the schema of schemas costs each service 20 to 40 ms with its first request.
const OPTIONS: Options = {
  verbose: true,
  useDefaults: true,
  removeAdditional: false,
  strict: false,
  validateSchema: false,
};
const WHERE: Readonly<Record<string, string>> = { querystring: 'query parameter', params: 'path', headers: 'header' };

/** Stops Ajv's generated code after so many errors. */
const STOP = `errors++;if(errors>${MAX_ISSUES})throw vErrors;`;

/** Marks a list of errors that is not complete. */
const STOPPED: ErrorObject = { keyword: 'stopped', instancePath: '', schemaPath: '', params: {} };

// ajv-formats is CommonJS whose types put the function under `default`.
const addFormats = addFormatsModule.default ?? addFormatsModule;

/**
 * One pair of Ajv instances for bodies (no coercion) and one for the URL and the headers (coercion from text). The
 * first of a pair stops at the first error. Only then the second runs, which stops at the most errors that are
 * reported: finding hundreds of thousands would take seconds.
 */
export function createValidatorCompiler(): FastifySchemaCompiler<object> {
  const forBodies = createPair(false);
  const forText = createPair('array');
  return ({ schema, httpPart }) => {
    const isBody = httpPart === 'body';
    const { quick, thorough } = isBody ? forBodies : forText;
    const bounded = isBody ? withBounds(schema) : schema;
    // Compiled on first use: most of a start's processor time went into schemas that few requests need.
    let isValid: ValidateFunction | undefined;
    let findAll: ValidateFunction | undefined;
    return Object.assign(validate, { errors: null as ErrorObject[] | null });

    function validate(value: unknown): boolean {
      isValid ??= quick.compile(bounded);
      if (isValid(value)) return true;
      findAll ??= thorough.compile(isBody ? withGuards(bounded) : schema);
      const first = isValid.errors ?? [];
      Object.assign(validate, { errors: findErrors(findAll, value, first) });
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

/** All errors of the value. `first` is returned where none was found again. */
function findErrors(findAll: ValidateFunction, value: unknown, first: readonly ErrorObject[]): ErrorObject[] {
  try {
    findAll(value);
    return [...(findAll.errors ?? first)];
  } catch (found) {
    // One alternative of an `anyOf` may have had that many errors, while the value is valid by another.
    if (Array.isArray(found)) return [...first, ...found, STOPPED];
    throw found;
  }
}

/**
 * Converts Ajv's errors to issues: one for each field and rule, with the field as a client writes it
 * (`transactions[0].name`).
 */
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

/** Whether unknown members are the only errors. */
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
      // `patternHint` of a schema says in words what its pattern means.
      const hint: unknown = error.parentSchema?.['patternHint'];
      return { field: parent, message: `${label(parent)} ${typeof hint === 'string' ? hint : error.message}` };
    }
    default:
      return otherwise(error, parent, label);
  }
}

/** Whether a query parameter that takes one value was repeated. */
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
