// Who is notified of a request (docs/adr/0070): the person who made or, later, finalized it.
import type { Principal } from '#lib/auth/principal.ts';
import { worksIn } from './audience.ts';

/** Undefined for a caller who does not work in the organisation: its planners are notified then. */
export function requesterOf(principal: Principal, organisationGuid: string): string | undefined {
  return worksIn(principal, organisationGuid) ? principal.id : undefined;
}
