// Batches prepared statements: several callers that run the same read statement at the same time share one execution.
// For a lookup by index, plan start and round trip cost most (docs/adr/0012).
import { isOutage } from '../errors.ts';
import { createBatcher, GROUPS_OF_READS } from '../jobs/batcher.ts';
import { textArray } from './array-text.ts';
import type { PreparedStatement, Queryable, QueryResult } from './database.ts';

type Values = readonly unknown[];
type Row = Readonly<Record<string, unknown>>;
type Run = (values: Values) => Promise<QueryResult<Row>>;

/** The target time of one batch in the database, estimated from earlier batches. Slow statements run alone. */
const GROUP_MS = 10;
const MAX_IN_GROUP = 32;
/** The weight of the latest batch in the moving average of the time per member. */
const SMOOTHING = 0.25;

/**
 * Batches prepared statements of the same name that only read. Other statements run at once. A batch needs the type of
 * each placeholder (`$1::uuid`); values are texts, numbers, instants or arrays of texts. Each call gets the same result
 * or error as alone, with two more columns (`asked_…`).
 */
export function batchStatements(db: Queryable): Queryable {
  const runs = new Map<string, Run>();
  return {
    query: async <R extends object>(statement: string | PreparedStatement, values: Values = []) => {
      if (typeof statement === 'string' || values.length === 0) return db.query<R>(statement, values);
      const run = runs.get(statement.name) ?? batcherOf(db, statement);
      runs.set(statement.name, run);
      return run(values) as Promise<QueryResult<R>>;
    },
  };
}

function batcherOf(db: Queryable, single: PreparedStatement): Run {
  const batched = batchedStatement(single);
  const alone = (values: Values) => db.query<Row>(single, values);
  if (batched === undefined) return alone;
  let expected = GROUP_MS / 4;
  return createBatcher({
    name: batched.name,
    together: async (group) => {
      const { results, milliseconds } = await runTogether(db, batched, group);
      if (milliseconds !== undefined) expected += SMOOTHING * (milliseconds / group.length - expected);
      return results.map((value) => ({ value }));
    },
    single: { alone, isCommon: isOutage },
    sizeOf: () => expected,
    limits: { items: MAX_IN_GROUP, size: GROUP_MS, groups: GROUPS_OF_READS },
  });
}

/** Milliseconds in the database, in the rows of the last. Queueing in this process and the network do not count. */
const ELAPSED = `CASE WHEN asked_for.place = (SELECT cardinality($1::text[]))
      THEN 1000 * date_part('epoch', clock_timestamp() - statement_timestamp()) END`;
const PLACEHOLDER = /\$(\d+)::(\w+(?:\[\])?)/g;

/**
 * The statement for each row of values, in their order. The OFFSET 0 fences force one lookup after the other, whatever
 * the planner estimates. They hide the number of rows, so that one plan serves all groups. Undefined where a
 * placeholder has no type.
 */
export function batchedStatement(single: PreparedStatement): PreparedStatement | undefined {
  const known = batchedOf.get(single);
  if (known !== undefined) return known ?? undefined;
  const made = makeBatched(single);
  batchedOf.set(single, made ?? null);
  return made;
}

/** The same text for every database of the process: each tenant has one. Null: there is none. */
const batchedOf = new WeakMap<PreparedStatement, PreparedStatement | null>();

function makeBatched({ name, text }: PreparedStatement): PreparedStatement | undefined {
  const types = new Map<number, string>();
  const inner = text.replaceAll(PLACEHOLDER, (_, place: string, type: string) => {
    types.set(Number(place), type);
    return `asked_for.p${place}::${type}`;
  });
  if (types.size === 0 || types.size !== Math.max(...types.keys()) || /\$\d/.test(inner)) return undefined;
  const places = [...types.keys()].sort((a, b) => a - b);
  const arrays = places.map((place) => `(SELECT $${place}::text[])`).join(', ');
  const columns = places.map((place) => `p${place}`).join(', ');
  const typed = places.map((place) => `p${place}::${types.get(place)} AS p${place}`).join(', ');
  return {
    name: `${name}_all`,
    text: `SELECT asked_for.place::int AS asked_place, ${ELAPSED} AS asked_ms, found.* FROM (
      SELECT place, ${typed} FROM unnest(${arrays}) WITH ORDINALITY AS u(${columns}, place) OFFSET 0
    ) asked_for CROSS JOIN LATERAL (${inner}) found`,
  };
}

interface BatchedRow extends Row {
  readonly asked_place: number;
  readonly asked_ms: number | null;
}

interface Found {
  /** The result for each row of values. Nested loops keep the order of its rows. */
  readonly results: readonly QueryResult<Row>[];
  /** Undefined when the last of them found nothing. */
  readonly milliseconds: number | undefined;
}

async function runTogether(db: Queryable, statement: PreparedStatement, group: readonly Values[]): Promise<Found> {
  const width = group[0]?.length ?? 0;
  const columns = Array.from({ length: width }, (_, place) => textArray(group.map((values) => asText(values[place]))));
  const { rows } = await db.query<BatchedRow>(statement, columns);
  const found = group.map((): Row[] => []);
  for (const row of rows) found[row.asked_place - 1]?.push(row);
  const results = found.map((own) => ({ rows: own, rowCount: own.length }));
  return { results, milliseconds: rows.at(-1)?.asked_ms ?? undefined };
}

function asText(value: unknown): unknown {
  if (Array.isArray(value)) return textArray(value);
  return value instanceof Date ? value.toISOString() : value;
}
