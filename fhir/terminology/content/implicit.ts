// Implicit value sets, which have no definition. They are the whole of a code system, by the URL that it names
// (`CodeSystem.valueSet`) or by `[system]?fhir_vs`. A code with its descendants is `[system]?fhir_vs=isa/[code]`
// (hl7.org/fhir/R5/codesystem-definitions.html#CodeSystem.valueSet, hl7.org/fhir/R5/snomedct.html,
// terminology.hl7.org/LOINC.html). Those of SNOMED CT are also reference sets (`=refset`), the members of one
// (`=refset/[code]`), and the concepts of an expression constraint (`=ecl/[expression]`). They exist as long as their
// code system does. Systems that no list holds (UCUM, language tags, media types) have one of all codes of the right
// form.
import { type Catalog, type CodeSystemDefinition, type Definition, pickVersion } from '../catalog/catalog.ts';
import type { Json } from '../json.ts';
import { TerminologyError } from '../terminology-error.ts';
import { grammarOf } from './code-grammars.ts';
import { SNOMED } from './snomed-filter.ts';

const LOINC = 'http://loinc.org';
const UCUM = 'http://unitsofmeasure.org';
/** An answer list of LOINC, or a part in its hierarchy. */
const LOINC_PART = /^http:\/\/loinc\.org\/vs\/(L[LP]\d+-\d)$/;
/** A URI of a SNOMED CT edition or of its version, which is the version of the code system. */
const SNOMED_EDITION = /^http:\/\/snomed\.info\/x?sct\/\d+(?:\/version\/\d+)?$/;

interface Implied {
  readonly system: string;
  /** The URI of an edition means the latest of its versions. */
  readonly edition: string | undefined;
  /** The text after `?fhir_vs=`. */
  readonly part: string | undefined;
}

/** The code system that the URL implies; undefined for an ordinary URL. */
function implied(url: string): Implied | undefined {
  for (const system of [LOINC, UCUM]) {
    if (url === `${system}/vs`) return { system, edition: undefined, part: undefined };
  }
  const ofLoinc = LOINC_PART.exec(url)?.[1];
  if (ofLoinc !== undefined) return { system: LOINC, edition: undefined, part: ofLoinc };
  const [, base, part] = /^([^?]+)\?fhir_vs(?:=(.+))?$/s.exec(url) ?? [];
  if (base === undefined) return undefined;
  return SNOMED_EDITION.test(base)
    ? { system: SNOMED, edition: base, part }
    : { system: base, edition: undefined, part };
}

/** The code system of an implicit value set with this URL. */
export function impliedSystem(url: string): string | undefined {
  return implied(url)?.system;
}

/**
 * The implicit value set of this URL, for a code system of the catalog.
 * @throws TerminologyError `not-supported` for `?fhir_vs=` with anything else behind it
 */
export function implicitValueSet(catalog: Catalog, url: string, version: string | undefined): Definition | undefined {
  const named = implied(url);
  if (named === undefined) return ofWhole(catalog, url, version);
  const { system, edition, part } = named;
  const isByForm = part === undefined && grammarOf(system) !== undefined && catalog.codeSystems(system).length === 0;
  if (isByForm) return version === undefined ? definitionOf({ url, version, include: { system } }) : undefined;
  const known = catalog
    .codeSystems(system)
    .filter((each) => edition === undefined || each.version === edition || isOfEdition(each.version, edition));
  const found = pickVersion(known, version);
  if (found === undefined) return undefined;
  const include = { system, version: edition === undefined ? version : found.version };
  if (LOINC_PART.test(url) && found.model().find(part ?? '') === -1) return undefined;
  const codes = system === SNOMED ? snomedCodes(part, found) : loincCodes(url, part);
  return definitionOf({ url, version, include: { ...include, ...(codes ?? filterOf(url, part)) } });
}

function isOfEdition(version: string | undefined, edition: string): boolean {
  return version?.startsWith(`${edition}/version/`) === true;
}

/** The value set that a code system names for all of its codes; it has the version of the code system. */
function ofWhole(catalog: Catalog, url: string, version: string | undefined): Definition | undefined {
  const found = pickVersion(catalog.systemsOfWhole(url), version);
  return found && definitionOf({ url, version, include: { system: found.url, version } });
}

/** The concepts of a value set that only SNOMED CT has; undefined for any other one. */
function snomedCodes(part: string | undefined, found: CodeSystemDefinition): Json | undefined {
  if (part === 'refset') {
    const concept = found.model().refsets.all.map(({ code }) => ({ code }));
    return concept.length === 0 ? constraint(NOTHING) : { concept };
  }
  const [, kind, given = ''] = /^(refset|ecl)\/(.+)$/s.exec(part ?? '') ?? [];
  if (kind === undefined) return undefined;
  return constraint(kind === 'ecl' ? decoded(given) : `^ ${decoded(given)}`);
}

const NOTHING = '* MINUS *';

function constraint(value: string): Json {
  return { filter: [{ property: 'constraint', op: '=', value }] };
}

/** The answers of a list, or the codes below a part; undefined for any other value set. */
function loincCodes(url: string, part: string | undefined): Json | undefined {
  if (part === undefined || !LOINC_PART.test(url)) return undefined;
  const list = { property: 'LIST', op: '=', value: part };
  return { filter: [part.startsWith('LL') ? list : { property: 'concept', op: 'descendent-of', value: part }] };
}

function filterOf(url: string, part: string | undefined): Json {
  if (part === undefined) return {};
  const code = /^isa\/([^\s/]+)$/.exec(part)?.[1];
  if (code !== undefined) return { filter: [{ property: 'concept', op: 'is-a', value: decoded(code) }] };
  const message = `the value set ${url} cannot be computed here: ?fhir_vs stands alone, or with isa/ and a code; with refset or ecl/ it is of SNOMED CT`;
  throw new TerminologyError('not-supported', message, 'vs-invalid');
}

/** Decodes a code in a URL; one that is not valid percent-encoding is taken as it is. */
function decoded(code: string): string {
  try {
    return decodeURIComponent(code);
  } catch {
    return code;
  }
}

/** Not cached: building it costs less than a lookup. */
function definitionOf({
  url,
  version,
  include,
}: {
  readonly url: string;
  readonly version: string | undefined;
  readonly include: Json;
}): Definition {
  const said = Object.fromEntries(Object.entries(include).filter(([, value]) => value !== undefined));
  const versioned = version === undefined ? {} : { version };
  const resource: Json = {
    resourceType: 'ValueSet',
    url,
    ...versioned,
    status: 'active',
    compose: { include: [said] },
  };
  const nothing = { id: undefined, name: undefined, title: undefined, supplements: undefined };
  return { url, version, status: 'active', ...nothing, resource: () => resource };
}
