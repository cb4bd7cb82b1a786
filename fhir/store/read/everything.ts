// Reads Patient/$everything: all resources in a patient's compartment, and those they refer to outside of it
// (hl7.org/fhir/R5/patient-operation-everything.html).

import { nameKey, resourceKey } from '#fhir/search/extract/keys.ts';
import type { Queryable } from '#lib/db/database.ts';
import { type Access, compartmentKeys, groupByAccess, personIds } from '../access.ts';
import { RID, unreadableCursor } from '../search/cursor.ts';
import { reusable, SqlValues } from '../search/sql/sql-values.ts';
import { fillTexts, shortColumns, type TypedShortRow } from './long-texts.ts';
import { type StoredVersion, toTypedVersion, typeNames } from './stored-version.ts';

export interface EverythingQuery {
  readonly patient: string;
  /** Of the compartment; those that the answer is to hold. */
  readonly types: readonly string[];
  /** Of what is referred to from it: knowledge, directories and the like. */
  readonly otherTypes: readonly string[];
  readonly count: number;
  /** Only what was changed at or after this time. */
  readonly since?: Date;
  /** Only what has no date of care, or one in this period. */
  readonly care?: CarePeriod;
  readonly cursor?: string;
}

export interface CarePeriod {
  readonly from: Date | undefined;
  readonly to: Date | undefined;
  /** Keys of the search parameters that say when care took place, one of each type that has such. */
  readonly keys: readonly number[];
}

export interface EverythingResult {
  readonly matches: readonly StoredVersion[];
  readonly referred: readonly StoredVersion[];
  /** What is referred to is longer than one answer holds, and some of it left out. */
  readonly isCut: boolean;
  readonly nextCursor: string | undefined;
}

/** @throws ServiceError `invalid_request` for a bad cursor */
export async function readEverything(db: Queryable, query: EverythingQuery, access: Access): Promise<EverythingResult> {
  const rows = await readPage(db, query, access);
  const names = typeNames(query.types);
  const page = await fillTexts(db, rows.slice(0, query.count), { typeOf: ({ type }) => names.get(type) ?? '' });
  const last = rows.length > page.length ? page.at(-1) : undefined;
  const rids = page.map(({ rid }) => rid);
  return {
    matches: page.map((row) => toTypedVersion(row, names)),
    ...(await readReferred(db, rids, query.otherTypes, access)),
    nextCursor: last && Buffer.from(JSON.stringify([last.type, last.rid])).toString('base64url'),
  };
}

async function readPage(
  db: Queryable,
  { patient, types, since, care, cursor, count }: EverythingQuery,
  access: Access,
): Promise<TypedShortRow[]> {
  const values = new SqlValues();
  const visible = visibleTypes(types, access, values);
  if (visible === '') return [];
  const self = values.bind(sameAs(patient, access).map(resourceKey), 'uuid[]');
  const members = `SELECT DISTINCT type, rid FROM fhir_reference WHERE param = ANY(${values.bind(compartmentKeys(types), 'int[]')})
    AND target = ANY(${self}) AND target_type = ${values.key(nameKey('Patient'))}`;
  const conditions = ['NOT r.deleted', `(${visible})`];
  if (since !== undefined) conditions.push(`r.updated_at >= ${values.bind(since, 'timestamptz')}`);
  if (care !== undefined) conditions.push(carePeriod(care, values));
  // The patient comes first.
  const isOther = (rid: string) => `(${rid} <> ALL(${self}))`;
  if (cursor !== undefined) {
    const { type, rid } = bindCursor(cursor, values);
    conditions.push(`(${isOther('r.rid')}, r.type, r.rid) > (${isOther(rid)}, ${type}, ${rid})`);
  }
  const text = `SELECT r.type, ${shortColumns('r')} FROM (${members}) i JOIN fhir_resource r ON r.type = i.type AND r.rid = i.rid
    WHERE ${conditions.join(' AND ')} ORDER BY ${isOther('r.rid')}, r.type, r.rid LIMIT ${values.bind(count + 1, 'bigint')}`;
  return (await db.query<TypedShortRow>(reusable(text), values.list)).rows;
}

/** The ids of the Patients of a compartment: for the person themself those of all their records (docs/adr/0068). */
function sameAs(patient: string, access: Access): readonly string[] {
  const filter = access('Patient');
  if (filter.kind !== 'patient') return [patient];
  const own = personIds(filter);
  return own.includes(patient) ? own : [patient];
}

function carePeriod({ from, to, keys }: CarePeriod, values: SqlValues): string {
  const dates = `SELECT FROM fhir_date d WHERE d.type = r.type AND d.rid = r.rid AND d.param = ANY(${values.bind(keys, 'int[]')})`;
  const within = [
    ...(from === undefined ? [] : [`d.high >= ${values.bind(from.getTime(), 'bigint')}`]),
    ...(to === undefined ? [] : [`d.low <= ${values.bind(to.getTime(), 'bigint')}`]),
  ];
  return `(NOT EXISTS (${dates}) OR EXISTS (${[dates, ...within].join(' AND ')}))`;
}

async function readReferred(
  db: Queryable,
  rids: readonly string[],
  types: readonly string[],
  access: Access,
): Promise<Pick<EverythingResult, 'referred' | 'isCut'>> {
  const values = new SqlValues();
  const visible = visibleTypes(types, access, values);
  if (rids.length === 0 || visible === '') return { referred: [], isCut: false };
  const targets = `SELECT DISTINCT i.target_type, i.target FROM fhir_reference i
    WHERE i.rid = ANY(${values.bind(rids, 'uuid[]')}) AND i.target_type = ANY(${values.bind(types.map(nameKey), 'int[]')})`;
  const text = `SELECT r.type, ${shortColumns('r')} FROM (${targets}) t JOIN fhir_resource r ON r.type = t.target_type AND r.rid = t.target
    WHERE NOT r.deleted AND (${visible}) ORDER BY r.type, r.rid`;
  const { rows } = await db.query<TypedShortRow>(reusable(text), values.list);
  const names = typeNames(types);
  const filled = await fillTexts(db, rows, { typeOf: ({ type }) => names.get(type) ?? '' });
  return { referred: filled.map((row) => toTypedVersion(row, names)), isCut: filled.length < rows.length };
}

/** A condition on `r`; empty when the caller sees nothing of these types. */
function visibleTypes(types: readonly string[], access: Access, values: SqlValues): string {
  return groupByAccess(types, access)
    .map(
      (group) => `r.type = ANY(${values.bind(group.types.map(nameKey), 'int[]')}) AND ${group.condition('r', values)}`,
    )
    .join(' OR ');
}

function bindCursor(text: string, values: SqlValues): { readonly type: string; readonly rid: string } {
  const decoded = Buffer.from(text, 'base64url').toString('utf8');
  const [, type, rid = ''] = /^\[(-?\d{1,10}),"([^"]{36})"\]$/.exec(decoded) ?? [];
  if (!RID.test(rid) || (Number(type) | 0) !== Number(type)) {
    throw unreadableCursor('operation');
  }
  return { type: values.bind(Number(type), 'int'), rid: values.bind(rid, 'uuid') };
}
