// Reads `_include` and `_revinclude` (hl7.org/fhir/R5/search.html#include): one parameter, all of a type, or every
// reference there is.
import type { SearchParameter, SearchParameters } from '../parameters/definitions.ts';
import { isCanonicalOnly } from './parse-criterion.ts';
import { UnreadableValue } from './parse-value.ts';
import type { Include } from './query.ts';

const MAX_INCLUDES = 200;
/**
 * The type that `_revinclude=*` leaves out: each read adds an AuditEvent that refers to the resource, and they would
 * crowd out the rest. A client that wants them names the type.
 */
const EXCLUDED_SOURCE = 'AuditEvent';

interface IncludeDraft {
  readonly resourceType: string;
  readonly includes: Include[];
}

/** Adds the includes of a parameter to the draft. @throws UnreadableValue */
export function readInclude(name: string, value: string, draft: IncludeDraft, parameters: SearchParameters): void {
  const [base, modifier, ...more] = name.split(':');
  if (more.length > 0 || (modifier !== undefined && modifier !== 'iterate')) {
    throw new UnreadableValue(`does not know the modifier :${modifier}`);
  }
  const direction = base === '_include' ? 'include' : 'revinclude';
  const isIterated = modifier === 'iterate';
  const found =
    value === '*'
      ? everyReference({ direction, isIterated }, draft.resourceType, parameters)
      : namedReferences({ direction, isIterated }, value, parameters);
  if (draft.includes.length + found.length > MAX_INCLUDES) {
    throw new UnreadableValue(`must name at most ${MAX_INCLUDES} references, all includes together`);
  }
  draft.includes.push(...found);
}

type IncludeKind = Pick<Include, 'direction' | 'isIterated'>;

function namedReferences(way: IncludeKind, value: string, parameters: SearchParameters): Include[] {
  const [source = '', code = '', targetType, ...rest] = value.split(':');
  if (!parameters.resourceTypes.has(source)) throw new UnreadableValue(`names no resource type: ${source}`);
  if (code === '' || rest.length > 0 || (targetType !== undefined && !parameters.resourceTypes.has(targetType))) {
    throw new UnreadableValue('must be Type:parameter or Type:parameter:TargetType');
  }
  const all = referencesOf(source, parameters);
  const chosen = code === '*' ? all : all.filter((parameter) => parameter.code === code);
  if (chosen.length === 0) throw new UnreadableValue(`names no reference parameter of ${source}: ${code}`);
  return chosen.map((parameter) => ({ ...way, parameter, targetType }));
}

/** All references are in one table, whatever their parameter; canonical URLs are followed one parameter at a time. */
function everyReference(way: IncludeKind, resourceType: string, parameters: SearchParameters): Include[] {
  const others = [...parameters.resourceTypes].filter((type) => type !== EXCLUDED_SOURCE);
  const sources = way.direction === 'include' ? [resourceType] : others;
  const references = sources.flatMap((type) => referencesOf(type, parameters));
  const leading =
    way.direction === 'include' || way.isIterated
      ? references
      : references.filter(({ targets }) => targets.length === 0 || targets.includes(resourceType));
  const isDefinition = parameters.forType(resourceType).has('url');
  const canonical = leading.filter(
    (parameter) =>
      isCanonicalOnly(parameter) &&
      (way.direction === 'include' || (isDefinition && parameter.targets.includes(resourceType))),
  );
  const all: Include = {
    ...way,
    parameter: undefined,
    targetType: undefined,
    ...(way.direction === 'include' ? {} : { keys: leading.map(({ key }) => key) }),
  };
  return [all, ...canonical.map((parameter) => ({ ...way, parameter, targetType: undefined }))];
}

function referencesOf(type: string, parameters: SearchParameters): SearchParameter[] {
  return [...parameters.forType(type).values()].filter(
    ({ type: searchType, branches }) => searchType === 'reference' && branches.length > 0,
  );
}
