// An SU admin merges two accounts of one person (docs/adr/0076). The merged one stays, blocked, and leads to the other,
// who gets its organisations, memberships, registries and records. It can be undone.
import type { Queryable, Transaction } from '#lib/db/database.ts';
import { conflict, notFound, ServiceError, validationError } from '#lib/errors.ts';
import { isGuid, newGuid } from '#lib/guid.ts';
import type { WriteDependencies } from '#lib/write-dependencies.ts';
import type { Actor } from '../actor.ts';
import type { AuthService } from '../auth/service.ts';
import type { Revocations } from '../revocations/service.ts';
import * as store from './merge-store.ts';
import { lockSuAdmins } from './store.ts';

/** What a merge does, or would do. */
export interface MergeEffects {
  readonly from: store.AccountRow;
  readonly into: store.AccountRow;
  readonly isMerged: boolean;
  readonly organisations: readonly store.OrganisationRow[];
  readonly groups: readonly store.GroupRow[];
  readonly registries: readonly string[];
  readonly sessions: number;
}

export interface AccountMerge {
  /** @throws ServiceError as `merge` */
  preview(actor: Actor, from: string, into: string): Promise<MergeEffects>;
  /**
   * The same merge again changes nothing.
   * @throws ServiceError `not_found`, `validation_error`, `conflict` where these accounts cannot be merged
   */
  merge(actor: Actor, from: string, into: string): Promise<MergeEffects>;
  /** @throws ServiceError `not_found`, `conflict` for an account that is not merged */
  undo(actor: Actor, from: string): Promise<void>;
}

export interface AccountMergeDeps extends WriteDependencies {
  readonly auth: Pick<AuthService, 'endSessions'>;
  readonly revocations: Pick<Revocations, 'usersChanged'>;
  readonly takeEffect: () => Promise<void>;
}

export function createAccountMerge(deps: AccountMergeDeps): AccountMerge {
  const { database, clock, audit, auth, revocations, takeEffect } = deps;

  async function effectsOf(db: Queryable, from: string, into: string, lock: 'none' | 'update'): Promise<MergeEffects> {
    const pair = await readPair(db, { from, into, lock });
    const isMerged = pair.from.merged_into === into;
    if (!isMerged) requireMergeable(pair);
    return {
      ...pair,
      isMerged,
      organisations: await store.findOrganisations(db, from, into),
      groups: await store.findGroups(db, from, into),
      registries: pair.from.registries.filter((name) => !pair.into.registries.includes(name)),
      sessions: await store.countSessions(db, from, new Date(clock.now())),
    };
  }

  function apply(tx: Transaction, actor: Actor, effects: MergeEffects): Promise<void> {
    const { from, into, organisations, groups, registries } = effects;
    const now = clock.now();
    const guidsOf = (rows: readonly store.GroupRow[]) => rows.map(({ group_guid: guid }) => guid);
    return store.applyMerge(tx, {
      from: from.user_guid,
      into: into.user_guid,
      by: actor.principal.id,
      at: new Date(now),
      wasBlocked: from.is_blocked,
      organisations: organisations.map(({ organisation_guid: guid }) => guid),
      added: groups
        .filter(({ into_status: status }) => status === null)
        .map(({ group_guid: group }) => ({ group, membership: newGuid(now) })),
      approved: guidsOf(groups.filter(({ into_status: status }) => status === 'pending' || status === 'rejected')),
      administered: guidsOf(groups.filter(({ is_admin: isAdmin }) => isAdmin)),
      registries,
    });
  }

  /** Both accounts, and so both patients, have it in their record. */
  function record(tx: Transaction, actor: Actor, event: string, accounts: readonly store.AccountRow[]): Promise<void> {
    const others = (guid: string) =>
      accounts.flatMap(({ user_guid: other }) => (other === guid ? [] : `user/${other}`));
    return audit.record(
      tx,
      ...accounts.map(({ user_guid: subjectGuid, patient_guid: patientGuid }) => ({
        action: 'U' as const,
        event,
        subjectGuid,
        entities: others(subjectGuid),
        ...(patientGuid === null ? {} : { patientGuid }),
        ...actor,
      })),
    );
  }

  return {
    async preview(actor, from, into) {
      const effects = await effectsOf(database, from, into, 'none');
      await audit.recordRead({ action: 'R', event: 'user.preview-merge', subjectGuid: from, ...actor });
      return effects;
    },
    async merge(actor, from, into) {
      const effects = await database.transaction(async (tx) => {
        await requireAdmin(tx, actor);
        if (from === actor.principal.id) throw conflict('You cannot merge your own account into another');
        const found = await effectsOf(tx, from, into, 'update');
        if (found.isMerged) return found;
        await apply(tx, actor, found);
        await record(tx, actor, 'user.merge', [found.from, found.into]);
        await revocations.usersChanged(tx, [into]);
        await auth.endSessions(tx, from);
        return found;
      });
      await takeEffect();
      return effects;
    },
    async undo(actor, from) {
      await database.transaction(async (tx) => {
        await requireAdmin(tx, actor);
        const before = isGuid(from) ? (await store.readAccounts(tx, [from], 'none')).get(from) : undefined;
        if (before === undefined) throw notFound('User');
        if (before.merged_into === null) throw conflict('The account is not merged into another');
        const accounts = await store.readAccounts(tx, [from, before.merged_into], 'update');
        await store.undoMerge(tx, from);
        await record(tx, actor, 'user.undo-merge', [...accounts.values()]);
        await revocations.usersChanged(tx, [from, before.merged_into]);
      });
      await takeEffect();
    },
  };
}

async function readPair(
  db: Queryable,
  { from, into, lock }: { readonly from: string; readonly into: string; readonly lock: 'none' | 'update' },
): Promise<{ from: store.AccountRow; into: store.AccountRow }> {
  if (from === into) {
    throw validationError([{ field: 'into_user_guid', message: "'into_user_guid' must name another account" }]);
  }
  const accounts = [from, into].every(isGuid) ? await store.readAccounts(db, [from, into], lock) : undefined;
  const [one, other] = [accounts?.get(from), accounts?.get(into)];
  if (one === undefined || other === undefined) throw notFound('User');
  return { from: one, into: other };
}

/** @throws ServiceError `conflict` */
function requireMergeable({ from, into }: Pick<MergeEffects, 'from' | 'into'>): void {
  if (from.user_type !== into.user_type) {
    throw conflict('A professional who is also a patient keeps two accounts: these two are not of one kind');
  }
  if (from.merged_into !== null) throw conflict('The account is merged into another one already: undo that first');
  if (from.has_merged) throw conflict('Another account is merged into this one: undo that first');
  if (into.merged_into !== null) throw conflict('The account to remain is itself merged into another one');
  if (into.email === null) throw conflict('Nobody signs in to the account to remain: it has no e-mail address');
  if (into.is_blocked) throw conflict('The account to remain is blocked: unblock it first');
}

/** Changes of administrators run one at a time; another may have blocked the caller meanwhile. */
async function requireAdmin(tx: Transaction, { principal }: Actor): Promise<void> {
  if (!(await lockSuAdmins(tx)).includes(principal.id)) throw new ServiceError('unauthorized', 'Your account is gone');
}
