// Which tenants a user may sign in to (docs/adr/0137). A user without a membership may use the default tenant alone. It
// is asked when a token is issued, and again whenever a node looks a token up: an ended membership ends its tokens.
import type { Audit } from '#lib/audit/audit.ts';
import { emailKey } from '#lib/auth/email.ts';
import type { Principal } from '#lib/auth/principal.ts';
import type { Clock } from '#lib/clock.ts';
import type { Database, Queryable, Transaction } from '#lib/db/database.ts';
import { ServiceError } from '#lib/errors.ts';
import { DEFAULT_TENANT } from '#lib/tenants/tenant.ts';
import type { Revocations } from '../revocations/service.ts';
import { NoMember } from '../shared/tenants/no-member.ts';
import * as store from './store.ts';

export interface Memberships {
  /** Whether the user may use the tenant; the default one when it is undefined. */
  isMember(db: Queryable, userGuid: string, tenant: string | undefined): Promise<boolean>;
  /** @throws ServiceError `forbidden` */
  require(db: Queryable, userGuid: string, tenant: string | undefined): Promise<void>;
  /**
   * The tenant to whose address a mail leads the user: this one, or another that the user may use; undefined for the
   * default one.
   */
  tenantFor(db: Queryable, userGuid: string, tenant: string | undefined): Promise<string | undefined>;
  /** The name that users see of it; undefined where there is only the default tenant. */
  shownName(tenant: string | undefined): string | undefined;
  /** Makes a new user a member of the tenant at whose address the registration was. */
  join(tx: Transaction, userGuid: string, tenant: string | undefined): Promise<void>;
}

/** An installation without tenants: everybody uses the default one, and no token for another is valid. */
export const NO_TENANTS: Memberships = {
  isMember: async (_db, _userGuid, tenant) => tenant === undefined,
  require: async (_db, userGuid, tenant) => {
    if (tenant !== undefined) throw new NoMember(userGuid);
  },
  tenantFor: async () => undefined,
  shownName: () => undefined,
  join: async () => undefined,
};

export function createMemberships({ clock }: { readonly clock: Clock }): Memberships {
  async function isMember(db: Queryable, userGuid: string, tenant: string | undefined): Promise<boolean> {
    const tenants = await store.readTenants(db, userGuid);
    return tenants.length === 0 ? tenant === undefined : tenants.includes(tenant ?? DEFAULT_TENANT);
  }
  return {
    isMember,
    async require(db, userGuid, tenant) {
      if (!(await isMember(db, userGuid, tenant))) throw new NoMember(userGuid);
    },
    async tenantFor(db, userGuid, tenant) {
      const tenants = await store.readTenants(db, userGuid);
      const own = tenants.length === 0 ? [DEFAULT_TENANT] : tenants;
      const name =
        own.find((each) => each === (tenant ?? DEFAULT_TENANT)) ?? own.find((each) => each !== store.NOWHERE);
      return name === DEFAULT_TENANT ? undefined : name;
    },
    shownName: (tenant) => tenant ?? DEFAULT_TENANT,
    async join(tx, userGuid, tenant) {
      if (tenant !== undefined) await store.insertMember(tx, { userGuid, tenant, now: new Date(clock.now()) });
    },
  };
}

export interface MembershipAdministration {
  /**
   * Lets the user sign in to the tenant. Who has used the default tenant alone keeps it. False when the user could
   * already. @throws ServiceError `not_found`
   */
  admit(by: Principal, email: string, tenant: string): Promise<boolean>;
  /** False when the user could not. @throws ServiceError `not_found` */
  expel(by: Principal, email: string, tenant: string): Promise<boolean>;
  /** Ends all memberships of a tenant; returns their number. */
  dissolve(by: Principal, tenant: string): Promise<number>;
  /** The number of members, by tenant. */
  count(): Promise<ReadonlyMap<string, number>>;
}

export function createMembershipAdministration(deps: {
  readonly database: Database;
  readonly clock: Clock;
  readonly audit: Audit;
  readonly revocations: Pick<Revocations, 'usersChanged'>;
}): MembershipAdministration {
  const { database, clock, audit, revocations } = deps;

  async function change(
    { principal, email, event }: { principal: Principal; email: string; event: string },
    work: (tx: Transaction, userGuid: string) => Promise<{ changed: boolean; detail: string }>,
  ): Promise<boolean> {
    return database.transaction(async (tx) => {
      const userGuid = await store.lockUser(tx, emailKey(email));
      if (userGuid === undefined) throw new ServiceError('not_found', 'No user has this address');
      const { changed, detail } = await work(tx, userGuid);
      if (!changed) return false;
      await revocations.usersChanged(tx, [userGuid]);
      await audit.record(tx, { action: 'U', event, principal, subjectGuid: userGuid, detail });
      return true;
    });
  }

  return {
    admit: (principal, email, tenant) =>
      change({ principal, email, event: 'tenant.admit' }, async (tx, userGuid) => {
        const now = new Date(clock.now());
        const before = await store.readTenants(tx, userGuid);
        if (before.length === 0 && tenant === DEFAULT_TENANT) return { changed: false, detail: tenant };
        if (before.length === 0) await store.insertMember(tx, { userGuid, tenant: DEFAULT_TENANT, now });
        return { changed: await store.insertMember(tx, { userGuid, tenant, now }), detail: `tenant ${tenant}` };
      }),
    expel: (principal, email, tenant) =>
      change({ principal, email, event: 'tenant.expel' }, async (tx, userGuid) => {
        const now = new Date(clock.now());
        const before = await store.readTenants(tx, userGuid);
        if (before.length === 0 && tenant === DEFAULT_TENANT) await store.insertMember(tx, { userGuid, tenant, now });
        const changed = await store.deleteMember(tx, userGuid, tenant);
        if (changed) await store.keepOut(tx, [userGuid], now);
        return { changed, detail: `tenant ${tenant}` };
      }),
    dissolve: (principal, tenant) =>
      database.transaction(async (tx) => {
        const users = await store.deleteMembersOf(tx, tenant);
        await store.keepOut(tx, users, new Date(clock.now()));
        await revocations.usersChanged(tx, users);
        const detail = `tenant ${tenant}; ${users.length} members`;
        await audit.record(tx, { action: 'D', event: 'tenant.dissolve', principal, detail });
        return users.length;
      }),
    count: () => store.countMembers(database),
  };
}
