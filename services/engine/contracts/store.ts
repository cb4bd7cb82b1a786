// SQL statements for contracts. The codes are also stored as "system|code" for the array index that the match uses.
import type { Database, Queryable, Transaction } from '#lib/db/database.ts';
import { byName } from '#lib/db/name-order.ts';
import type { Page, PageRequest } from '#lib/http/response/page.ts';
import { Conditions, instant, selectPage } from '../shared/sql.ts';
import type { Contract, ContractCode, ContractInput, ContractMatch, ContractQuery, MatchInput } from './schema.ts';

const COLUMNS = `c.contract_guid, c.provider_guid, p.name AS provider_name, c.codes, c.organisation_guid, c.region,
  c.valid_from, c.valid_to, c.status, c.version, ${instant('c.created_at')}, ${instant('c.updated_at')}`;
const FROM = 'contract c JOIN provider p USING (provider_guid)';
const BY_NAME = byName('p.name', 'c.contract_guid');

export function listContracts(db: Database, query: ContractQuery & PageRequest): Promise<Page<Contract>> {
  const conditions = new Conditions()
    .add(query.provider_guid, (guid) => `c.provider_guid = ${guid}`)
    .add(query.status, (status) => `c.status = ${status}`);
  return selectPage<Contract>(db, { columns: COLUMNS, from: FROM, orderBy: BY_NAME }, conditions, query);
}

export async function findContract(db: Queryable, guid: string): Promise<Contract | undefined> {
  const { rows } = await db.query<Contract>(`SELECT ${COLUMNS} FROM ${FROM} WHERE c.contract_guid = $1`, [guid]);
  return rows[0];
}

export async function insertContract(tx: Transaction, guid: string, input: ContractInput, at: Date): Promise<void> {
  await tx.query(
    `INSERT INTO contract (contract_guid, created_at, updated_at, provider_guid, code_keys, codes, organisation_guid, region,
       valid_from, valid_to, status)
     VALUES ($1, $2, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [guid, at, ...fieldValues(input)],
  );
}

/** Returns the new version; undefined when there is no such contract. */
export async function updateContract(
  tx: Transaction,
  guid: string,
  input: ContractInput,
  at: Date,
): Promise<number | undefined> {
  const { rows } = await tx.query<{ version: number }>(
    `UPDATE contract SET updated_at = $2, provider_guid = $3, code_keys = $4, codes = $5, organisation_guid = $6,
       region = $7, valid_from = $8, valid_to = $9, status = $10 WHERE contract_guid = $1 RETURNING version`,
    [guid, at, ...fieldValues(input)],
  );
  return rows[0]?.version;
}

/**
 * Returns the contracts of active providers that are in force on the day and name every code. A contract for one
 * organisation or region covers only requests of that one. A request that names none is not compared.
 */
export async function findMatches(db: Queryable, input: MatchInput): Promise<ContractMatch[]> {
  const { rows } = await db.query<ContractMatch>(
    `SELECT c.contract_guid, c.provider_guid, p.name AS provider_name, p.organisation_guid, p.region, c.valid_to
     FROM ${FROM}
     WHERE c.code_keys @> $1::text[] AND c.status = 'active' AND p.status = 'active'
       AND c.valid_from <= $2::date AND (c.valid_to IS NULL OR c.valid_to >= $2::date)
       AND (c.organisation_guid IS NULL OR $3::uuid IS NULL OR c.organisation_guid = $3)
       AND (c.region IS NULL OR $4::text IS NULL OR c.region = $4)
     ORDER BY ${BY_NAME}`,
    [input.codes.map(codeKey), input.date, input.organisation_guid ?? null, input.region ?? null],
  );
  return rows;
}

function fieldValues(input: ContractInput): unknown[] {
  return [
    input.provider_guid,
    input.codes.map(codeKey),
    JSON.stringify(input.codes),
    input.organisation_guid ?? null,
    input.region ?? null,
    input.valid_from,
    input.valid_to ?? null,
    input.status ?? 'active',
  ];
}

function codeKey({ system, code }: ContractCode): string {
  return `${system}|${code}`;
}
