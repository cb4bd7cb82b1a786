// Value sets that nobody has written: the whole of a code system by the URL that it names for it
// (`CodeSystem.valueSet`), by `[system]?fhir_vs`, and what is at or below a code by `[system]?fhir_vs=isa/[code]`
// (hl7.org/fhir/R5/codesystem-definitions.html#CodeSystem.valueSet, terminology.hl7.org/SNOMEDCT.html,
// terminology.hl7.org/LOINC.html). Known as long as their code system is.
import { type Catalog, type Definition, pickVersion } from '../catalog/catalog.ts';
import type { Json } from '../json.ts';
import { TerminologyError } from '../terminology-error.ts';

const SNOMED = 'http://snomed.info/sct';
const LOINC = 'http://loinc.org';
/** An edition of SNOMED CT, or a version of one, which its code systems have as their versions. */
const SNOMED_EDITION = /^http:\/\/snomed\.info\/x?sct\/\d+(?:\/version\/\d+)?$/;

interface Implied {
  readonly system: string;
  /** Of an edition, that of the latest of its versions is meant. */
  readonly edition: string | undefined;
  /** What stands behind `?fhir_vs=`. */
  readonly part: string | undefined;
}

/** What the URL says of a code system; undefined for one that is read as any other. */
function implied(url: string): Implied | undefined {
  if (url === `${LOINC}/vs`) return { system: LOINC, edition: undefined, part: undefined };
  const [, base, part] = /^([^?]+)\?fhir_vs(?:=(.+))?$/.exec(url) ?? [];
  if (base === undefined) return undefined;
  return SNOMED_EDITION.test(base)
    ? { system: SNOMED, edition: base, part }
    : { system: base, edition: undefined, part };
}

/** The code system whose codes a value set of this URL would have, were it written nowhere. */
export function impliedSystem(url: string): string | undefined {
  return implied(url)?.system;
}

/**
 * The value set of this URL that follows from a code system of the catalog.
 * @throws TerminologyError `not-supported` for `?fhir_vs=` with anything but `isa/` and a code
 */
export function implicitValueSet(catalog: Catalog, url: string, version: string | undefined): Definition | undefined {
  const named = implied(url);
  if (named === undefined) return ofWhole(catalog, url, version);
  const { system, edition, part } = named;
  const known = catalog
    .codeSystems(system)
    .filter((each) => edition === undefined || each.version === edition || isOfEdition(each.version, edition));
  const found = pickVersion(known, version);
  if (found === undefined) return undefined;
  const include = { system, version: edition === undefined ? version : found.version };
  return definitionOf({ url, version, include: { ...include, ...filterOf(url, part) } });
}

function isOfEdition(version: string | undefined, edition: string): boolean {
  return version?.startsWith(`${edition}/version/`) === true;
}

/** The value set that a code system names for all of its codes; it has the version of the code system. */
function ofWhole(catalog: Catalog, url: string, version: string | undefined): Definition | undefined {
  const found = pickVersion(catalog.systemsOfWhole(url), version);
  return found && definitionOf({ url, version, include: { system: found.url, version } });
}

function filterOf(url: string, part: string | undefined): Json {
  if (part === undefined) return {};
  const code = /^isa\/([^\s/]+)$/.exec(part)?.[1];
  if (code !== undefined) return { filter: [{ property: 'concept', op: 'is-a', value: decoded(code) }] };
  const message = `the value set ${url} cannot be computed here: ?fhir_vs stands alone, or with isa/ and a code`;
  throw new TerminologyError('not-supported', message, 'vs-invalid');
}

/** A code is part of a URL here; one that is written otherwise is taken as it is. */
function decoded(code: string): string {
  try {
    return decodeURIComponent(code);
  } catch {
    return code;
  }
}

/** Nothing is kept of it: to make it costs less than to find it again. */
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
