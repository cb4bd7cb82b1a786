// SQL of writes: any number of versions and all their index rows in one statement, hence one round trip.

import type { SearchValues } from '#fhir/search/extract/search-values.ts';
import { jsonTexts, jsonTextsOf, plainArray, textArray } from '#lib/db/array-text.ts';
import type { PreparedStatement } from '#lib/db/database.ts';
import { columnsOf } from '#lib/db/rows.ts';
import type { IndexChange } from '../index/index-difference.ts';
import { INDEX_TABLES, type IndexColumns, type IndexTexts, indexTexts } from '../index/index-tables.ts';

export interface VersionValues {
  readonly type: number;
  readonly rid: string;
  readonly version: number;
  readonly updatedAt: Date;
  readonly organisation: string | null;
  /** The id, if it is not `rid`. */
  readonly id: string | null;
  readonly content: string;
  /** The extraction mark of its index rows: see ../index/extraction-mark.ts. */
  readonly extraction: number;
}

export interface WriteStatement {
  readonly statement: PreparedStatement;
  readonly values: readonly unknown[];
}

type Key = Pick<VersionValues, 'type' | 'rid'>;

/** A stored resource and its values in the index. */
export interface Indexed {
  readonly version: Key;
  readonly index: SearchValues;
}

export interface NewVersion extends Indexed {
  readonly version: VersionValues;
}

/** A version that replaces another, and its change of the index; the caller has locked the resource. */
export interface NextVersion extends NewVersion {
  readonly change: IndexChange;
  /** Whether a patch made it. */
  readonly isPatch: boolean;
}

/** The columns of a version, with their types and values. */
const HEAD: readonly (readonly [column: string, type: string, read: (version: VersionValues) => unknown])[] = [
  ['type', 'int', ({ type }) => type],
  ['rid', 'uuid', ({ rid }) => rid],
  ['version', 'int', ({ version }) => version],
  ['updated_at', 'timestamptz', ({ updatedAt }) => updatedAt],
  ['organisation', 'uuid', ({ organisation }) => organisation],
  ['id', 'text', ({ id }) => id],
  ['extraction', 'int', ({ extraction }) => extraction],
];
/** The first two placeholders of a statement, as {@link HEAD} has them. */
const [TYPES, RIDS] = ['$1::int[]', '$2::uuid[]'];
/**
 * The keys of the versions with their places, from 1. What needs only the keys takes them from here, without the
 * contents. PostgreSQL copies a row of a `WITH` query at each scan of it, and a nested loop scans it once for each
 * index row.
 */
const KEYS = `keys AS (SELECT * FROM unnest(${TYPES}, ${RIDS}) WITH ORDINALITY AS k(type, rid, place))`;
const HEAD_NAMES = [...HEAD.map(([name]) => name), 'content'];
const HISTORY_NAMES = ['type', 'rid', 'version', 'updated_at', 'organisation', 'deleted', 'id', 'content', 'patched'];

/** Adds an array to the values, and returns its placeholder. */
type Bind = (array: readonly unknown[], type: string) => string;

function binder(values: unknown[]): Bind {
  return (array, type) => `$${values.push(type === 'text' ? textArray(array) : plainArray(array))}::${type}[]`;
}

/** Inserts versions whose keys are free, with their index rows, and returns these keys. */
export function insertStatement(entries: readonly NewVersion[]): WriteStatement {
  const values: unknown[] = [];
  const written = `written AS (INSERT INTO fhir_resource (${HEAD_NAMES.join(', ')}) SELECT * FROM ${givenRows(entries, values)} AS g
    ON CONFLICT (type, rid) DO NOTHING RETURNING type, rid)`;
  const stored = 'stored AS (SELECT k.place, k.type, k.rid FROM keys k JOIN written USING (type, rid))';
  const { parts, tables } = indexInserts(indexTexts(entries.map(({ index }) => index)), values, 'stored');
  const late = lateInsert(`$${values.push(entries[0]?.index.extraction ?? 0)}`);
  const text = `WITH ${[KEYS, written, stored, ...parts, late, queued()].join(',\n')} SELECT type, rid FROM written`;
  return { statement: { name: `fhir_insert_${tables}`, text }, values };
}

/** Inserts versions with new ids, with their index rows. It does not check for existing rows. */
export function insertNewStatement(entries: readonly NewVersion[]): WriteStatement {
  const values: unknown[] = [];
  const given = givenRows(entries, values);
  const { parts, tables } = indexInserts(indexTexts(entries.map(({ index }) => index)), values, 'arrays');
  const late = `late AS (INSERT INTO fhir_late_index (type, rid) SELECT * FROM unnest(${TYPES}, ${RIDS})
    WHERE (SELECT extraction FROM fhir_search_version) <> $${values.push(entries[0]?.index.extraction ?? 0)}::bigint)`;
  const text = `WITH ${[...parts, late, queued()].join(',\n')}
    INSERT INTO fhir_resource (${HEAD_NAMES.join(', ')}) SELECT * FROM ${given} AS g`;
  return { statement: { name: `fhir_insert_new_${tables}`, text }, values };
}

/**
 * Moves the current versions, which the caller has locked, into the history and stores the new ones. Either all of them
 * replace all their index rows, or none does.
 */
export function replaceStatement(entries: readonly NextVersion[]): WriteStatement {
  const values: unknown[] = [];
  const bind = binder(values);
  const given = `${givenRows(entries, values)} WITH ORDINALITY AS g(${HEAD_NAMES.join(', ')}, place)`;
  const removals = indexRemovals(entries, bind);
  const inserts = indexInserts(changedTexts(entries.map(({ change }) => change)), values, 'keys');
  const changed = HEAD_NAMES.slice(2).map((name) => `${name} = g.${name}`);
  const patches = entries.flatMap(({ isPatch }, place) => (isPatch ? [place + 1] : []));
  changed.push(`patched = nullif(g.place = ANY(${bind(patches, 'int')}), false)`);
  const written = `written AS (UPDATE fhir_resource r SET ${changed.join(', ')}, deleted = false FROM ${given}
    WHERE r.type = g.type AND r.rid = g.rid RETURNING r.type, r.rid)`;
  const late = lateInsert(`$${values.push(entries[0]?.index.extraction ?? 0)}`);
  const parts = [KEYS, historyOf('keys'), ...removals.parts, ...inserts.parts, written, late, queued()];
  const name = `fhir_replace_${removals.tables}_${inserts.tables}`;
  return { statement: { name, text: `WITH ${parts.join(',\n')} SELECT type, rid FROM written` }, values };
}

/**
 * Moves the current versions, which the caller has locked, into the history and marks the resources as deleted. Their
 * texts stay.
 */
export function deleteStatement(
  entries: readonly Pick<VersionValues, 'type' | 'rid' | 'version' | 'updatedAt'>[],
): WriteStatement {
  const removals = INDEX_TABLES.map(
    ({ table }) =>
      `no_${table} AS (DELETE FROM ${table} d USING given g WHERE d.rid = ANY($2::uuid[]) AND d.rid = g.rid AND d.type = g.type)`,
  );
  const given = `given AS (SELECT * FROM unnest($1::int[], $2::uuid[], $3::int[], $4::timestamptz[])
    AS g(type, rid, version, updated_at))`;
  const text = `WITH ${[given, historyOf('given'), ...removals, queued()].join(',\n')}
    UPDATE fhir_resource r SET version = g.version, updated_at = g.updated_at, deleted = true, patched = NULL FROM given g
    WHERE r.type = g.type AND r.rid = g.rid`;
  return {
    statement: { name: 'fhir_delete', text },
    values: columnsOf(entries, 'type', 'rid', 'version', 'updatedAt'),
  };
}

/**
 * Adds to the late queue what is `written` without knowledge of the latest search parameters, by the version at the
 * placeholder. A statement that does not see a new version here ends before that version's job begins
 * (../index/parameter-job.ts).
 */
function lateInsert(placeholder: string): string {
  return `late AS (INSERT INTO fhir_late_index (type, rid) SELECT type, rid FROM written
    WHERE (SELECT extraction FROM fhir_search_version) <> ${placeholder}::bigint)`;
}

/**
 * Adds the resources of the statement's first two values to the queue of the full text index (../index/text-index.ts).
 * A resource that the statement did not write is indexed as it is.
 */
export function queued(types = TYPES, rids = RIDS): string {
  return `queued AS (INSERT INTO fhir_text_queue (types, rids) VALUES (${types}, ${rids}))`;
}

/**
 * One insert for each index table of `tables`. `owners` is the part of the statement with type and rid of each entry by
 * its place, from 1. A number for each row is parsed faster than a uuid. `arrays` are those of the head, if every entry
 * gets its rows: an array lookup costs less than a join.
 */
export function indexInserts(
  rows: IndexTexts,
  values: unknown[],
  owners: string,
): { readonly parts: readonly string[]; readonly tables: string } {
  const owner = owners === 'arrays' ? `(${TYPES})[u.place], (${RIDS})[u.place]` : 'o.type, o.rid';
  const join = owners === 'arrays' ? '' : ` JOIN ${owners} o USING (place)`;
  const parts = INDEX_TABLES.flatMap(({ table, columns }, position) => {
    const texts = rows[position];
    if (texts === undefined) return [];
    const list = columns.map(([name]) => name).join(', ');
    const types = ['int', ...columns.map(([, type]) => type)];
    const names = ['place', ...columns.map(([name]) => name)];
    const arrays = texts.map((text, column) => `unnest($${values.push(text)}::${types[column]}[]) AS ${names[column]}`);
    // Unnested in the SELECT list: as a table function PostgreSQL would first store all rows.
    return [
      `in_${table} AS (INSERT INTO ${table} (type, rid, ${list}) SELECT ${owner}, ${list} FROM (SELECT ${arrays.join(', ')}) u${join})`,
    ];
  });
  return { parts, tables: rows.map((texts) => (texts === undefined ? 0 : 1)).join('') };
}

function changedTexts(changes: readonly IndexChange[]): IndexTexts {
  const [first] = changes;
  if (first?.texts !== undefined && changes.length === 1) return first.texts;
  if (changes.some(({ texts }) => texts !== undefined)) throw new Error('A large resource is written by itself');
  return columnTexts(changes.map(({ come }) => come));
}

/** The texts of rows that are given as columns, one resource after the other. */
function columnTexts(resources: readonly IndexColumns[]): IndexTexts {
  return INDEX_TABLES.map(({ columns }, position) => {
    const of = resources.map((each) => each[position]);
    if (of.every((each) => each === undefined)) return undefined;
    const places = of.flatMap((each, place) => (each?.[0] ?? []).map(() => place + 1));
    const texts = columns.map(([, type], column) => {
      const all = of.flatMap((each) => each?.[column] ?? []);
      return type === 'text' ? textArray(all) : plainArray(all);
    });
    return [plainArray(places), ...texts];
  });
}

/** One removal for each index table of `tables`. */
function indexRemovals(
  entries: readonly NextVersion[],
  bind: Bind,
): { readonly parts: readonly string[]; readonly tables: string } {
  if (entries.some(({ change }) => change.gone === 'all')) {
    const ofKeys = `keys k WHERE d.rid = ANY(${RIDS}) AND d.rid = k.rid AND d.type = k.type`;
    return {
      parts: INDEX_TABLES.map(({ table }) => `no_${table} AS (DELETE FROM ${table} d USING ${ofKeys})`),
      tables: 'all',
    };
  }
  const filled = INDEX_TABLES.map((_, position) => entries.filter(({ change }) => goneOf(change, position).length > 0));
  const parts = INDEX_TABLES.flatMap(({ table }, position) => {
    const of = filled[position] ?? [];
    if (of.length === 0) return [];
    const owners = of.flatMap(({ version, change }) => goneOf(change, position).map(() => version));
    const [types, rids] = keyArrays(owners, bind);
    const parameters = bind(
      of.flatMap(({ change }) => goneOf(change, position)),
      'int',
    );
    return [
      `no_${table} AS (DELETE FROM ${table} d USING unnest(${types}, ${rids}, ${parameters}) AS g(type, rid, param)
       WHERE d.rid = ANY(${rids}) AND d.rid = g.rid AND d.param = g.param AND d.type = g.type)`,
    ];
  });
  return { parts, tables: filled.map(({ length }) => Math.sign(length)).join('') };
}

function goneOf({ gone }: IndexChange, position: number): readonly number[] {
  return gone === 'all' ? [] : (gone[position] ?? []);
}

/** The versions as rows; their values are the first of the statement. */
function givenRows(entries: readonly NewVersion[], values: unknown[]): string {
  const bind = binder(values);
  const arrays = HEAD.map(([, type, read]) =>
    bind(
      entries.map(({ version }) => read(version)),
      type,
    ),
  );
  const contents = jsonTextsOf(`$${values.push(jsonTexts(entries.map(({ version }) => version.content)))}`);
  return `unnest(${arrays.join(', ')}, ${contents})`;
}

function historyOf(given: string): string {
  const current = HISTORY_NAMES.map((name) => `r.${name}`).join(', ');
  return `history AS (INSERT INTO fhir_history (${HISTORY_NAMES.join(', ')})
    SELECT ${current} FROM fhir_resource r JOIN ${given} USING (type, rid))`;
}

function keyArrays(owners: readonly Key[], bind: Bind): [types: string, rids: string] {
  return [
    bind(
      owners.map(({ type }) => type),
      'int',
    ),
    bind(
      owners.map(({ rid }) => rid),
      'uuid',
    ),
  ];
}
