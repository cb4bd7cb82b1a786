// SQL statements for goals and their activities.
import type { Database, Queryable, Transaction } from '#lib/db/database.ts';
import { byName } from '#lib/db/name-order.ts';
import type { Page, PageRequest } from '#lib/http/response/page.ts';
import { Conditions, containing, instant, LIKE, selectPage } from '../shared/sql.ts';
import type { Goal, GoalDue, GoalInput, GoalQuery, GoalTarget } from './schema.ts';

interface GoalRow extends Omit<Goal, 'target' | 'due'> {
  readonly comparator: NonNullable<GoalTarget['comparator']> | null;
  readonly value: string | null;
  readonly low: string | null;
  readonly high: string | null;
  readonly unit: string | null;
  readonly unit_name: string | null;
  readonly due: GoalDue | null;
}

const COLUMNS = `g.goal_guid, g.name, g.description, g.concept, c.concept_name, g.comparator, g.value, g.low, g.high, g.unit,
  u.name AS unit_name, g.due, g.version, ARRAY(SELECT ga.activity_guid FROM goal_activity ga WHERE ga.goal_guid = g.goal_guid
    ORDER BY ga.position) AS activities, ${instant('g.created_at')}, ${instant('g.updated_at')}`;
const FROM = 'goal g JOIN concept c ON c.concept_guid = g.concept LEFT JOIN unit u ON u.unit_guid = g.unit';

export async function listGoals(db: Database, query: GoalQuery & PageRequest): Promise<Page<Goal>> {
  const conditions = new Conditions()
    .add(containing(query.search), (pattern) => `(g.name || ' ' || coalesce(g.description, '')) ${LIKE} ${pattern}`)
    .add(
      query.activity,
      (guid) => `EXISTS (SELECT FROM goal_activity ga WHERE ga.goal_guid = g.goal_guid AND ga.activity_guid = ${guid})`,
    );
  const page = await selectPage<GoalRow>(
    db,
    { columns: COLUMNS, from: FROM, orderBy: byName('g.name', 'g.goal_guid') },
    conditions,
    query,
  );
  return { ...page, data: page.data.map(toGoal) };
}

/** The goals with these guids, in the order of the guids; unknown ones are left out. */
export async function findGoals(db: Queryable, guids: readonly string[]): Promise<Goal[]> {
  const { rows } = await db.query<GoalRow>(
    `SELECT ${COLUMNS} FROM ${FROM} WHERE g.goal_guid = ANY($1::uuid[]) ORDER BY array_position($1::uuid[], g.goal_guid)`,
    [guids],
  );
  return rows.map(toGoal);
}

function toGoal({ comparator, value, low, high, unit, unit_name, ...row }: GoalRow): Goal {
  if (value === null && low === null && high === null) return { ...row, target: null };
  const target: Goal['target'] = {
    ...(comparator === null ? {} : { comparator }),
    ...(value === null ? {} : { value: Number(value) }),
    ...(low === null ? {} : { low: Number(low) }),
    ...(high === null ? {} : { high: Number(high) }),
    unit,
    unit_name,
  };
  return { ...row, target };
}

export async function insertGoal(tx: Transaction, guid: string, input: GoalInput, at: Date): Promise<void> {
  await tx.query(
    `INSERT INTO goal (goal_guid, created_at, updated_at, name, description, concept, comparator, value, low, high, unit, due)
     VALUES ($1, $2, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
    [guid, at, ...fieldValues(input)],
  );
  await linkActivities(tx, guid, input);
}

/** Returns the new version; undefined when there is no such goal. */
export async function updateGoal(
  tx: Transaction,
  guid: string,
  input: GoalInput,
  at: Date,
): Promise<number | undefined> {
  const { rows } = await tx.query<{ version: number }>(
    `UPDATE goal SET updated_at = $2, name = $3, description = $4, concept = $5, comparator = $6, value = $7, low = $8,
       high = $9, unit = $10, due = $11 WHERE goal_guid = $1 RETURNING version`,
    [guid, at, ...fieldValues(input)],
  );
  if (rows[0] === undefined) return undefined;
  await tx.query('DELETE FROM goal_activity WHERE goal_guid = $1', [guid]);
  await linkActivities(tx, guid, input);
  return rows[0].version;
}

async function linkActivities(tx: Transaction, guid: string, input: GoalInput): Promise<void> {
  await tx.query(
    `INSERT INTO goal_activity (goal_guid, activity_guid, position)
     SELECT $1, activity_guid, position FROM unnest($2::uuid[]) WITH ORDINALITY AS a(activity_guid, position)`,
    [guid, input.activities ?? []],
  );
}

function fieldValues({ name, description, concept, target, due }: GoalInput): unknown[] {
  const comparator = target?.value === undefined ? null : (target.comparator ?? '=');
  return [
    name,
    description ?? null,
    concept,
    comparator,
    target?.value ?? null,
    target?.low ?? null,
    target?.high ?? null,
    target?.unit ?? null,
    due == null ? null : JSON.stringify(due),
  ];
}
