// SQL of careplan_snapshot: the plan of a CarePlan, as it was when the CarePlan was written (D1).
import type { Queryable } from '#lib/db/database.ts';
import type { PlanSnapshot } from './plan-source.ts';

interface Row {
  canonical: string;
  plan_definition: string;
  resolved: string;
}

export async function findSnapshot(db: Queryable, careplanGuid: string): Promise<PlanSnapshot | undefined> {
  const { rows } = await db.query<Row>(
    {
      name: 'careplan-snapshot-find',
      text: 'SELECT canonical, plan_definition, resolved FROM careplan_snapshot WHERE careplan_guid = $1',
    },
    [careplanGuid],
  );
  const [row] = rows;
  if (row === undefined) return undefined;
  return { canonical: row.canonical, planDefinition: row.plan_definition, resolved: row.resolved };
}

/** The canonical that the CarePlan named when its snapshot was stored. */
export async function findCanonical(db: Queryable, careplanGuid: string): Promise<string | undefined> {
  const { rows } = await db.query<Pick<Row, 'canonical'>>(
    { name: 'careplan-snapshot-canonical', text: 'SELECT canonical FROM careplan_snapshot WHERE careplan_guid = $1' },
    [careplanGuid],
  );
  return rows[0]?.canonical;
}

export async function saveSnapshot(
  db: Queryable,
  careplanGuid: string,
  snapshot: PlanSnapshot,
  now: Date,
): Promise<void> {
  await db.query(
    {
      name: 'careplan-snapshot-save',
      text: `INSERT INTO careplan_snapshot (careplan_guid, canonical, plan_definition, resolved, created_at)
        VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT (careplan_guid) DO UPDATE SET canonical = excluded.canonical,
          plan_definition = excluded.plan_definition, resolved = excluded.resolved, created_at = excluded.created_at`,
    },
    [careplanGuid, snapshot.canonical, snapshot.planDefinition, snapshot.resolved, now],
  );
}

export async function deleteSnapshot(db: Queryable, careplanGuid: string): Promise<void> {
  await db.query({ name: 'careplan-snapshot-delete', text: 'DELETE FROM careplan_snapshot WHERE careplan_guid = $1' }, [
    careplanGuid,
  ]);
}
