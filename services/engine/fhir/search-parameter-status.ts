// `GET /SearchParameter/{id}/$status`: whether a user's search parameter can be used, and the progress of its index
// (decision E2; docs/reference/engine/search/custom-parameters.md).
import type { Parameters, ParametersParameter } from 'fhir/r5.js';
import type { FhirTypeOptions, ServedOperation } from '#fhir/rest/options.ts';
import type { ParameterNode, ParameterProgress } from '#fhir/store/index/parameter-node.ts';
import type { FhirStore } from '#fhir/store/store.ts';
import { accessOf } from '../shared/policies.ts';

export interface StatusDependencies {
  readonly store: FhirStore;
  readonly node: ParameterNode;
}

/** `type` holds the options of SearchParameter. */
export function parameterStatus(type: FhirTypeOptions, { store, node }: StatusDependencies): ServedOperation {
  return {
    name: 'status',
    type,
    isOfInstance: true,
    methods: ['GET'],
    summary: 'Whether a SearchParameter can be searched by, and how far its indexing is',
    permission: 'definition:read',
    interaction: 'read',
    run: async ({ principal, execution }, { id }) => {
      await store.read(execution.db, { resourceType: type.type, id }, accessOf(principal));
      return { status: 200, text: JSON.stringify(statusOf(await node.progressOf(id))) };
    },
  };
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
