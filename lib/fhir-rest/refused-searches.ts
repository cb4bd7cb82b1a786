// Searches of people's data that the caller has no right to are recorded (decision G9): about each patient whom the search names, as such searches are when they
// are answered; about nobody where it names none. Of what was asked only the type is kept.
import type { FastifyRequest } from 'fastify';
import type { AuditEntry } from '../audit/audit-event.ts';
import type { Principal } from '../auth/principal.ts';
import { ServiceError } from '../errors.ts';
import type { SearchParameters } from '../fhir/search/definitions.ts';
import { queryOf, readForm } from './content.ts';
import { eventOf, isOfPatients } from './interactions/looks.ts';
import { type NamingSearch, namedPatients } from './interactions/named-patients.ts';
import type { FhirRestOptions } from './options.ts';

export interface RefusedSearch extends NamingSearch {
  readonly principal: Principal;
  readonly origin: { readonly address: string; readonly requestId: string };
}

/** Of one search; it may name many more. */
const MAX_NAMED = 100;

/** Resolves when it is stored. */
export async function recordRefusedSearch(
  { principal, origin, ...search }: RefusedSearch,
  { store, looks }: Pick<FhirRestOptions, 'store' | 'looks'>,
): Promise<void> {
  await looks.tell(entriesOf({ principal, origin, ...search }, store.parameters));
}

function entriesOf({ principal, origin, ...search }: RefusedSearch, parameters: SearchParameters): AuditEntry[] {
  const { resourceType } = search;
  const named = namedPatients(search, parameters).slice(0, MAX_NAMED);
  if (named.length === 0 && resourceType !== undefined && !isOfPatients(resourceType, parameters)) return [];
  const entry: AuditEntry = {
    action: 'E',
    event: eventOf({ resourceType, interaction: 'search' }),
    principal,
    entities: resourceType === undefined ? [] : [resourceType],
    outcome: 'failure',
    detail: 'refused: no right to search',
    ...origin,
  };
  return named.length === 0 ? [entry] : named.map((patientGuid) => ({ ...entry, patientGuid }));
}

/** The search that a request makes; undefined for any other. */
export function searchAskedBy(request: FastifyRequest, types: FhirRestOptions['types']): NamingSearch | undefined {
  const { searched } = request.routeOptions.config;
  if (searched === undefined) return undefined;
  const { id, type } = request.params as { readonly id?: string; readonly type?: string };
  const name = searched.compartment === undefined ? searched.type : type;
  const served = types.find((each) => each.type === name);
  const compartment =
    searched.compartment === undefined || id === undefined ? undefined : { type: searched.compartment, id };
  const aliases = served?.search?.aliases;
  const found = { query: queryIn(request), resourceType: served?.type, compartment };
  return aliases === undefined ? found : { ...found, aliases };
}

/** What of it can be read: a body may not have been, where it was refused before. */
function queryIn(request: FastifyRequest): URLSearchParams {
  try {
    return new URLSearchParams([...queryOf(request), ...readForm(request)]);
  } catch (error) {
    if (error instanceof ServiceError) return new URLSearchParams();
    throw error;
  }
}
