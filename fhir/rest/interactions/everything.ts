// Patient/$everything: the whole compartment, and what it refers to
// (hl7.org/fhir/R5/patient-operation-everything.html).
import type { CarePeriod, EverythingResult } from '#fhir/store/read/everything.ts';
import type { StoredVersion } from '#fhir/store/read/stored-version.ts';
import { type RouteContext, urlOf } from '../context.ts';
import { type BundleEntry, bundleText } from '../http/bundle-text.ts';
import { liesIn, typesOfRecord } from '../routes/compartments.ts';
import { readSubset } from '../subset.ts';
import { subsetTexts } from '../subset-texts.ts';
import type { FhirCall, FhirResponse } from './call.ts';
import { cutEntry } from './cut-entry.ts';
import { invalidQueryParameter, type Paging, pageLinks, readPaging, readPeriod, requireKnown } from './paging.ts';
import { type RecordedRead, readRecorded } from './read-recorded.ts';
import { readTypes, requestedTypes } from './types.ts';

const DEFAULT_COUNT = 100;
const NAMES = ['_type', '_since', 'start', 'end', '_summary', '_elements'];
/** What says when care took place, the first of them that a type has; birth and death, say, are no such dates. */
const CARE_DATES =
  `date occurrence period effective onset-date started collected sent whenhandedover when authored authoredon authored-on
  datetime datewritten issued identified start-date created entered-date recorded`.split(/\s+/);

/**
 * @throws ServiceError `not_found` for a patient whom the caller does not see; `validation_error`, `invalid_request`
 */
export async function everything(call: FhirCall, patient: string, context: RouteContext): Promise<FhirResponse> {
  const { store, access: accessOf, baseUrl } = context.options;
  const access = accessOf(call.principal, 'search-type');
  const wanted = readWanted(call, context);
  const subset = readSubset(call.query);
  const types = typesOfRecord(readTypes(call, 'search-type', context), requestedTypes(call.query));
  const isInCompartment = (type: string) => liesIn('Patient', type, context);
  const query = {
    ...wanted,
    patient,
    types: types.filter(isInCompartment),
    otherTypes: types.filter((type) => !isInCompartment(type)),
  };
  const reading: RecordedRead<EverythingResult> = {
    read: async ({ db }) => {
      await store.read(db, { resourceType: 'Patient', id: patient }, access);
      return store.everything(db, query, access);
    },
    recordOf: (found) => ({
      action: 'E',
      interaction: 'everything',
      resourceType: 'Patient',
      versions: [...found.matches, ...found.referred],
    }),
  };
  const { matches, referred, isCut, nextCursor } = await readRecorded(call, reading, context);
  const address = `${baseUrl}/Patient/${patient}/$everything`;
  const links = pageLinks(address, call.query, nextCursor);
  const shown = [...matches, ...referred];
  const texts = await subsetTexts(
    shown.map(({ content }) => content),
    subset,
    call,
    context,
  );
  const entry = (version: StoredVersion, index: number): BundleEntry => ({
    fullUrl: urlOf(context, version),
    resource: texts[index],
    search: { mode: index < matches.length ? 'match' : 'include' },
  });
  const entries = [...shown.map(entry), ...(isCut ? [cutEntry('size')] : [])];
  return {
    status: 200,
    text: bundleText({ type: 'searchset', total: undefined, links, timestamp: new Date() }, entries),
  };
}

/** @throws ServiceError `validation_error`, also for a parameter that is not served under strict handling */
function readWanted(call: FhirCall, context: RouteContext): Paging & { readonly care?: CarePeriod } {
  requireKnown(call, NAMES);
  const paging = readPaging(call.query, DEFAULT_COUNT);
  const from = readPeriod(call.query, 'start')?.from;
  const to = readPeriod(call.query, 'end')?.to;
  if (from === undefined && to === undefined) return paging;
  if (from !== undefined && to !== undefined && from > to)
    throw invalidQueryParameter('end', 'must not be before start');
  return { ...paging, care: { from, to, keys: careKeys(context) } };
}

function careKeys({ options: { types, store } }: RouteContext): number[] {
  return types.flatMap(({ type }) => {
    const parameters = store.parameters.forType(type);
    const dates = CARE_DATES.map((code) => parameters.get(code)).filter((parameter) => parameter?.type === 'date');
    return dates[0]?.key ?? [];
  });
}
