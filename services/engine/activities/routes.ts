// Addresses of activities and transactions (contract: engine, "Activities and goals"; decision E7).
import Type from 'typebox';
import { requirePrincipal } from '#lib/http/app.ts';
import { FHIR_JSON } from '#lib/http/error-handler.ts';
import { judgedBesides } from '#lib/http/fitness.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { pageOf } from '#lib/http/response/page.ts';
import { IdParams } from '../shared/fields.ts';
import { BASE_PATH, created, sendPage } from '../shared/routes.ts';
import { Activity, ActivityInput, ActivityQuery, ActivityTransaction, TransactionInput } from './schema.ts';
import type { ActivityService } from './service.ts';

const ALL = `${BASE_PATH}/activities`;
const ONE = `${ALL}/:id`;
const TRANSACTION = `${BASE_PATH}/transactions/:id`;
const READ = { permission: 'library:read' } as const;
const WRITE = { permission: 'library:write' } as const;
const CREATE = { ...WRITE, idempotent: true } as const;
const tags = ['library'];

/** `asFhir` answers the activity as an ActivityDefinition. */
export function registerActivities(
  app: HttpApp,
  service: ActivityService,
  asFhir: (activity: Activity) => Promise<object>,
): void {
  app.get(
    ALL,
    {
      config: READ,
      schema: { tags, summary: 'List activities', querystring: ActivityQuery, response: { 200: pageOf(Activity) } },
    },
    async (request, reply) => sendPage(request, reply, await service.list(request.query)),
  );
  app.post(
    ALL,
    {
      config: CREATE,
      ...judgedBesides(service.issuesOf),
      schema: { tags, summary: 'Add an activity', body: ActivityInput, response: { 201: Activity } },
    },
    async (request, reply) => {
      const activity = await service.create(request.body, requirePrincipal(request));
      return created(reply, `/activities/${activity.activity_guid}`, activity);
    },
  );
  registerActivity(app, service, asFhir);
  registerTransactions(app, service);
}

function registerActivity(
  app: HttpApp,
  service: ActivityService,
  asFhir: (activity: Activity) => Promise<object>,
): void {
  app.get(
    ONE,
    { config: READ, schema: { tags, summary: 'Read an activity', params: IdParams, response: { 200: Activity } } },
    async (request) => service.get(request.params.id),
  );
  app.get(
    `${ONE}/fhir`,
    { config: READ, schema: { tags, summary: 'Read an activity as an R5 ActivityDefinition', params: IdParams } },
    async (request, reply) => reply.type(FHIR_JSON).send(await asFhir(await service.get(request.params.id))),
  );
  registerActivityChanges(app, service);
}

function registerActivityChanges(app: HttpApp, service: ActivityService): void {
  app.put(
    ONE,
    {
      config: WRITE,
      ...judgedBesides(service.issuesOf),
      schema: {
        tags,
        summary: 'Replace an activity; its transactions stay',
        params: IdParams,
        body: ActivityInput,
        response: { 200: Activity },
      },
    },
    async (request) => service.replace(request.params.id, request.body, requirePrincipal(request)),
  );
  app.delete(
    ONE,
    {
      config: { ...WRITE, errors: ['conflict'] },
      schema: {
        tags,
        summary: 'Delete an activity that no goal uses',
        params: IdParams,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      await service.remove(request.params.id, requirePrincipal(request));
      return reply.code(204).send(null);
    },
  );
}

function registerTransactions(app: HttpApp, service: ActivityService): void {
  app.post(
    `${ONE}/transactions`,
    {
      config: CREATE,
      ...judgedBesides(service.issuesOfTransaction),
      schema: {
        tags,
        summary: 'Add a transaction to an activity; last when no position is given',
        params: IdParams,
        body: TransactionInput,
        response: { 201: ActivityTransaction },
      },
    },
    async (request, reply) => {
      const transaction = await service.addTransaction(request.params.id, request.body, requirePrincipal(request));
      return created(reply, `/transactions/${transaction.transaction_guid}`, transaction);
    },
  );
  registerTransaction(app, service);
}

function registerTransaction(app: HttpApp, service: ActivityService): void {
  app.put(
    TRANSACTION,
    {
      config: WRITE,
      ...judgedBesides(service.issuesOfTransaction),
      schema: {
        tags,
        summary: 'Replace a transaction',
        params: IdParams,
        body: TransactionInput,
        response: { 200: ActivityTransaction },
      },
    },
    async (request) => service.replaceTransaction(request.params.id, request.body, requirePrincipal(request)),
  );
  app.delete(
    TRANSACTION,
    {
      config: WRITE,
      schema: { tags, summary: 'Delete a transaction', params: IdParams, response: { 204: Type.Null() } },
    },
    async (request, reply) => {
      await service.removeTransaction(request.params.id, requirePrincipal(request));
      return reply.code(204).send(null);
    },
  );
}
