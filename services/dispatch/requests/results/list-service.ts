// Lists all results of a request for those who may read it (docs/adr/0087).
import type { Database } from '#lib/db/database.ts';
import type { Actor } from '../../shared/actor.ts';
import type { RequestContext } from '../../shared/request-context.ts';
import { type ListedResult, listResults } from './list-store.ts';

export type { ListedResult } from './list-store.ts';

export interface ResultListService {
  /** @throws ServiceError `not_found` */
  list(actor: Actor, serviceRequestId: string): Promise<readonly ListedResult[]>;
}

export function createResultList({
  database,
  requestContext,
}: {
  readonly database: Database;
  readonly requestContext: RequestContext;
}): ResultListService {
  return {
    async list(actor, id) {
      const { record } = await requestContext.find(database, actor, id);
      await requestContext.recordRead(actor, { record, event: 'results', action: 'R' });
      return listResults(database, id);
    },
  };
}
