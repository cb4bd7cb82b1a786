// Addresses of contracts (decision E9) and of the question that dispatch asks of a contract service (D4).
import Type from 'typebox';
import { judgedBesides } from '#lib/http/fitness.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { pageOf } from '#lib/http/response/page.ts';
import { IdParams } from '../shared/fields.ts';
import { BASE_PATH, created, sendPage } from '../shared/routes.ts';
import { Contract, ContractInput, ContractMatches, ContractQuery, MatchInput } from './schema.ts';
import type { ContractService } from './service.ts';

const ALL = `${BASE_PATH}/contracts`;
const ONE = `${ALL}/:id`;
const READ = { permission: 'contract:read' } as const;
const ADMINISTER = { permission: 'provider:administer' } as const;
const CREATE = { ...ADMINISTER, idempotent: true } as const;
const tags = ['providers'];

export function registerContracts(app: HttpApp, service: ContractService): void {
  app.get(
    ALL,
    {
      config: READ,
      schema: { tags, summary: 'List contracts', querystring: ContractQuery, response: { 200: pageOf(Contract) } },
    },
    async (request, reply) => sendPage(request, reply, await service.list(request.query)),
  );
  app.post(
    ALL,
    {
      config: CREATE,
      ...judgedBesides(service.issuesOf),
      schema: { tags, summary: 'Add a contract', body: ContractInput, response: { 201: Contract } },
    },
    async (request, reply) => {
      const contract = await service.create(request.body);
      return created(reply, `/contracts/${contract.contract_guid}`, contract);
    },
  );
  registerMatch(app, service);
  registerContract(app, service);
}

function registerMatch(app: HttpApp, service: ContractService): void {
  app.post(
    `${ALL}/match`,
    {
      config: { permission: 'contract:match' },
      schema: {
        tags,
        summary: 'The contracts in force that cover every one of the codes',
        body: MatchInput,
        response: { 200: ContractMatches },
      },
    },
    async (request) => ({ contracts: await service.match(request.body) }),
  );
}

function registerContract(app: HttpApp, service: ContractService): void {
  app.get(
    ONE,
    { config: READ, schema: { tags, summary: 'Read a contract', params: IdParams, response: { 200: Contract } } },
    async (request) => service.get(request.params.id),
  );
  app.put(
    ONE,
    {
      config: ADMINISTER,
      ...judgedBesides(service.issuesOf),
      schema: {
        tags,
        summary: 'Replace a contract',
        params: IdParams,
        body: ContractInput,
        response: { 200: Contract },
      },
    },
    async (request) => service.replace(request.params.id, request.body),
  );
  app.delete(
    ONE,
    {
      config: ADMINISTER,
      schema: { tags, summary: 'Delete a contract', params: IdParams, response: { 204: Type.Null() } },
    },
    async (request, reply) => {
      await service.remove(request.params.id);
      return reply.code(204).send(null);
    },
  );
}
