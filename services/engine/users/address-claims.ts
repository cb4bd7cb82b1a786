// Gives identity's accounts precedence for e-mail addresses (docs/adr/0046). An engine account whose address belongs to
// an account of identity is disabled, and its sessions end. It stays disabled when the account at identity changes or
// is deleted, until an administrator enables it.

import { type AccountClient, MAX_ADDRESSES } from '#clients/account-client.ts';
import type { WriteDependencies } from '#lib/write-dependencies.ts';
import { deleteSessionsOf } from './session-store.ts';
import { userEntity } from './user-entity.ts';
import { disableUser, listUndisabled } from './user-store.ts';

interface AddressHolder {
  readonly user_guid: string;
  readonly email: string;
}

export interface AddressClaims {
  /** Whether an account of identity has the address. @throws ServiceError `upstream_unavailable` */
  isTaken(email: string): Promise<boolean>;
  /**
   * Disables the account if its address is identity's, and returns whether it is.
   * @throws ServiceError `upstream_unavailable`
   */
  claim(account: AddressHolder): Promise<boolean>;
  /** Disables an account whose address is known to be identity's. */
  disable(userGuid: string): Promise<void>;
  /** Checks all accounts. @throws ServiceError `upstream_unavailable` */
  claimAll(): Promise<void>;
}

export interface AddressClaimDependencies extends WriteDependencies {
  readonly identityAccounts: AccountClient;
}

export function createAddressClaims(deps: AddressClaimDependencies): AddressClaims {
  const { database, clock, audit, identityAccounts } = deps;

  async function isTaken(email: string): Promise<boolean> {
    return (await identityAccounts.knownAmong([email])).has(email);
  }

  async function disable(guid: string): Promise<void> {
    await database.transaction(async (tx) => {
      if (!(await disableUser(tx, guid, new Date(clock.now())))) return;
      await deleteSessionsOf(tx, guid);
      const detail = 'the address belongs to an account of identity';
      const entities = [userEntity(guid)];
      await audit.record(tx, { action: 'U', event: 'engine-user.disable', principal: undefined, entities, detail });
    });
  }

  return {
    isTaken,
    disable,
    async claim({ user_guid: guid, email }) {
      if (!(await isTaken(email))) return false;
      await disable(guid);
      return true;
    },
    async claimAll() {
      let after: string | undefined;
      do {
        const page: readonly AddressHolder[] = await listUndisabled(database, { after, limit: MAX_ADDRESSES });
        const known = await identityAccounts.knownAmong(page.map(({ email }) => email));
        for (const { user_guid: guid, email } of page) if (known.has(email)) await disable(guid);
        after = page.length < MAX_ADDRESSES ? undefined : page.at(-1)?.user_guid;
      } while (after !== undefined);
    },
  };
}
