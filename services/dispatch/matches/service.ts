// Matching (decision D4): asks the contract service before the transaction, then stores one pending match for each
// contract.
import type { ContractClient } from '#clients/contract-client.ts';
import { objectOf } from '#fhir/json/objects.ts';
import { codesToMatch, resolvePlan } from '#fhir/plans/plan-snapshot.ts';
import type { Calendar } from '#fhir/primitives/calendar.ts';
import type { Clock } from '#lib/clock.ts';
import type { Database, Queryable } from '#lib/db/database.ts';
import { notFound, ServiceError } from '#lib/errors.ts';
import { isGuid, newGuid } from '#lib/guid.ts';
import type { Actor } from '../shared/actor.ts';
import type { LinkMail } from '../shared/link-mail.ts';
import { matchAt } from '../shared/match-lifecycle.ts';
import { insertMatches, type Match } from '../shared/match-store.ts';
import type { RequestContext } from '../shared/request-context.ts';
import { defineTextTask, type TextTasks } from '../shared/text-tasks.ts';
import { type DeliverySummary, summarizeDelivery } from './delivery-state.ts';
import { listMatchAttempts, listMatchesWithDeliveries, type MatchAttempt } from './store.ts';

export type { MatchAttempt } from './store.ts';

/** A match as it is shown. */
export interface MatchView extends Match {
  /** Undefined before the push, and when there is no webhook. */
  readonly delivery: DeliverySummary | undefined;
  /** Of the link that works; undefined when it was not mailed. */
  readonly linkMail: LinkMail | undefined;
}

export interface MatchCriteria {
  readonly region?: string;
  /** `YYYY-MM-DD`; today when left out. */
  readonly date?: string;
}

export interface MatchService {
  /**
   * Returns all matches of the request, old and new.
   * @throws ServiceError `not_found`, `conflict`, `unprocessable` when the plan has no codes to match,
   * `upstream_unavailable`
   */
  match(actor: Actor, id: string, criteria: MatchCriteria): Promise<MatchView[]>;
  /** @throws ServiceError `not_found` */
  list(actor: Actor, id: string): Promise<MatchView[]>;
  /** The attempts to send the match to its provider, in order. @throws ServiceError `not_found` */
  attempts(actor: Actor, id: string, matchGuid: string): Promise<readonly MatchAttempt[]>;
}

export interface MatchServiceOptions {
  readonly database: Database;
  readonly texts: TextTasks;
  readonly requestContext: RequestContext;
  readonly contracts: ContractClient;
  readonly clock: Clock;
  /** For today's date, in its time zone. */
  readonly calendar: Calendar;
}

export function createMatchService({
  database,
  texts,
  requestContext,
  contracts,
  clock,
  calendar,
}: MatchServiceOptions): MatchService {
  /** A push past its deadline is shown as expired, even while the database does not say so yet. */
  const listAsOfNow = async (db: Queryable, id: string): Promise<MatchView[]> => {
    const rows = await listMatchesWithDeliveries(db, id);
    return rows.map((row) => ({ ...matchAt(row, clock.now()), delivery: summarizeDelivery(row) }));
  };

  return {
    async match(actor, id, { region, date }) {
      const { snapshot, organisationGuid } = await requestContext.findFor('match', actor, id);
      const now = clock.now();
      const found = await contracts.match({
        codes: await texts.run(CODES, { snapshot }, actor),
        organisationGuid,
        date: date ?? calendar.dayOf(now),
        ...(region === undefined ? {} : { region }),
      });
      return database.transaction(async (tx) => {
        const { record } = await requestContext.lock(tx, actor, id, 'match');
        const matches = found.map((contract) => ({ ...contract, matchGuid: newGuid(now) }));
        await insertMatches(tx, id, matches, new Date(now));
        await requestContext.record(tx, actor, { record, event: 'match', action: 'U' });
        return listAsOfNow(tx, id);
      });
    },
    async list(actor, id) {
      const { record } = await requestContext.find(database, actor, id);
      await requestContext.recordRead(actor, { record, event: 'matches', action: 'R' });
      return listAsOfNow(database, id);
    },
    async attempts(actor, id, matchGuid) {
      const { record } = await requestContext.find(database, actor, id);
      const attempts = isGuid(matchGuid) ? await listMatchAttempts(database, id, matchGuid) : undefined;
      if (attempts === undefined) throw notFound('Match');
      await requestContext.recordRead(actor, { record, event: 'match-attempts', action: 'R' });
      return attempts;
    },
  };
}

/** The codes that contracts must cover. @throws ServiceError `unprocessable` when there are none */
export const CODES = defineTextTask('codes', ({ snapshot }: { readonly snapshot: string }) => {
  const plan = objectOf(objectOf(JSON.parse(snapshot))?.['plan_definition']);
  const codes = plan === undefined ? [] : codesToMatch(resolvePlan(plan));
  if (codes.length > 0) return codes;
  const message = 'The plan names no concept with a system and a code, so that no contract can be found for it';
  throw new ServiceError('unprocessable', message);
});
