// Explains what somebody may do with a record, and by which rules (docs/adr/0105). The answer names no content of the
// record. The caller must see the record: one that is hidden from them is as absent. Every question is audited.
import { findVisible } from '#fhir/store/read/find-visible.ts';
import type { StoredVersion } from '#fhir/store/read/stored-version.ts';
import { patientsIn, type Reading } from '#fhir/store/threads.ts';
import type { Audit } from '#lib/audit/audit.ts';
import type { AuditEntry } from '#lib/audit/audit-event.ts';
import { principalOfKey } from '#lib/auth/api-key-principal.ts';
import type { Principal } from '#lib/auth/principal.ts';
import { providersOf } from '#lib/auth/provider-staff.ts';
import { notFound } from '#lib/errors.ts';
import { isGuid } from '#lib/guid.ts';
import { checkRecord, type DecidingOptions } from './check.ts';
import { type Acting, actAs, proxiesOf, withProxy } from './proxies.ts';
import type { ReadProxies } from './proxy-relation.ts';
import type { AccessCheck, AccessCheckInput, AskedCaller, DecidedAct } from './schema.ts';

export interface AccessCheckOptions {
  /** The options of the service's FHIR routes. */
  readonly deciding: DecidingOptions & { readonly workerThreads?: Reading['workerThreads'] };
  readonly audit: Pick<Audit, 'recordRead'>;
  /**
   * The current rights of a user or a key; undefined for one without any here.
   * @throws ServiceError `upstream_unavailable`
   */
  readonly rightsOf: (kind: 'user' | 'api_key', guid: string) => Promise<Principal | undefined>;
  /** Whose proxy a user is or was, for the words; without it a refusal says no more than that the user is none. */
  readonly readProxies?: ReadProxies | undefined;
  /** The acts of the service beyond those of FHIR. */
  readonly furtherActs?: (principal: Principal | undefined, record: StoredVersion) => Promise<readonly DecidedAct[]>;
}

export interface Asking {
  readonly principal: Principal;
  readonly address: string;
  readonly requestId: string;
}

/** @throws ServiceError `not_found` for a record that is not there or hidden from who asks; `upstream_unavailable` */
export type ExplainAccess = (asking: Asking, question: AccessCheckInput) => Promise<AccessCheck>;

export function createAccessCheck(options: AccessCheckOptions): ExplainAccess {
  const { deciding, audit } = options;
  return async (asking, { caller, resource_type: resourceType, id }) => {
    const record = await requireShown(deciding, asking.principal, { resourceType, id });
    const { store, workerThreads } = deciding;
    const patients = await patientsIn(record.content, { parameters: store.parameters, workerThreads });
    const principal = await principalOf(options, caller);
    const acts: DecidedAct[] = [];
    const acting = await actingOf(options, { caller, principal, patients });
    for (const each of acting) acts.push(...(await actsOf(options, each, record)));
    await audit.recordRead(...entriesOf({ asking, caller, record, patients }));
    const shown = caller.acting_for === undefined ? undefined : acting[0]?.principal;
    return {
      caller: describe(caller, shown ?? principal),
      resource_type: resourceType,
      id,
      organisation_guid: record.organisation,
      acts,
    };
  };
}

interface Asked {
  readonly caller: AskedCaller;
  readonly principal: Principal | undefined;
  /** Whom the record is about. */
  readonly patients: readonly string[];
}

/** As whom the caller is asked about: the patient that is named, or themself and each patient whose proxy they are. */
async function actingOf({ readProxies }: AccessCheckOptions, asked: Asked): Promise<readonly Acting[]> {
  const { caller, principal, patients } = asked;
  if (principal === undefined) return [{ principal }];
  const mayBeProxy = caller.kind === 'user' && principal.roles.has('patient');
  const relations = (mayBeProxy ? await readProxies?.(caller.guid) : undefined) ?? [];
  if (caller.acting_for !== undefined) return [actAs(principal, caller.acting_for, relations)];
  return [{ principal }, ...proxiesOf(principal, relations, patients)];
}

/** The acts as one person; a proxy's begin with the rule about the proxy. */
async function actsOf(
  { deciding, furtherActs }: AccessCheckOptions,
  acting: Acting,
  record: StoredVersion,
): Promise<readonly DecidedAct[]> {
  const { principal, rule } = acting;
  if (rule?.permits === false) return withProxy(acting, [{ act: 'read', resource_type: record.resourceType }]);
  const acts = await checkRecord(deciding, { principal, record });
  return withProxy(acting, [...acts, ...((await furtherActs?.(principal, record)) ?? [])]);
}

/** The record, when who asks may read it. @throws ServiceError `not_found` */
async function requireShown(
  { store, database, types, access }: DecidingOptions,
  asking: Principal,
  address: { readonly resourceType: string; readonly id: string },
): Promise<StoredVersion> {
  const isServed = types.some(({ type }) => type === address.resourceType);
  const record = isServed ? await findVisible(store, database, address, access(asking, 'read')) : undefined;
  if (record === undefined) throw notFound(`${address.resourceType}/${address.id}`);
  return record;
}

/** A provider by itself is what a key of it without scopes is. */
async function principalOf(
  { rightsOf }: AccessCheckOptions,
  { kind, guid }: AskedCaller,
): Promise<Principal | undefined> {
  if (kind === 'provider') return principalOfKey({ keyGuid: guid, scopes: [], providerGuid: guid });
  return isGuid(guid) ? rightsOf(kind, guid) : undefined;
}

function describe(caller: AskedCaller, principal: Principal | undefined): AccessCheck['caller'] {
  return {
    ...caller,
    roles: [...(principal?.roles ?? [])],
    phases: [...(principal?.phases ?? [])],
    organisation_guids: [...(principal?.organisationGuids ?? [])],
    provider_guids: principal === undefined ? [] : [...providersOf(principal)],
    scopes: [...(principal?.scopes ?? [])],
  };
}

interface Question {
  readonly asking: Asking;
  readonly caller: AskedCaller;
  readonly record: StoredVersion;
  readonly patients: readonly string[];
}

/** One event for each patient whom the record is about, as for a read. */
function entriesOf({ asking, caller, record, patients }: Question): AuditEntry[] {
  const address = `${record.resourceType}/${record.id}`;
  const isUser = caller.kind === 'user' && isGuid(caller.guid);
  const entry: AuditEntry = {
    action: 'E',
    event: 'access-check.decide',
    ...asking,
    entities: isUser ? [address] : [address, `${caller.kind.replace('_', '-')}/${caller.guid}`],
    ...(isUser ? { subjectGuid: caller.guid } : {}),
  };
  return patients.length === 0 ? [entry] : patients.map((patientGuid) => ({ ...entry, patientGuid }));
}
