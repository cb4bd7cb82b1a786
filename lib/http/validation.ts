// Request validation by Ajv from the TypeBox schemas of the routes: bodies are taken as they are, everything in the URL is
// text and therefore coerced, unknown fields are faults, and every fault is named (decisions G2 and G4).
import { Ajv, type ErrorObject, type Options } from 'ajv';
import addFormatsModule from 'ajv-formats';
import type { FastifySchemaCompiler } from 'fastify';
import type { Fault } from '../errors.ts';

// `verbose` hands the failed schema to `describe`, which looks for its hint.
const OPTIONS: Options = { allErrors: true, verbose: true, useDefaults: true, removeAdditional: false, strict: false };
const WHERE: Readonly<Record<string, string>> = { querystring: 'query parameter', params: 'path', headers: 'header' };

// ajv-formats is CommonJS whose types put the function under `default`.
const addFormats = addFormatsModule.default ?? addFormatsModule;

/** One Ajv for bodies (no coercion) and one for the parts of the URL and the headers (coercion from text). */
export function createValidatorCompiler(): FastifySchemaCompiler<object> {
  const forBodies = new Ajv({ ...OPTIONS, coerceTypes: false });
  const forText = new Ajv({ ...OPTIONS, coerceTypes: 'array' });
  addFormats(forBodies);
  addFormats(forText);
  return ({ schema, httpPart }) => (httpPart === 'body' ? forBodies : forText).compile(schema);
}

/** Ajv's errors as faults: one for each field and rule, named as a caller writes the field (`transactions[0].name`). */
export function faultsOfValidation(errors: readonly ErrorObject[], context: string | undefined): Fault[] {
  const isNoise = (error: ErrorObject) =>
    error.keyword === 'if' || (error.keyword === 'const' && error.schemaPath.includes('/anyOf/'));
  const seen = new Set<string>();
  const faults: Fault[] = [];
  for (const error of errors) {
    if (isNoise(error)) continue;
    const fault = describe(error, context);
    if (seen.has(fault.message)) continue;
    seen.add(fault.message);
    faults.push(fault);
  }
  return faults;
}

function describe(error: ErrorObject, context: string | undefined): Fault {
  const parent = fieldOf(error.instancePath);
  const where = WHERE[context ?? ''];
  const label = (field: string) => (where === undefined ? `'${field}'` : `${where} '${field}'`);
  if (isRepeated(error, context)) return { field: parent, message: `${label(parent)} must be given once` };
  switch (error.keyword) {
    case 'required': {
      const field = join(parent, String(error.params['missingProperty']));
      return { field, message: `${label(field)} is required`, issue: 'required' };
    }
    case 'additionalProperties': {
      const field = join(parent, String(error.params['additionalProperty']));
      return { field, message: `${label(field)} is not a known field` };
    }
    case 'enum': {
      const allowed = (error.params['allowedValues'] as unknown[]).map((value) => `'${String(value)}'`).join(', ');
      return { field: parent, message: `${label(parent)} must be one of ${allowed}`, issue: 'code-invalid' };
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

function otherwise({ message = 'is invalid' }: ErrorObject, parent: string, label: (field: string) => string): Fault {
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
