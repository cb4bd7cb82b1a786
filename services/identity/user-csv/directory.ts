// Resolves the organisations and groups of a batch's rows by name or guid, and creates missing ones if the import may
// (decision I13).
import type { Clock } from '#lib/clock.ts';
import type { Queryable } from '#lib/db/database.ts';
import { newGuid } from '#lib/guid.ts';
import { type GroupItem, typeToCreate } from './lists.ts';
import { isDirectoryName, type Row } from './row.ts';
import * as store from './store.ts';

/** The guids that each text resolves to: none when it is unknown, several when it is ambiguous. */
export interface Directory {
  readonly organisations: ReadonlyMap<string, readonly string[]>;
  readonly groups: ReadonlyMap<string, readonly string[]>;
  /** The names of the organisations, by the same texts. */
  readonly organisationNames: ReadonlyMap<string, string>;
}

export async function findDirectory(db: Queryable, rows: readonly Row[]): Promise<Directory> {
  const names = new Set(rows.flatMap((row) => row.organisations));
  const wanted = new Map(rows.flatMap((row) => row.groups.map((group) => [group.text, group] as const)));
  const organisations = names.size === 0 ? [] : await store.findOrganisations(db, [...names]);
  const groups = wanted.size === 0 ? [] : await store.findGroups(db, [...wanted.values()]);
  const organisationNames = new Map(organisations.map(({ text, name = text }) => [text, name]));
  return { organisations: byText(organisations), groups: byText(groups), organisationNames };
}

/** The errors in a row's organisations and groups. A missing one is no error when it may be created. */
export function directoryIssues(row: Row, directory: Directory, mayCreate: boolean): string[] {
  const organisations = row.organisations
    .filter((name) => !directory.organisations.has(name))
    .filter((name) => !(mayCreate && isDirectoryName(name)))
    .map((name) => `'organisations': there is no organisation '${shorten(name)}'`);
  const groups = row.groups.flatMap((group) => groupIssues(group, directory.groups.get(group.text) ?? [], mayCreate));
  return [...organisations, ...groups];
}

function groupIssues(group: GroupItem, found: readonly string[], mayCreate: boolean): string[] {
  const text = shorten(group.text);
  if (found.length > 1) return [`'groups': several types have a group '${text}'; write it as type:name`];
  if (found.length === 1) return [];
  if (!mayCreate) return [`'groups': there is no group '${text}'`];
  if (typeToCreate(group) === undefined) return [`'groups': to make the group '${text}', write it as type:name`];
  return isDirectoryName(group.name) ? [] : [`'groups': '${text}' is no name for a group`];
}

/** Organisations and groups that the rows name and that do not exist yet. */
export interface Missing {
  readonly organisations: readonly string[];
  readonly groups: readonly GroupItem[];
}

export function missingFrom(directory: Directory, rows: readonly Row[]): Missing {
  const names = rows.flatMap((row) => row.organisations).filter((name) => !directory.organisations.has(name));
  const groups = rows.flatMap((row) => row.groups).filter((group) => !directory.groups.has(group.text));
  return {
    organisations: [...distinct(names, (name) => name.toLowerCase())],
    groups: [...distinct(groups, (group) => `${typeToCreate(group)}:${group.name.toLowerCase()}`)],
  };
}

export function isNothing({ organisations, groups }: Missing): boolean {
  return organisations.length === 0 && groups.length === 0;
}

/** Creates the missing organisations and groups; returns their guids. */
export async function createMissing(db: Queryable, missing: Missing, clock: Clock): Promise<Created> {
  const now = clock.now();
  const createdAt = new Date(now);
  const guidsFor = (things: readonly unknown[]) => things.map(() => newGuid(now));
  const { organisations: names, groups } = missing;
  const organisations =
    names.length === 0 ? [] : await store.insertOrganisations(db, { guids: guidsFor(names), names, createdAt });
  const made = {
    guids: guidsFor(groups),
    names: groups.map((group) => group.name),
    types: groups.map((group) => typeToCreate(group) ?? ''),
    createdAt,
  };
  return { organisations, groups: groups.length === 0 ? [] : await store.insertGroups(db, made) };
}

export interface Created {
  readonly organisations: readonly string[];
  readonly groups: readonly string[];
}

/** A match by guid takes precedence over a name that looks like a guid. */
function byText(found: readonly store.Found[]): Map<string, string[]> {
  const guids = new Map<string, string[]>();
  for (const { text, guid } of found.toSorted((a, b) => Number(b.isByGuid) - Number(a.isByGuid))) {
    const known = guids.get(text);
    if (known === undefined) guids.set(text, [guid]);
    else if (!found.some((other) => other.text === text && other.isByGuid)) known.push(guid);
  }
  return guids;
}

function distinct<T>(items: readonly T[], keyOf: (item: T) => string): Iterable<T> {
  const first = new Map<string, T>();
  for (const item of items) {
    const key = keyOf(item);
    if (!first.has(key)) first.set(key, item);
  }
  return first.values();
}

function shorten(text: string): string {
  return text.length <= 80 ? text : `${text.slice(0, 80)}…`;
}
