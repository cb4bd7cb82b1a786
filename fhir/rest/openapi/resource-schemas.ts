// The R5 types as JSON Schema for /openapi.json (hl7.org/fhir/R5/json.html). A schema says to a client which members a
// resource has, with their types, cardinalities and fixed codes. What validation checks beyond that is not in it.
//
// A primitive is never listed as required: an extension in the member beside it (`_status`) may stand for its value.
import type { Definitions } from '#fhir/definitions/definitions.ts';
import type { ElementDefinition, ElementType, Shape } from '#fhir/definitions/shapes.ts';
import { componentRef, type OpenApiComponent } from '#lib/http/openapi/components.ts';

/** Longer lists of codes are named by their value set alone. */
const MAX_CODES = 40;

const ANY_RESOURCE = componentRef('schemas', 'Resource');

/** The schemas of the resource types and of all types that they use, each once, in the order in which they are met. */
export function* resourceSchemas(types: readonly string[], definitions: Definitions): Iterable<OpenApiComponent> {
  const seen = new Set(types);
  // The list grows while it is walked.
  const waiting = [...seen];
  for (const path of waiting) {
    const shape = definitions.shape(path);
    if (shape === undefined) continue;
    const need = (other: string): { readonly $ref: string } => {
      if (!seen.has(other)) {
        seen.add(other);
        waiting.push(other);
      }
      return componentRef('schemas', other);
    };
    yield ['schemas', path, schemaOf(shape, definitions, need)];
  }
}

/** The schema of one type or of an object within it (`Patient.contact`); undefined where there is none. */
export function schemaAt(path: string, definitions: Definitions): object | undefined {
  const shape = definitions.shape(path);
  return shape === undefined ? undefined : schemaOf(shape, definitions, (other) => componentRef('schemas', other));
}

function schemaOf(shape: Shape, definitions: Definitions, need: (path: string) => object): object {
  const isResource = definitions.kindOf(shape.path) === 'resource';
  const properties: Record<string, object> = isResource ? { resourceType: { const: shape.path } } : {};
  for (const [name, { element, type }] of shape.slots) {
    const value = valueSchema(element, type, { definitions, need });
    properties[name] = element.isArray ? { type: 'array', items: value } : value;
  }
  const required = [
    ...(isResource ? ['resourceType'] : []),
    ...shape.required.filter(isAlwaysPresent).map(({ name }) => name),
  ];
  return { type: 'object', ...(required.length === 0 ? {} : { required }), properties };
}

function isAlwaysPresent({ isChoice, types }: ElementDefinition): boolean {
  return !isChoice && types[0]?.primitive === undefined;
}

interface Context {
  readonly definitions: Definitions;
  readonly need: (path: string) => object;
}

function valueSchema(element: ElementDefinition, type: ElementType, { definitions, need }: Context): object {
  if (type.primitive !== undefined) return primitiveSchema(element, type, definitions);
  if (type.code === 'Resource') return ANY_RESOURCE;
  return need(element.shapePath ?? type.code);
}

function primitiveSchema({ binding }: ElementDefinition, { code, primitive }: ElementType, definitions: Definitions) {
  switch (primitive?.json) {
    case 'boolean':
      return { type: 'boolean' };
    case 'number':
      return code === 'decimal' ? { type: 'number' } : { type: 'integer', ...LEAST[code] };
    default:
      return { type: 'string', ...FORMATS[code], ...codesOf(binding, code, definitions) };
  }
}

const LEAST: Readonly<Record<string, object>> = { positiveInt: { minimum: 1 }, unsignedInt: { minimum: 0 } };
/** Formats of JSON Schema that hold for every value of the type. */
const FORMATS: Readonly<Record<string, object>> = {
  base64Binary: { contentEncoding: 'base64' },
  instant: { format: 'date-time' },
};

function codesOf(binding: ElementDefinition['binding'], code: string, definitions: Definitions): object {
  if (code !== 'code' || binding?.strength !== 'required') return {};
  const codes = definitions.codeSet(binding.valueSet)?.codes;
  if (codes === undefined || codes.length > MAX_CODES) return { description: `A code of ${binding.valueSet}` };
  return { enum: codes };
}
