// Stores what a provider without a system reports of a request, as the requester's records about the patient, with a
// Provenance that names the provider (decisions L8, L9). Whoever may read the request reads them.
import type { Audit } from '#lib/audit/audit.ts';
import type { Transaction } from '#lib/db/database.ts';
import { newGuid } from '#lib/guid.ts';
import type { TokenHolder } from '../../shared/actor.ts';
import type { Records } from '../../shared/records.ts';
import { lockServiceRequest } from '../../shared/service-request-store.ts';
import type { PageRecord } from '../page/page-store.ts';

export interface ReportedResource {
  readonly resourceType: string;
  readonly id: string;
  /** JSON text. */
  readonly text: string;
}

interface Reported {
  readonly record: PageRecord;
  readonly resources: readonly ReportedResource[];
  readonly now: Date;
  readonly origin: Pick<TokenHolder, 'address' | 'requestId'>;
}

export interface ResultService {
  /** In the transaction of the report, after it. @throws ServiceError `unprocessable` for an invalid resource */
  store(transaction: Transaction, reported: Reported): Promise<void>;
}

export function createResultService({ records, audit }: { records: Records; audit: Audit }): ResultService {
  return {
    async store(transaction, { record, resources, now, origin }) {
      const { serviceRequestId, requestGuid, patientGuid } = record;
      const request = await lockServiceRequest(transaction, serviceRequestId);
      const organisation = request?.organisationGuid ?? null;
      const references = resources.map(({ resourceType, id }) => `${resourceType}/${id}`);
      const id = newGuid(now.getTime());
      const provenance = { resourceType: 'Provenance', id, text: provenanceText(record, { id, references, now }) };
      for (const each of [...resources, provenance]) {
        await records.create(transaction, each.text, { id: each.id, organisation });
      }
      await audit.record(transaction, {
        action: 'C',
        event: 'request.answer',
        principal: undefined,
        patientGuid,
        entities: [`ServiceRequest/${serviceRequestId}`, `request/${requestGuid}`, ...references],
        detail: `by receipt token, for provider ${record.providerGuid}`,
        ...(origin.address === undefined ? {} : { address: origin.address }),
        ...(origin.requestId === undefined ? {} : { requestId: origin.requestId }),
      });
    },
  };
}

function provenanceText(
  { providerGuid, providerName, patientGuid, serviceRequestId }: PageRecord,
  { id, references, now }: { readonly id: string; readonly references: readonly string[]; readonly now: Date },
): string {
  const who = { identifier: { system: 'https://kedja.dev/ids/provider', value: providerGuid }, display: providerName };
  return JSON.stringify({
    resourceType: 'Provenance',
    id,
    target: references.map((reference) => ({ reference })),
    recorded: now.toISOString(),
    basedOn: [{ reference: `ServiceRequest/${serviceRequestId}` }],
    patient: { reference: `Patient/${patientGuid}` },
    agent: [{ who }],
  });
}
