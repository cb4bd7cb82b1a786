// SQL statements that resolve activities and goals for publication, and count the versions of a plan.
import type { Queryable, Transaction } from '#lib/db/database.ts';
import { instant } from '../shared/sql.ts';
import type { ResolvedActivity, ResolvedConcept, ResolvedGoal, ResolvedTransaction, ResolvedUnit } from './resolved.ts';

const conceptJson = (
  alias: string,
  lib: string,
) => `jsonb_build_object('guid', ${alias}.concept_guid, 'system', ${lib}.url,
  'version', ${lib}.version, 'code', ${alias}.concept_code,
  'display', coalesce(${alias}.concept_display_text, ${alias}.concept_name), 'values', ${alias}.permitted_values)`;
const UNIT_JSON = `CASE WHEN u.unit_guid IS NULL THEN NULL
  ELSE jsonb_build_object('name', u.name, 'ucumCode', u.ucum_code) END`;

type ActivityRow = Omit<ResolvedActivity, 'transactions'>;
type TransactionRow = ResolvedTransaction & { readonly activity: string };

/** In the order of the guids; unknown ones are left out. */
export async function resolveActivities(db: Queryable, guids: readonly string[]): Promise<ResolvedActivity[]> {
  const activities = await db.query<ActivityRow>(
    `SELECT a.activity_guid AS guid, a.name, a.description, a.status, a.version, ${instant('a.updated_at', '"updatedAt"')},
       ${conceptJson('c', 'l')} AS concept
     FROM activity a JOIN concept c ON c.concept_guid = a.concept JOIN canonical_lib l ON l.canonical_lib_guid = c.canonical_lib
     WHERE a.activity_guid = ANY($1::uuid[]) ORDER BY array_position($1::uuid[], a.activity_guid)`,
    [guids],
  );
  const transactions = await db.query<TransactionRow>(
    `SELECT t.activity_guid AS activity, t.transaction_guid AS guid, t.name, t.timing, t.required,
       r.fhir_type AS "fhirType", ${UNIT_JSON} AS unit, ${conceptJson('c', 'l')} AS concept
     FROM activity_transaction t JOIN concept c ON c.concept_guid = t.concept
       JOIN canonical_lib l ON l.canonical_lib_guid = c.canonical_lib
       LEFT JOIN response_type r ON r.response_type_guid = coalesce(t.response_type, c.response_type)
       LEFT JOIN unit u ON u.unit_guid = t.unit
     WHERE t.activity_guid = ANY($1::uuid[]) ORDER BY t.position, t.transaction_guid`,
    [guids],
  );
  const byActivity = Map.groupBy(transactions.rows, (row) => row.activity);
  return activities.rows.map((row) => ({ ...row, transactions: byActivity.get(row.guid) ?? [] }));
}

interface GoalRow {
  readonly guid: string;
  readonly name: string;
  readonly description: string | null;
  readonly concept: ResolvedConcept;
  readonly comparator: string | null;
  readonly value: string | null;
  readonly low: string | null;
  readonly high: string | null;
  readonly unit: ResolvedUnit | null;
  readonly due: ResolvedGoal['due'];
  readonly activityGuids: readonly string[];
}

/** In the order of the guids; unknown ones are left out. */
export async function resolveGoals(db: Queryable, guids: readonly string[]): Promise<ResolvedGoal[]> {
  const { rows } = await db.query<GoalRow>(
    `SELECT g.goal_guid AS guid, g.name, g.description, g.comparator, g.value, g.low, g.high, g.due, ${UNIT_JSON} AS unit,
       ${conceptJson('c', 'l')} AS concept,
       ARRAY(SELECT ga.activity_guid FROM goal_activity ga WHERE ga.goal_guid = g.goal_guid) AS "activityGuids"
     FROM goal g JOIN concept c ON c.concept_guid = g.concept JOIN canonical_lib l ON l.canonical_lib_guid = c.canonical_lib
       LEFT JOIN unit u ON u.unit_guid = g.unit
     WHERE g.goal_guid = ANY($1::uuid[]) ORDER BY array_position($1::uuid[], g.goal_guid)`,
    [guids],
  );
  const number = (text: string | null) => (text === null ? null : Number(text));
  return rows.map((row) => ({ ...row, value: number(row.value), low: number(row.low), high: number(row.high) }));
}

/** Returns the next version of the plan with this url. Concurrent publications of the url wait for this transaction. */
export async function nextPlanVersion(tx: Transaction, url: string): Promise<number> {
  const { rows } = await tx.query<{ version: number }>(
    `INSERT INTO plan_series (url, latest_version) VALUES ($1, 1)
     ON CONFLICT (url) DO UPDATE SET latest_version = plan_series.latest_version + 1 RETURNING latest_version AS version`,
    [url],
  );
  const [row] = rows;
  if (row === undefined) throw new Error('The upsert of a plan series answered no row');
  return row.version;
}
