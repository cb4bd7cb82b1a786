// Routes of activities and transactions (contract: engine, "Activities and goals"; decision E7).
import { type ApiRoutes, apiRoutes } from '#lib/http/api-routes.ts';
import { requirePrincipal } from '#lib/http/app.ts';
import { checkedOnSchemaError } from '#lib/http/body-check.ts';
import { FHIR_JSON } from '#lib/http/error-handler.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { IdParams } from '../shared/fields.ts';
import { LIBRARY, REMOVAL_ERRORS, registerLibraryRoutes, replacementOf } from '../shared/record-routes.ts';
import { ReplacementHeaders, tagVersion } from '../shared/record-versions.ts';
import { BASE_PATH, created } from '../shared/routes.ts';
import { Activity, ActivityInput, ActivityQuery, ActivityTransaction, TransactionInput } from './schema.ts';
import type { ActivityService } from './service.ts';

const PATH = '/activities';
const ONE = `${BASE_PATH}${PATH}/:id`;
const TRANSACTION = `${BASE_PATH}/transactions/:id`;
const READ = { permission: LIBRARY.permissions.read };

/** @param toFhir makes the ActivityDefinition of an activity */
export function registerActivities(
  app: HttpApp,
  service: ActivityService,
  toFhir: (activity: Activity) => Promise<object>,
): void {
  const routes = apiRoutes(app, { tags: LIBRARY.tags, permission: LIBRARY.permissions.write });
  registerLibraryRoutes(app, service, {
    path: PATH,
    schemas: { output: Activity, input: ActivityInput, query: ActivityQuery },
    summaries: {
      list: 'List activities',
      create: 'Add an activity',
      read: 'Read an activity',
      replace: 'Replace an activity; its transactions stay',
    },
    guidOf: ({ activity_guid: guid }) => guid,
    versionOf: ({ version }) => version,
    removal: { summary: 'Delete an activity that no goal uses', errors: ['conflict'] },
  });
  routes.get(
    `${ONE}/fhir`,
    'Read an activity as an R5 ActivityDefinition',
    { config: READ, schema: { params: IdParams } },
    async (request, reply) => reply.type(FHIR_JSON).send(await toFhir(await service.get(request.params.id))),
  );
  registerTransactions(routes, service);
}

function registerTransactions(routes: ApiRoutes, service: ActivityService): void {
  routes.post(
    `${ONE}/transactions`,
    'Add a transaction to an activity; last when no position is given',
    {
      config: { idempotent: true },
      ...checkedOnSchemaError(service.issuesOfTransaction),
      schema: { params: IdParams, body: TransactionInput, response: { 201: ActivityTransaction } },
    },
    async (request, reply) => {
      const transaction = await service.addTransaction(request.params.id, request.body, requirePrincipal(request));
      tagVersion(reply, transaction.version);
      return created(reply, `/transactions/${transaction.transaction_guid}`, transaction);
    },
  );
  registerTransaction(routes, service);
}

function registerTransaction(routes: ApiRoutes, service: ActivityService): void {
  routes.put(
    TRANSACTION,
    'Replace a transaction',
    {
      config: { errors: ['precondition_failed'] },
      ...checkedOnSchemaError(service.issuesOfTransaction),
      schema: {
        params: IdParams,
        headers: ReplacementHeaders,
        body: TransactionInput,
        response: { 200: ActivityTransaction },
      },
    },
    async (request, reply) => {
      const stored = await service.replaceTransaction(request.params.id, request.body, replacementOf(request));
      tagVersion(reply, stored.version);
      return stored;
    },
  );
  routes.remove(TRANSACTION, 'Delete a transaction', {
    config: { errors: [...REMOVAL_ERRORS] },
    params: IdParams,
    headers: ReplacementHeaders,
    run: (request) => service.removeTransaction(request.params.id, replacementOf(request)),
  });
}
