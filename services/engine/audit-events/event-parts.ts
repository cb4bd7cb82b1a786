// The months in which there are audit events in their compact form, and the rows that the views make of one of them
// (docs/adr/0113).
import { performance } from 'node:perf_hooks';
import { PATIENT_COMPARTMENT } from '#fhir/search/extract/extraction-plan.ts';
import { nameKey } from '#fhir/search/extract/keys.ts';
import type { PartedTables } from '#fhir/store/computed-rows.ts';
import type { KeyPart } from '#fhir/store/search/key-parts.ts';
import type { Queryable } from '#lib/db/database.ts';
import { firstGuidOf } from '#lib/retention/rule.ts';
import { type MonthState, readMonthStates } from './counting-store.ts';
import { directSearch } from './event-pages.ts';
import { monthOfTime, partitionOf } from './month.ts';

/** `fhir_date_all` and so on. */
const VIEWS = `SELECT c.relname::text AS name, pg_get_viewdef(c.oid) AS text FROM pg_class c
  WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'v' AND c.relname LIKE 'fhir\\_%\\_all'`;
/** The partitioned tables; each month is named after its parent. The views have the alias `e` for them, or none. */
const PARENTS = /\b(access_event|access_event_value)\b/g;
const WITH_ALIAS = /\b(access_event|access_event_value)(?=\s+e\b)/g;
const WITHOUT_ALIAS = /\bFROM\s+(access_event|access_event_value)\b(?!\s+e\b)/g;
/**
 * Up to so many months are named: PostgreSQL then reads each in its order. Of more it reads the one in which a key is,
 * instead of all of them.
 */
const MAX_NAMED = 4;
/** So long the months are not read again. Those that come later belong to the last one that is known. */
const KNOWN_MS = 1_000;

/** What a view takes from the store's tables, and from the events. */
interface View {
  readonly stored: string;
  readonly events: readonly Rows[];
}

/** From what of an event rows are made: its own columns, what was done, by whom, or further values. */
type Origin = 'columns' | 'kind' | 'actor' | 'values';

interface Rows {
  readonly origin: Origin;
  readonly text: string;
}

/**
 * Where the values of a parameter are, as ./compact-event.ts makes them; those of others may be anywhere. What is left
 * out need not be looked through in each month.
 */
const ORIGINS: ReadonlyMap<number, readonly Origin[]> = new Map(
  (
    [
      ['patient', ['columns']],
      [PATIENT_COMPARTMENT, ['columns']],
      ['date', ['columns']],
      ['agent', ['columns', 'actor']],
      ['entity', ['columns', 'values']],
      ['action', ['kind']],
      ['code', ['kind']],
      ['category', ['kind']],
      ['outcome', ['kind']],
    ] as const
  ).map(([code, origins]) => [nameKey(`AuditEvent.${code}`), origins]),
);

export function createEventParts(): PartedTables {
  let known: { readonly parts: readonly KeyPart[]; readonly until: number } | undefined;
  let views: ReadonlyMap<string, View> | undefined;

  return {
    async readParts(db) {
      views ??= await readViews(db);
      if (known !== undefined && performance.now() < known.until) return known.parts;
      const parts = (await readMonthStates(db)).map(partOf);
      known = { parts, until: performance.now() + KNOWN_MS };
      return parts;
    },
    forget() {
      known = undefined;
    },
    direct(query) {
      const [resources] = views?.get('fhir_resource_all')?.events ?? [];
      if (resources === undefined) return undefined;
      return directSearch(query, { of: tableOf, resources: resources.text });
    },
    rowsOf(table, parts, param) {
      const view = views?.get(`${table}_all`);
      if (view === undefined) throw new TypeError(`There is no view of ${table}`);
      const origins = param === undefined ? undefined : ORIGINS.get(param);
      const events = view.events.filter(({ origin }) => origins === undefined || origins.includes(origin));
      if (parts === undefined && events.length === view.events.length) return `${table}_all`;
      return `(${[view.stored, ...ofParts(events, parts)].join(' UNION ALL ')})`;
    },
  };
}

function ofParts(events: readonly Rows[], parts: readonly KeyPart[] | undefined): string[] {
  if (parts === undefined) return events.map(({ text }) => text);
  if (parts.length > MAX_NAMED) return events.map(({ text }) => within(text, parts));
  return parts.flatMap(({ from }) => {
    const month = monthOfTime(from);
    return events.map(({ text }) => text.replace(PARENTS, (table) => partitionOf(table, month)));
  });
}

function tableOf(table: string, parts: readonly KeyPart[] | undefined): string {
  if (parts === undefined) return table;
  if (parts.length > MAX_NAMED) return rowsWithin(table, parts);
  return `(${parts.map(({ from }) => `SELECT * FROM ${partitionOf(table, monthOfTime(from))}`).join(' UNION ALL ')})`;
}

function originOf(text: string): Origin {
  if (/\baccess_event_value\b/.test(text)) return 'values';
  if (!/\baccess_part_value\b/.test(text)) return 'columns';
  return /\be\.kind\b/.test(text) ? 'kind' : 'actor';
}

function within(text: string, parts: readonly KeyPart[]): string {
  return text
    .replace(WITH_ALIAS, (table) => rowsWithin(table, parts))
    .replace(WITHOUT_ALIAS, (_, table: string) => `FROM ${rowsWithin(table, parts)} ${table}`);
}

function rowsWithin(table: string, parts: readonly KeyPart[]): string {
  const [from = 0, until = 0] = [parts[0]?.from, parts.at(-1)?.until];
  return `(SELECT * FROM ${table} WHERE event_guid >= '${firstGuidOf(new Date(from))}' AND event_guid < '${firstGuidOf(new Date(until))}')`;
}

function partOf({ month, earliest, isWatched, isSettled }: MonthState): KeyPart {
  return { from: month, until: monthOfTime(month).until, earliest, isCounted: isWatched && isSettled };
}

async function readViews(db: Queryable): Promise<ReadonlyMap<string, View>> {
  const { rows } = await db.query<{ name: string; text: string }>(VIEWS);
  return new Map(
    rows.map(({ name, text }) => {
      const [stored = '', ...events] = text.replace(/;\s*$/, '').split(/\bUNION ALL\b/);
      return [name, { stored, events: events.map((event) => ({ origin: originOf(event), text: event })) }];
    }),
  );
}
