// Prepares a version for writing: its text with id and meta, its time, and its index rows.

import { type ResourceText, spliceMeta } from '#fhir/resources/resource-text.ts';
import { extractSearchValues } from '#fhir/search/extract/extract.ts';
import { nameKey, resourceKey } from '#fhir/search/extract/keys.ts';
import type { SearchValues } from '#fhir/search/extract/search-values.ts';
import type { SearchParameters } from '#fhir/search/parameters/definitions.ts';
import type { Clock } from '#lib/clock.ts';
import { extractionMark } from '../index/extraction-mark.ts';
import { changeBetween, type IndexChange, wholeChange } from '../index/index-difference.ts';
import type { ResourceAddress } from '../read/lookup.ts';
import type { StoredVersion } from '../read/stored-version.ts';
import { isLong } from '../threads.ts';
import type { NewVersion, NextVersion, VersionValues } from './write-sql.ts';

interface VersionContext {
  readonly parameters: SearchParameters;
  readonly clock: Clock;
}

interface Draft extends ResourceAddress {
  readonly source: ResourceText;
  readonly organisation: string | null;
  readonly isPut?: boolean;
  readonly isPatch?: boolean;
}

/** The first version of a resource. */
export function firstVersion(
  draft: Draft,
  { parameters, clock }: VersionContext,
  index: SearchValues = indexOf(draft, parameters),
): { readonly entry: NewVersion; readonly version: StoredVersion } {
  const version = versionOf(draft, index, { version: 1, lastUpdated: new Date(clock.now()) });
  const values = valuesOf(version, index);
  return { entry: { version: isPut(draft) ? { ...values, id: draft.id } : values, index }, version };
}

/**
 * Whether an update created the resource. Its id is then stored even where the key alone would do: histories
 * distinguish PUT from POST by it.
 */
export function isPut({ source, id, isPut: given }: Pick<Draft, 'source' | 'id' | 'isPut'>): boolean {
  return given ?? source.resource['id'] === id;
}

/**
 * The version that replaces `current`, which the caller has locked. `read` has the index values of a large resource.
 */
export function nextVersion(
  { draft, read }: { readonly draft: Draft; readonly read?: SearchValues | undefined },
  current: StoredVersion,
  { parameters, clock }: VersionContext,
): { readonly entry: NextVersion; readonly version: StoredVersion } {
  const index = read ?? indexOf(draft, parameters);
  const next = { version: current.version + 1, lastUpdated: laterThan(current, clock) };
  const version = versionOf(draft, index, next);
  const change = changeOf(current, index, parameters);
  return { entry: { version: valuesOf(version, index), index, change, isPatch: draft.isPatch === true }, version };
}

/** The time of a version is later than that of the one before, even when clocks of nodes differ. */
export function laterThan(current: StoredVersion, clock: Clock): Date {
  return new Date(Math.max(clock.now(), current.lastUpdated.getTime()));
}

function indexOf({ source, id }: Draft, parameters: SearchParameters): SearchValues {
  return extractSearchValues({ ...source.resource, id }, parameters);
}

/**
 * The change of the index. The present rows are known from the older text if both were extracted in the same way and
 * neither is long.
 */
function changeOf(current: StoredVersion, index: SearchValues, parameters: SearchParameters): IndexChange {
  const isLarge = index.texts !== undefined || isLong({ text: current.content });
  if (isLarge || current.isDeleted || current.extraction !== extractionMark(index)) return wholeChange(index);
  return changeBetween(extractSearchValues(JSON.parse(current.content), parameters), index);
}

function versionOf(
  { resourceType, id, source, organisation }: Draft,
  { patients }: SearchValues,
  { version, lastUpdated }: { version: number; lastUpdated: Date },
): StoredVersion {
  const stamp = { id, versionId: String(version), lastUpdated: lastUpdated.toISOString() };
  const content = spliceMeta(source, stamp);
  return { resourceType, id, version, lastUpdated, organisation, isDeleted: false, content, patients };
}

function valuesOf(stored: StoredVersion, index: SearchValues): VersionValues {
  const { resourceType, id, version, lastUpdated, organisation, content } = stored;
  const rid = resourceKey(id);
  return {
    type: nameKey(resourceType),
    rid,
    version,
    updatedAt: lastUpdated,
    organisation,
    id: rid === id ? null : id,
    content,
    extraction: extractionMark(index),
  };
}
