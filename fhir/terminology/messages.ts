// The messages of terminology issues in the wording that clients of HL7's terminology ecosystem compare
// (build.fhir.org/ig/HL7/fhir-tx-ecosystem-ig). Messages of other errors are where they are thrown.
import { type Canonical, joinCanonical } from './catalog/catalog.ts';

/** What cannot be done without the code system. */
export type Aim = 'the code cannot be validated' | 'the value set cannot be expanded';

/** @param versions known versions of the same code system */
export function unknownCodeSystem({ url, version }: Canonical, aim: Aim, versions: readonly string[]): string {
  const text = (of: string, more = '') =>
    `A definition for CodeSystem '${url}'${of} could not be found, so ${aim}${more}`;
  if (version === undefined) return text('');
  if (versions.length === 0) return text(` version '${version}'`, '. No versions of this code system are known');
  return text(` version '${version}'`, `. Valid versions: ${listed(versions, 'or')}`);
}

/** The same for a system from which the value set takes no code. */
export function unknownForeignSystem(canonical: string): string {
  return `A definition for CodeSystem ${canonical} could not be found, so the code cannot be validated`;
}

export function unknownValueSet(canonical: Canonical): string {
  return `A definition for the value Set '${joinCanonical(canonical)}' could not be found`;
}

export function unallowedVersion({ url, version }: Canonical, checked: string): string {
  return `The version '${version ?? ''}' is not allowed for system '${url}': required to be '${checked}' by a version-check parameter`;
}

export interface VersionMismatch {
  readonly url: string;
  /** The version of the include; undefined for one without. */
  readonly named: string | undefined;
  /** The version that the rules of the request make of it, where they do. */
  readonly changed: string | undefined;
  readonly given: string;
}

export function versionMismatch({ url, named, changed, given }: VersionMismatch): string {
  const version =
    changed === undefined ? `'${named ?? ''}'` : `'${changed}' resulting from the version '${named ?? ''}'`;
  return `The code system '${url}' version ${version} in the ValueSet include is different to the one in the value ('${given}')`;
}

/** For an include without a version, of which `newest` is used. */
export function newestMismatch({ url, version }: Canonical, given: string): string {
  return `The code system '${url}' version '${version ?? ''}' for the versionless include in the ValueSet include is different to the one in the value ('${given}')`;
}

export function unknownSupplement(canonical: string): string {
  return `Required supplement not found: ${canonical}`;
}

/** `a, b or c`. */
export function listed(items: readonly string[], word: 'or' | 'and'): string {
  const last = items.at(-1) ?? '';
  return items.length < 2 ? last : `${items.slice(0, -1).join(', ')} ${word} ${last}`;
}
