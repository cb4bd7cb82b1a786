// The services of a site as `kedja erase` uses them: each with its database, its keys and its search parameters.

import { loadSearchParameters, type SearchParameters } from '#fhir/search/parameters/definitions.ts';
import { type Audit, createAudit } from '#lib/audit/audit.ts';
import { systemClock } from '#lib/clock.ts';
import type { KeySet } from '#lib/secrets/key-set.ts';
import { addressesOf, fhirBaseOf } from '../../config.ts';
import { type OpenedService, openServices, type Service } from '../services.ts';
import type { CommandSite } from '../site.ts';
import { ERASURE_ORDER, type FhirService } from './target.ts';

/** The sealing key of each service. */
const KEYS = { dispatch: 'dispatch-delivery', engine: 'engine-inbox', identity: 'personnummer' };

export interface ServiceSite extends OpenedService {
  readonly audit: Audit;
  readonly sealingKeys: KeySet;
}

export interface ErasureSite {
  /** Those that this database has, in the order of erasure. */
  readonly services: readonly ServiceSite[];
  /** Makes keyed digests of what was erased; created at the first need. */
  key(): Promise<Buffer>;
  /** Where certificates are kept. */
  readonly folder: string;
  parametersOf(service: FhirService): SearchParameters;
}

/** @throws Error for a database without any service, or of another release */
export async function openErasureSite(site: CommandSite, folder: string): Promise<ErasureSite> {
  const services: ServiceSite[] = [];
  for (const { service, database } of await openServices(site, ERASURE_ORDER)) {
    const audit = createAudit({ database, clock: systemClock, service });
    services.push({ service, database, audit, sealingKeys: await site.keys.existingKeySet(KEYS[service]) });
  }
  return {
    services,
    key: () => site.keys.key('erasure'),
    folder,
    parametersOf: (service) =>
      loadSearchParameters(fhirBaseOf(service, addressesOf(site.config)), site.config.shared.sortLanguage),
  };
}

export function serviceOf(site: ErasureSite, service: Service): ServiceSite | undefined {
  return site.services.find((each) => each.service === service);
}
