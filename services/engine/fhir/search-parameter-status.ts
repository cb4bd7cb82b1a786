// `GET /SearchParameter/{id}/$status`: whether a search parameter that a user has defined can be searched by, and how far its indexing
// is (decision E2; docs/reference/engine/search/custom-parameters.md).
import type { Parameters, ParametersParameter } from 'fhir/r5.js';
import type { Database } from '#lib/db/database.ts';
import type { ParameterNode, ParameterProgress } from '#lib/fhir-store/parameter-node.ts';
import type { FhirStore } from '#lib/fhir-store/store.ts';
import { requirePrincipal } from '#lib/http/app.ts';
import { FHIR_JSON } from '#lib/http/error-handler.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { accessOf } from '../shared/policies.ts';
import { BASE_PATH } from '../shared/routes.ts';

export interface StatusDependencies {
  readonly database: Database;
  readonly store: FhirStore;
  readonly node: ParameterNode;
}

export function registerParameterStatus(app: HttpApp, { database, store, node }: StatusDependencies): void {
  app.get<{ Params: { readonly id: string } }>(
    `${BASE_PATH}/SearchParameter/:id/$status`,
    {
      config: { permission: 'definition:read' },
      schema: {
        tags: ['SearchParameter'],
        summary: 'Whether a SearchParameter can be searched by, and how far its indexing is',
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      await store.read(database, { resourceType: 'SearchParameter', id }, accessOf(requirePrincipal(request)));
      return reply.type(FHIR_JSON).send(JSON.stringify(statusOf(await node.progressOf(id))));
    },
  );
}

function statusOf(progress: readonly ParameterProgress[]): Parameters {
  const used = progress.filter(({ state }) => state !== 'removing');
  return {
    resourceType: 'Parameters',
    parameter: [{ name: 'status', valueCode: summaryOf(used) }, ...used.map(baseOf)],
  };
}

function summaryOf(used: readonly ParameterProgress[]): string {
  if (used.length === 0) return 'not-used';
  return used.every(({ state }) => state === 'searchable') ? 'searchable' : 'indexing';
}

function baseOf({ type, state, done, total }: ParameterProgress): ParametersParameter {
  return {
    name: 'base',
    part: [
      { name: 'type', valueCode: type },
      { name: 'status', valueCode: state },
      { name: 'done', valueInteger: done },
      { name: 'total', valueInteger: total },
    ],
  };
}
