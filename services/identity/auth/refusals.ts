// Records a sign-in that is refused because the account may not use the tenant of the address (docs/adr/0137). The
// error rolls back what the sign-in has done, so the event has a transaction of its own.
import { currentTenantName } from '#lib/tenants/current-tenant.ts';
import type { WriteDependencies } from '#lib/write-dependencies.ts';
import type { Origin } from '../actor.ts';
import { NoMember } from '../shared/tenants/no-member.ts';
import { SIGN_IN } from './grants.ts';

export interface Refusals {
  /** Records that the user was refused at the tenant of the current request. */
  record(userGuid: string, origin: Origin): Promise<void>;
  /** The same work, which records its refusal before it throws. */
  recorded<Request extends { readonly origin: Origin }, Outcome>(
    work: (request: Request) => Promise<Outcome>,
  ): (request: Request) => Promise<Outcome>;
}

export function createRefusals({ database, audit }: Pick<WriteDependencies, 'database' | 'audit'>): Refusals {
  async function record(subjectGuid: string, origin: Origin): Promise<void> {
    const details = { outcome: 'failure', detail: `no member of tenant ${currentTenantName()}` } as const;
    await audit.record(database, {
      action: 'E',
      event: SIGN_IN,
      principal: undefined,
      subjectGuid,
      ...details,
      ...origin,
    });
  }

  return {
    record,
    recorded: (work) => async (request) => {
      try {
        return await work(request);
      } catch (error) {
        if (error instanceof NoMember) await record(error.userGuid, request.origin);
        throw error;
      }
    },
  };
}
