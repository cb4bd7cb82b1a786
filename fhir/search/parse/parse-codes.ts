// Parses the modifiers that use terminology or a hierarchy: `:in`, `:not-in`, `:above`, `:below`
// (hl7.org/fhir/R5/search.html#modifierin, #modifierabove, #modifierbelow).
import { isFhirId } from '../../primitives/primitives.ts';
import { parseReference, relativeReference } from '../../resources/references.ts';
import type { SearchParameter, SearchParameters } from '../parameters/definitions.ts';
import { parseToken, splitEscaped, UnreadableValue, unescapeValue } from './parse-value.ts';
import type { CodeRelation, CodesValue, Criterion } from './query.ts';

interface TokenParameter {
  readonly name: string;
  readonly parameter: SearchParameter;
  readonly values: readonly string[];
}

const MEDIA_TYPES = 'code=urn:ietf:bcp:13';

/** A token compared with a value set, or with a code and what it subsumes. @throws UnreadableValue */
export function parseCodes(
  { name, parameter, values }: TokenParameter,
  relation: CodeRelation,
  baseUrl: string | undefined,
): Criterion {
  if (relation === 'in' || relation === 'not-in') {
    return { kind: 'codes', name, parameter, relation, values: values.map((value) => valueSet(value, baseUrl)) };
  }
  const { branches } = parameter;
  if (branches.length > 0 && branches.every(([type]) => type === MEDIA_TYPES)) {
    return { kind: 'mediaType', parameter, relation, values: values.map((value) => parseToken(value, parameter)) };
  }
  return { kind: 'codes', name, parameter, relation, values: values.map(coding) };
}

function valueSet(text: string, baseUrl: string | undefined): CodesValue {
  const address = unescapeValue(text);
  if (isFhirId(address)) return { kind: 'valueSet', address: `ValueSet/${address}` };
  const local = parseReference(address, baseUrl);
  if (local?.kind === 'relative' && local.type === 'ValueSet') {
    return { kind: 'valueSet', address: relativeReference(local.type, local.id) };
  }
  if (/^(?:[a-z][a-z0-9+.-]*:)/i.test(address)) return { kind: 'valueSet', address };
  throw new UnreadableValue('must name a value set by its URL or as ValueSet/id');
}

function coding(text: string): CodesValue {
  const [system = '', code = '', ...rest] = splitEscaped(text, '|').map(unescapeValue);
  if (system === '' || code === '' || rest.length > 0) {
    throw new UnreadableValue('must be system|code: what a code subsumes is known by its system');
  }
  return { kind: 'coding', system, code };
}

/** The parameters that define the hierarchy of a type's resources. */
const HIERARCHIES = ['partof', 'part-of'];

/** A reference to a resource, or to those below or above it. @throws UnreadableValue where there is no hierarchy */
export function parseHierarchy(
  {
    parameter,
    values,
    relation,
  }: { readonly parameter: SearchParameter; readonly values: readonly string[]; readonly relation: 'above' | 'below' },
  parameters: SearchParameters,
): Criterion {
  const targets = values.map((value) => hierarchyTarget(unescapeValue(value), parameter, parameters));
  const [first] = targets;
  if (first === undefined || targets.some(({ hierarchy }) => hierarchy !== first.hierarchy)) {
    throw new UnreadableValue('must name resources of one type');
  }
  return { kind: 'hierarchy', parameter, relation, hierarchy: first.hierarchy, ids: targets.map(({ id }) => id) };
}

function hierarchyTarget(
  text: string,
  parameter: SearchParameter,
  parameters: SearchParameters,
): { readonly id: string; readonly hierarchy: SearchParameter } {
  const address = parseReference(text, parameters.baseUrl);
  const [onlyTarget, ...others] = parameter.targets;
  const type = address?.kind === 'relative' ? address.type : others.length === 0 ? onlyTarget : undefined;
  const id = address?.kind === 'relative' ? address.id : text;
  if (type === undefined || !isFhirId(id)) throw new UnreadableValue('must be Type/id');
  const hierarchy = HIERARCHIES.flatMap((code) => parameters.forType(type).get(code) ?? []).find(({ targets }) =>
    targets.includes(type),
  );
  if (hierarchy === undefined)
    throw new UnreadableValue(`cannot go up or down from a ${type}, which is part of nothing`);
  return { id, hierarchy };
}
