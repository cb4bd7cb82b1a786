// Stores the results that providers reported to dispatch (decision L9, docs/adr/0078): all of a report or nothing, and
// each report once. They belong to the organisation that ordered. Dispatch has checked them.
import { ALL_ACCESS } from '#fhir/store/access.ts';
import type { FhirStore } from '#fhir/store/store.ts';
import type { CreateInput } from '#fhir/store/write/write.ts';
import type { Principal } from '#lib/auth/principal.ts';
import type { Transaction } from '#lib/db/database.ts';
import { ServiceError } from '#lib/errors.ts';
import type { WriteDependencies } from '#lib/write-dependencies.ts';
import type { ResourceWriter } from '../shared/resource-writer.ts';
import { insertReport } from './store.ts';

export interface ProviderReport {
  readonly reportGuid: string;
  readonly requestGuid: string;
  readonly providerGuid: string;
  readonly patientGuid: string;
  readonly organisationGuid: string;
  /** JSON texts with ids: Observations, QuestionnaireResponses and one Provenance. */
  readonly resources: readonly string[];
}

export interface ResultService {
  /** Again changes nothing. @throws ServiceError `unprocessable` with every error of a resource */
  store(caller: Principal, report: ProviderReport, origin: { address: string; requestId: string }): Promise<void>;
}

export interface ResultDependencies extends WriteDependencies {
  readonly store: FhirStore;
  readonly writer: ResourceWriter;
}

const TYPES: ReadonlySet<string> = new Set(['Observation', 'QuestionnaireResponse', 'Provenance']);

export function createResultService(deps: ResultDependencies): ResultService {
  const { database, clock, audit, store, writer } = deps;

  async function prepare({ resources, organisationGuid, providerGuid }: ProviderReport): Promise<CreateInput[]> {
    const prepared: CreateInput[] = [];
    for (const text of resources) {
      const input = await writer.prepare(
        text,
        { id: '', organisation: organisationGuid, isReport: true },
        providerGuid,
      );
      const { id } = input.source.resource;
      if (!TYPES.has(input.source.resourceType) || typeof id !== 'string')
        throw new ServiceError('unprocessable', 'A report holds Observations, QuestionnaireResponses and a Provenance');
      prepared.push({ ...input, id });
    }
    return prepared;
  }

  async function write(tx: Transaction, { source, id = '', organisation }: CreateInput): Promise<void> {
    const { resourceType } = source;
    await store.update(tx, { resourceType, id, source, organisation, access: ALL_ACCESS });
  }

  return {
    async store(caller, report, origin) {
      const prepared = await prepare(report);
      await database.transaction(async (tx) => {
        const isNew = await insertReport(tx, report, new Date(clock.now()));
        if (!isNew) return;
        for (const input of prepared) await write(tx, input);
        await audit.record(tx, {
          action: 'C',
          event: 'result.store',
          principal: caller,
          patientGuid: report.patientGuid,
          entities: [
            `request:${report.requestGuid}`,
            ...prepared.map(({ source, id }) => `${source.resourceType}/${id}`),
          ],
          detail: `for provider ${report.providerGuid}`,
          ...origin,
        });
      });
    },
  };
}
