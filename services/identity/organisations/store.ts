// Organisations: SQL only.
import type { Queryable } from '#lib/db/database.ts';
import { byName } from '#lib/db/name-order.ts';
import { readCount } from '#lib/db/rows.ts';
import type { ListRange } from '../list-page.ts';

export interface Organisation {
  readonly organisationGuid: string;
  readonly name: string;
  /** The provider whose organisation it is (decision L7). */
  readonly providerGuid?: string;
}

interface Row {
  organisation_guid: string;
  name: string;
  provider_guid: string | null;
}

const COLUMNS = 'organisation_guid, name, provider_guid';

function toOrganisation({ organisation_guid: organisationGuid, name, provider_guid: providerGuid }: Row): Organisation {
  return { organisationGuid, name, ...(providerGuid === null ? {} : { providerGuid }) };
}

const BY_NAME = byName('name', 'organisation_guid');

export async function listOrganisations(db: Queryable, range: ListRange): Promise<Organisation[]> {
  const statement = {
    name: 'identity-organisations',
    text: `SELECT ${COLUMNS} FROM organisation ORDER BY ${BY_NAME} LIMIT $1 OFFSET $2`,
  };
  const { rows } = await db.query<Row>(statement, [range.limit, range.offset]);
  return rows.map(toOrganisation);
}

export async function countOrganisations(db: Queryable): Promise<number> {
  return readCount(db, 'SELECT count(*) AS count FROM organisation');
}

export interface CountedOrganisation {
  readonly organisation_guid: string;
  readonly name: string;
  readonly provider_guid: string | null;
  readonly professionals: number;
}

/** $1: a part of the name, $2: the provider; null for all. */
const NAMED = `FROM organisation o WHERE ($1::text IS NULL OR strpos(lower(o.name), lower($1)) > 0)
  AND ($2::uuid IS NULL OR o.provider_guid = $2)`;

export interface OrganisationFilter {
  readonly search: string | null;
  readonly providerGuid: string | null;
}

/** By name, with how many professionals work there; null finds all. `total` counts beyond the page. */
export async function listCounted(
  db: Queryable,
  { search, providerGuid }: OrganisationFilter,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<{ found: CountedOrganisation[]; total: number }> {
  const { rows } = await db.query<CountedOrganisation>(
    `SELECT o.organisation_guid, o.name, o.provider_guid,
       (SELECT count(*)::int FROM professional_organisation w WHERE w.organisation_guid = o.organisation_guid) AS professionals
     ${NAMED} ORDER BY ${byName('o.name', 'o.organisation_guid')} LIMIT $3 OFFSET $4`,
    [search, providerGuid, limit, offset],
  );
  return { found: rows, total: await readCount(db, `SELECT count(*) AS count ${NAMED}`, [search, providerGuid]) };
}

/** Organisations whose name contains the text, ignoring case; `total` counts beyond `limit`. */
export async function searchOrganisations(
  db: Queryable,
  text: string,
  limit: number,
): Promise<{ found: Organisation[]; total: number }> {
  const { rows } = await db.query<Row & { total: number }>(
    `SELECT ${COLUMNS}, count(*) OVER () AS total FROM organisation
     WHERE strpos(lower(name), lower($1)) > 0 ORDER BY ${BY_NAME} LIMIT $2`,
    [text, limit],
  );
  return { found: rows.map(toOrganisation), total: rows[0]?.total ?? 0 };
}

export async function readOrganisation(db: Queryable, organisationGuid: string): Promise<Organisation | null> {
  const text = `SELECT ${COLUMNS} FROM organisation WHERE organisation_guid = $1`;
  const [row] = (await db.query<Row>(text, [organisationGuid])).rows;
  return row === undefined ? null : toOrganisation(row);
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

/** Sets or removes the provider; the organisation as it is then, and null when there is none. */
export async function setProvider(
  db: Queryable,
  organisationGuid: string,
  providerGuid: string | null,
): Promise<Organisation | null> {
  const text = `UPDATE organisation SET provider_guid = $2 WHERE organisation_guid = $1 RETURNING ${COLUMNS}`;
  const [row] = (await db.query<Row>(text, [organisationGuid, providerGuid])).rows;
  return row === undefined ? null : toOrganisation(row);
}

/** The users who work there, whose access changes with the organisation's. */
export async function listProfessionals(db: Queryable, organisationGuid: string): Promise<string[]> {
  const text = 'SELECT user_guid FROM professional_organisation WHERE organisation_guid = $1';
  return (await db.query<{ user_guid: string }>(text, [organisationGuid])).rows.map((row) => row.user_guid);
}
