// Organisations: SQL only.
import type { Queryable } from '#lib/db/database.ts';
import { byName } from '#lib/db/name-order.ts';
import type { ListRange } from '../list-page.ts';

export interface Organisation {
  readonly organisationGuid: string;
  readonly name: string;
}

interface Row {
  organisation_guid: string;
  name: string;
}

const BY_NAME = byName('name', 'organisation_guid');

export async function listOrganisations(db: Queryable, range: ListRange): Promise<Organisation[]> {
  const statement = {
    name: 'identity-organisations',
    text: `SELECT organisation_guid, name FROM organisation ORDER BY ${BY_NAME} LIMIT $1 OFFSET $2`,
  };
  const { rows } = await db.query<Row>(statement, [range.limit, range.offset]);
  return rows.map((row) => ({ organisationGuid: row.organisation_guid, name: row.name }));
}

export async function countOrganisations(db: Queryable): Promise<number> {
  return (await db.query<{ count: number }>('SELECT count(*) AS count FROM organisation')).rows[0]?.count ?? 0;
}

/** Organisations whose name contains the text, ignoring case; `total` counts beyond `limit`. */
export async function searchOrganisations(
  db: Queryable,
  text: string,
  limit: number,
): Promise<{ found: Organisation[]; total: number }> {
  const { rows } = await db.query<Row & { total: number }>(
    `SELECT organisation_guid, name, count(*) OVER () AS total FROM organisation
     WHERE strpos(lower(name), lower($1)) > 0 ORDER BY ${BY_NAME} LIMIT $2`,
    [text, limit],
  );
  const found = rows.map((row) => ({ organisationGuid: row.organisation_guid, name: row.name }));
  return { found, total: rows[0]?.total ?? 0 };
}

export async function readOrganisation(db: Queryable, organisationGuid: string): Promise<Organisation | null> {
  const text = 'SELECT organisation_guid, name FROM organisation WHERE organisation_guid = $1';
  const [row] = (await db.query<Row>(text, [organisationGuid])).rows;
  return row === undefined ? null : { organisationGuid: row.organisation_guid, name: row.name };
}

export async function organisationExists(db: Queryable, organisationGuid: string): Promise<boolean> {
  return (await db.query('SELECT FROM organisation WHERE organisation_guid = $1', [organisationGuid])).rowCount > 0;
}

/** False when the name is taken. */
export async function insertOrganisation(db: Queryable, organisation: Organisation, createdAt: Date): Promise<boolean> {
  const { rowCount } = await db.query(
    `INSERT INTO organisation (organisation_guid, name, created_at) VALUES ($1, $2, $3) ON CONFLICT (lower(name)) DO NOTHING`,
    [organisation.organisationGuid, organisation.name, createdAt],
  );
  return rowCount === 1;
}
