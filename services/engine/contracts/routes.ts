// Routes of contracts (decision E9), and the match by which dispatch asks a contract service (decision D4).
import { apiRoutes } from '#lib/http/api-routes.ts';
import { checkedOnSchemaError } from '#lib/http/body-check.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { registerRecordRoutes, summariesOf } from '../shared/record-routes.ts';
import { BASE_PATH } from '../shared/routes.ts';
import { Contract, ContractInput, ContractMatches, ContractQuery, MatchInput } from './schema.ts';
import type { ContractService } from './service.ts';

const PATH = '/contracts';
const tags = ['providers'];

export function registerContracts(app: HttpApp, service: ContractService): void {
  const routes = apiRoutes(app, { tags });
  registerRecordRoutes(app, {
    path: PATH,
    tags,
    permissions: { read: 'contract:read', write: 'provider:administer' },
    schemas: { output: Contract, input: ContractInput, query: ContractQuery },
    summaries: summariesOf('contract'),
    check: checkedOnSchemaError(service.issuesOf),
    service,
    guidOf: ({ contract_guid: guid }) => guid,
    versionOf: ({ version }) => version,
    removal: { summary: 'Delete a contract', remove: service.remove },
  });
  routes.post(
    `${BASE_PATH}${PATH}/match`,
    'The contracts in force that cover every one of the codes',
    { config: { permission: 'contract:match' }, schema: { body: MatchInput, response: { 200: ContractMatches } } },
    async (request) => ({ contracts: await service.match(request.body) }),
  );
}
