// The provider feed (decision D10): the requests dispatched to a provider, ordered by their latest changes, from which
// it recovers missed webhooks. Every read asks the consent gate for every bundle.

import { actsAsStaff, actsForProvider } from '#lib/auth/provider-staff.ts';
import type { Clock } from '#lib/clock.ts';
import type { Database } from '#lib/db/database.ts';
import { ServiceError } from '#lib/errors.ts';
import type { ReadGate } from '../../consent/service.ts';
import type { Actor } from '../../shared/actor.ts';
import type { KeyRing } from '../../shared/key-ring.ts';
import { matchAt } from '../../shared/match-lifecycle.ts';
import { isOpen, type RequestStatus, requestStatus } from '../status.ts';
import { readCursor, writeCursor } from './feed-cursor.ts';
import { type FeedEntry, readBundles, readFeed } from './feed-store.ts';

export interface FeedRequest {
  readonly providerGuid: string;
  readonly cursor: string | undefined;
  readonly since: Date | undefined;
  readonly limit: number;
}

export interface FeedItem {
  readonly entry: FeedEntry;
  readonly status: RequestStatus;
  /** The receipt token; undefined when the key that it is derived from was removed. For staff the request's guid. */
  readonly token: string | undefined;
  /** JSON text; undefined when the request is closed or consent forbids it. */
  readonly bundle: string | undefined;
}

export interface FeedPage {
  readonly items: readonly FeedItem[];
  readonly nextCursor: string;
  readonly hasMore: boolean;
}

export interface FeedService {
  /**
   * Passes the page to `show` and returns its result, once the access record is stored.
   * @throws ServiceError `forbidden` for another provider's feed; `validation_error` for a cursor of another feed
   */
  read<T>(actor: Actor, request: FeedRequest, show: (page: FeedPage) => T): Promise<T>;
}

export interface FeedServiceOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly gate: ReadGate;
  readonly keys: KeyRing;
}

export function createFeedService({ database, clock, gate, keys }: FeedServiceOptions): FeedService {
  return {
    async read(actor, request, show) {
      requireOwn(actor, request.providerGuid);
      const { providerGuid, since, limit } = request;
      const after = request.cursor === undefined ? 0 : readCursor(providerGuid, request.cursor);
      const { entries, hasMore } = await readFeed(database, { providerGuid, after, since, limit });
      const now = clock.now();
      // The receipt token would outlive the person's work there (docs/adr/0077).
      const isStaff = actsAsStaff(actor.principal, providerGuid);
      const open = entries.filter((entry) => isOpen(statusAt(entry, now)));
      const questions = open.map(({ patientGuid, organisationGuid, requestGuid }) => ({
        patientGuid,
        organisationGuid,
        providerGuid,
        subject: `request/${requestGuid}`,
      }));
      const { principal, requestId } = actor;
      const context = { occasion: 'feed' as const, principal, ...(requestId === undefined ? {} : { requestId }) };
      return gate.decideRead(questions, context, async (decisions) => {
        const permitted = open.filter((_, index) => decisions[index]?.permitted === true);
        const bundles = await readBundles(
          database,
          permitted.map(({ bundleGuid }) => bundleGuid),
        );
        const shown = new Set(permitted);
        return show({
          items: entries.map((entry) => ({
            entry,
            status: statusAt(entry, now),
            token: isStaff ? entry.requestGuid : keys.tokenOf(entry.requestGuid, entry.tokenKey),
            bundle: shown.has(entry) ? bundles.get(entry.bundleGuid) : undefined,
          })),
          nextCursor: writeCursor(providerGuid, entries.at(-1)?.position ?? after),
          hasMore,
        });
      });
    },
  };
}

/** A push past its deadline is shown as expired. It moves to the end of the feed once the expiry is stored. */
function statusAt({ matchStatus, progress, respondBy }: FeedEntry, now: number): RequestStatus {
  return requestStatus(matchAt({ status: matchStatus, respondBy }, now).status, progress);
}

/** A provider reads its own feed, an administrator any. */
export function mayReadFeed({ principal }: Actor, providerGuid: string): boolean {
  return actsForProvider(principal, providerGuid);
}

/** @throws ServiceError `forbidden` */
function requireOwn(actor: Actor, providerGuid: string): void {
  if (mayReadFeed(actor, providerGuid)) return;
  throw new ServiceError('forbidden', 'A provider reads its own feed alone');
}
