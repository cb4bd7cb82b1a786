// The type of a stored version of a resource, and its database columns.
import { nameKey } from '#fhir/search/extract/keys.ts';

export interface StoredVersion {
  readonly resourceType: string;
  readonly id: string;
  readonly version: number;
  readonly lastUpdated: Date;
  /** The organisation to which the record belongs (decision G12); null for what belongs to nobody. */
  readonly organisation: string | null;
  readonly isDeleted: boolean;
  /** The resource as it is sent; of a deleted one, as it was before. */
  readonly content: string;
  /** The ids of the patients in whose compartment it is; of a version that was just written alone. */
  readonly patients?: readonly string[];
  /**
   * By what its index rows were read (../index/extraction-mark.ts); of a current version that was locked for a change
   * alone.
   */
  readonly extraction?: number | null;
}

/** As much of a version as a search shows. */
export type ShownVersion = Pick<StoredVersion, 'resourceType' | 'id' | 'version' | 'content'>;

/** The address of the resource, whichever its version: `Patient/1`. */
export function addressOf({ resourceType, id }: Pick<StoredVersion, 'resourceType' | 'id'>): string {
  return `${resourceType}/${id}`;
}

export interface VersionRow {
  readonly rid: string;
  readonly version: number;
  readonly updated_at: Date;
  readonly organisation: string | null;
  readonly deleted: boolean;
  readonly id: string | null;
  readonly content: string;
  readonly extraction?: number | null;
}

/** The columns of a current version that is about to be changed. */
export function lockedColumns(alias: string): string {
  return `${versionColumns(alias)}, ${alias}.extraction`;
}

/** The columns of the alias `a` that make a {@link VersionRow}. */
export function versionColumns(a: string): string {
  return `${a}.rid, ${a}.version, ${a}.updated_at, ${a}.organisation, ${a}.deleted, ${a}.id, ${a}.content`;
}

export function toStoredVersion(resourceType: string, row: VersionRow): StoredVersion {
  return {
    resourceType,
    id: row.id ?? row.rid,
    version: row.version,
    lastUpdated: row.updated_at,
    organisation: row.organisation,
    isDeleted: row.deleted,
    content: row.content,
    ...(row.extraction === undefined ? {} : { extraction: row.extraction }),
  };
}

/** A row of any type, with the key of its type. */
export interface TypedVersionRow extends VersionRow {
  readonly type: number;
}

/** The names of types by their keys. */
export function typeNames(types: readonly string[]): ReadonlyMap<number, string> {
  return new Map(types.map((type) => [nameKey(type), type]));
}

export function toTypedVersion(row: TypedVersionRow, names: ReadonlyMap<number, string>): StoredVersion {
  return toStoredVersion(names.get(row.type) ?? '', row);
}
