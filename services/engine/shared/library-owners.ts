// The owners of library entries (docs/adr/0050). Everybody reads an entry. Only its author's organisation and
// administrators change it.

import { dataScopeOf } from '#lib/auth/data-scope.ts';
import type { Principal } from '#lib/auth/principal.ts';
import type { Queryable, Transaction } from '#lib/db/database.ts';
import { ServiceError } from '#lib/errors.ts';
import { ownerOfDefinition } from './policies.ts';

/**
 * Stores the owner of a new entry. An entry by an administrator belongs to the whole system.
 * @throws ServiceError `forbidden` for a caller without an organisation
 */
export async function recordOwner(tx: Transaction, guid: string, principal: Principal): Promise<void> {
  const organisation = ownerOfDefinition(principal);
  if (organisation === null) return;
  await tx.query('INSERT INTO library_owner (item_guid, organisation) VALUES ($1, $2)', [guid, organisation]);
}

/**
 * Checks that the caller may change an existing entry.
 * @throws ServiceError `forbidden` for a caller who is neither of the owner's organisation nor an administrator
 */
export async function requireOwner(tx: Transaction, guid: string, principal: Principal): Promise<void> {
  if (isOwner(await ownerOf(tx, guid), principal)) return;
  throw new ServiceError(
    'forbidden',
    'This belongs to another organisation: only its owner and administrators may change it',
  );
}

/**
 * As {@link requireOwner}, but anybody may add to an entry that belongs to the whole system.
 * @throws ServiceError `forbidden`
 */
export async function requireOpenToAdd(tx: Transaction, guid: string, principal: Principal): Promise<void> {
  const owner = await ownerOf(tx, guid);
  if (owner === null || isOwner(owner, principal)) return;
  throw new ServiceError(
    'forbidden',
    'The canonical library belongs to another organisation: only its owner adds to it',
  );
}

/** Deletes the owner of a deleted entry. */
export async function deleteOwner(tx: Transaction, guid: string): Promise<void> {
  await tx.query('DELETE FROM library_owner WHERE item_guid = $1', [guid]);
}

async function ownerOf(db: Queryable, guid: string): Promise<string | null> {
  const text = 'SELECT organisation FROM library_owner WHERE item_guid = $1';
  const { rows } = await db.query<{ organisation: string }>(text, [guid]);
  return rows[0]?.organisation ?? null;
}

function isOwner(owner: string | null, principal: Principal): boolean {
  const scope = dataScopeOf(principal, 'engine');
  if (scope.kind === 'all') return true;
  return owner !== null && scope.kind === 'organisations' && scope.guids.includes(owner);
}
