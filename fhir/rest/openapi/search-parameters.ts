// The parameters of FHIR requests as components of /openapi.json: each type's search parameters
// (hl7.org/fhir/R5/searchparameter-registry.html), those of every search (hl7.org/fhir/R5/search.html), and headers.
import type { Branch } from '#fhir/search/parameters/compile-expression.ts';
import type { SearchParameter, SearchParameters, SearchType } from '#fhir/search/parameters/definitions.ts';
import type { OpenApiComponent } from '#lib/http/openapi/components.ts';

/** Parameters of every search that are no search parameters of R5's definitions, with what they do. */
const OF_EVERY_SEARCH: Readonly<Record<string, string>> = {
  _count: 'Results of a page, at most 1000; 20 when left out',
  _sort: 'Names of search parameters, separated by commas; `-` before a name sorts in descending order',
  _total: '`none`, `estimate` or `accurate`',
  _summary: '`true`, `text`, `data`, `count` or `false`',
  _elements: 'Names of elements, separated by commas: the response has these and the mandatory ones',
  _include: 'References to follow: `Observation:subject`',
  _revinclude: 'References to what is found: `Observation:subject`',
  _has: 'Condition on resources that refer to the wanted one: `_has:Observation:patient:code=…`',
  _filter: 'Conditions in one expression (hl7.org/fhir/R5/search_filter.html)',
};

const HISTORY: Readonly<Record<string, string>> = {
  _since: 'Versions made at this instant or later',
  _at: 'Versions that were current at this time',
};

const HEADERS: Readonly<Record<string, string>> = {
  'If-Match': 'The version that is to be changed: `W/"3"`; 412 when there is a newer one',
  'If-None-Exist': 'A search: nothing is created when it finds a resource',
  'Kedja-Position':
    'From the response to a write, of any account: what is read has that write, also from a standby. Other values are ignored',
  Prefer: '`return=minimal`, `return=representation` or `return=OperationOutcome`',
};

/** How a value of each type is written. */
const FORMS: Readonly<Record<SearchType, string>> = {
  number: 'number; a comparison may stand before it: `gt5`',
  date: 'date or time, also a part of one; a comparison may stand before it: `ge2026-03`',
  string: 'the beginning of a text, without regard to case and accents',
  token: 'code, or `system|code`',
  reference: '`Type/id` or an id',
  composite: 'values of its parts, separated by `$`',
  quantity: 'number, or `number|system|unit`; a comparison may stand before it',
  uri: 'URI',
  special: 'see the page on search',
};

/** The names of a type's parameters as components. `Resource` has those of every search. */
export function searchParameterNames(parameters: SearchParameters): (type: string) => readonly string[] {
  const common = Object.keys(OF_EVERY_SEARCH);
  return (type) => {
    const own = [...parameters.forType(type).values()].filter(isOfficial).map(componentName);
    return [...own, ...common];
  };
}

const FIXED: ReadonlyMap<string, object> = new Map([
  ...Object.entries({ ...OF_EVERY_SEARCH, ...HISTORY }).map(
    ([name, text]) => [name, described(name, 'query', text)] as const,
  ),
  ...Object.entries(HEADERS).map(([name, text]) => [name, described(name, 'header', text)] as const),
]);

function described(name: string, place: 'query' | 'header', description: string): object {
  return { name, in: place, required: false, schema: { type: 'string' }, description };
}

/** The components of the types' parameters and of the headers. */
export function* parameterComponents(
  types: readonly string[],
  parameters: SearchParameters,
): Iterable<OpenApiComponent> {
  for (const [name, value] of FIXED) yield ['parameters', name, value];
  const made = new Set<string>();
  for (const type of ['Resource', ...types]) {
    for (const parameter of [...parameters.forType(type).values()].filter(isOfficial)) {
      const name = componentName(parameter);
      if (made.has(name)) continue;
      made.add(name);
      yield ['parameters', name, componentOf(parameter)];
    }
  }
}

/** Whether it is a parameter or header that belongs to no type's definitions. */
export function isCommon(name: string): boolean {
  return FIXED.has(name);
}

/** One of these components; `types` are those of the service. */
export function findParameter(
  name: string,
  types: readonly string[],
  parameters: SearchParameters,
): object | undefined {
  const [, own, code = name] = /^([A-Z]\w+)\.(.+)$/.exec(name) ?? [];
  const places = own === undefined ? ['Resource', ...types] : [own];
  const found = places.map((type) => parameters.forType(type).get(code)).find((each) => each !== undefined);
  return FIXED.get(name) ?? (found === undefined ? undefined : componentOf(found));
}

/** Parameters that users define are read at their own addresses: this document is public. */
function isOfficial({ url }: SearchParameter): boolean {
  return url.startsWith('http://hl7.org/fhir/SearchParameter/');
}

/** `Patient.birthdate`; parameters of every type are shared, as `_id`. */
function componentName({ resourceType, code }: SearchParameter): string {
  return code.startsWith('_') ? code : `${resourceType}.${code}`;
}

function componentOf(parameter: SearchParameter): object {
  const { code, type, targets } = parameter;
  const to = targets.length === 0 || targets.length > 8 ? '' : ` (${targets.join(', ')})`;
  const places = placesOf(parameter);
  const of = places.length === 0 ? '' : ` of ${places.join(', ')}`;
  return described(code, 'query', `${type}${of}: ${FORMS[type]}${to}`);
}

/** The elements that the parameter looks in, such as `name.given`. */
function placesOf({ branches, resourceType, code }: SearchParameter): readonly string[] {
  if (code.startsWith('_')) return [];
  const places = branches.map((branch) => `\`${[resourceType, ...stepsOf(branch)].join('.')}\``);
  return [...new Set(places)];
}

/** A step may carry a condition behind its name: `name?use=old`, `subject~Patient`. */
function stepsOf([, ...steps]: Branch): readonly string[] {
  return steps.map((step) => /^\w+/.exec(step)?.[0] ?? step);
}
