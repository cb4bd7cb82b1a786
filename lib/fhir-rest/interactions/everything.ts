// Patient/$everything: the whole compartment, and what it refers to (hl7.org/fhir/R5/patient-operation-everything.html). The parameters
// `start` and `end` are not served: they are refused under strict handling, and ignored otherwise.
import type { StoredVersion } from '#lib/fhir-store/stored-version.ts';
import { type BundleEntry, bundleText } from '../bundle-text.ts';
import { type RouteContext, urlOf } from '../context.ts';
import type { FhirAnswer, FhirCall } from './call.ts';
import { recordLook } from './looks.ts';
import { faultyParameter, type Paging, pageLinks, readPaging } from './paging.ts';
import { readTypes } from './types.ts';

const DEFAULT_COUNT = 100;
const NAMES: ReadonlySet<string> = new Set(['_type', '_since', '_count', '_cursor', '_format', '_pretty']);

/** @throws ServiceError `not_found` for a patient whom the caller does not see; `validation_error`, `invalid_request` */
export async function everything(call: FhirCall, patient: string, context: RouteContext): Promise<FhirAnswer> {
  const { store, access: accessOf, baseUrl } = context.options;
  const access = accessOf(call.principal, 'search-type');
  const wanted = readWanted(call);
  const isAsked = call.query.has('_type');
  // Who has looked is no part of the record, and grows with each look; it is there for those who ask for it.
  const types = readTypes(call, 'search-type', context).filter((type) => isAsked || type !== 'AuditEvent');
  const isInCompartment = (type: string) =>
    type === 'Patient' || store.parameters.compartmentParameters('Patient', type).length > 0;
  await store.read(call.workplace.db, { resourceType: 'Patient', id: patient }, access);
  const query = {
    ...wanted,
    patient,
    types: types.filter(isInCompartment),
    otherTypes: types.filter((type) => !isInCompartment(type)),
  };
  const { matches, referred, nextCursor } = await store.everything(call.workplace.db, query, access);
  const look = {
    action: 'E',
    interaction: 'everything',
    resourceType: 'Patient',
    versions: [...matches, ...referred],
  } as const;
  await recordLook(call, look, context);
  const address = `${baseUrl}/Patient/${patient}/$everything`;
  const links = pageLinks(address, call.query, nextCursor);
  const entry = (version: StoredVersion, mode: 'match' | 'include'): BundleEntry => ({
    fullUrl: urlOf(context, version),
    resource: version.content,
    search: { mode },
  });
  const entries = [...matches.map((each) => entry(each, 'match')), ...referred.map((each) => entry(each, 'include'))];
  return {
    status: 200,
    text: bundleText({ type: 'searchset', total: undefined, links, timestamp: new Date() }, entries),
  };
}

/** @throws ServiceError `validation_error`, also for a parameter that is not served under strict handling */
function readWanted({ query, preferences }: FhirCall): Paging {
  const unknown = [...query.keys()].find((name) => !NAMES.has(name));
  if (preferences.isStrict && unknown !== undefined) throw faultyParameter(unknown, 'is not supported');
  return readPaging(query, DEFAULT_COUNT);
}
