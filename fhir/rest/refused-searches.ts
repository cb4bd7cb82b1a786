// Audits refused searches of patients' data (decision G9): one entry for each patient that the search names, or one
// entry without a patient. The conditions of writes are such searches, and recorded where they name somebody. Of what
// was asked only the type is kept.
import type { FastifyRequest } from 'fastify';
import type { AuditAction, AuditEntry } from '#lib/audit/audit-event.ts';
import type { Principal } from '#lib/auth/principal.ts';
import { ServiceError } from '#lib/errors.ts';
import type { SearchParameters } from '../search/parameters/definitions.ts';
import { queryOf, readForm, readQuery } from './http/content.ts';
import { eventOf, isOfPatients } from './interactions/access-records.ts';
import { type NamingSearch, namedPatients } from './interactions/named-patients.ts';
import type { FhirRestOptions } from './options.ts';

export interface RequestedSearch extends NamingSearch {
  /** What was to be done with what is found; a search by itself when left out. */
  readonly interaction?: string;
}

export interface RefusedSearch extends RequestedSearch {
  readonly principal: Principal;
  readonly origin: { readonly address: string; readonly requestId: string };
}

const SEARCH = 'search';
const WRITES: ReadonlyMap<string, AuditAction> = new Map([
  ['create', 'C'],
  ['update', 'U'],
  ['patch', 'U'],
  ['delete', 'D'],
]);

/** Of one search; it may name many more. */
const MAX_NAMED = 100;

/** Resolves when it is stored. */
export async function recordRefusedSearch(
  { principal, origin, ...search }: RefusedSearch,
  { store, accessLog }: Pick<FhirRestOptions, 'store' | 'accessLog'>,
): Promise<void> {
  await accessLog.recordEvents(await entriesOf({ principal, origin, ...search }, store.parameters));
}

async function entriesOf(
  { principal, origin, ...search }: RefusedSearch,
  parameters: SearchParameters,
): Promise<AuditEntry[]> {
  const { resourceType, interaction = SEARCH } = search;
  const named = (await namedPatients(search, parameters)).slice(0, MAX_NAMED);
  const isWrite = WRITES.has(interaction);
  if (named.length === 0 && isWrite) return [];
  if (named.length === 0 && resourceType !== undefined && !isOfPatients(resourceType, parameters)) return [];
  const entry: AuditEntry = {
    action: WRITES.get(interaction) ?? (interaction === SEARCH ? 'E' : 'R'),
    event: eventOf({ resourceType, interaction }),
    principal,
    entities: resourceType === undefined ? [] : [resourceType],
    outcome: 'failure',
    detail: interaction === SEARCH ? 'refused: no right to search' : `refused: no right to ${interaction}`,
    ...origin,
  };
  return named.length === 0 ? [entry] : named.map((patientGuid) => ({ ...entry, patientGuid }));
}

/** The search that a request makes; undefined for any other. */
export function searchOfRequest(request: FastifyRequest, types: FhirRestOptions['types']): RequestedSearch | undefined {
  const searched = request.served?.searched;
  const query = searched && queryIn(request, searched.interaction);
  if (searched === undefined || query === undefined) return undefined;
  const { id, type } = request.params as { readonly id?: string; readonly type?: string };
  const name = searched.compartment === undefined ? searched.type : type;
  const served = types.find((each) => each.type === name);
  const compartment =
    searched.compartment === undefined || id === undefined ? undefined : { type: searched.compartment, id };
  const aliases = served?.search?.aliases;
  const { interaction } = searched;
  return {
    query,
    resourceType: served?.type,
    compartment,
    ...(aliases === undefined ? {} : { aliases }),
    ...(interaction === undefined ? {} : { interaction }),
  };
}

/** What of it can be read; undefined for a create without a condition. */
function queryIn(request: FastifyRequest, interaction: string | undefined): URLSearchParams | undefined {
  const condition = request.headers['if-none-exist'];
  if (interaction === 'create')
    return typeof condition === 'string' ? readable(() => readQuery(queryPart(condition))) : undefined;
  const ofAddress = readable(() => queryOf(request));
  // A write's body is what it writes.
  if (interaction !== undefined) return ofAddress;
  return new URLSearchParams([...ofAddress, ...readable(() => readForm(request))]);
}

/** A condition may have a `?` or a type in front. */
function queryPart(condition: string): string {
  return condition.slice(condition.indexOf('?') + 1);
}

/** None where they cannot be read: the body may not have come, or is no form. */
function readable(read: () => URLSearchParams): URLSearchParams {
  try {
    return read();
  } catch (error) {
    if (error instanceof ServiceError) return new URLSearchParams();
    throw error;
  }
}
