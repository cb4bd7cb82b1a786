// Explains what somebody may do with a record, and by which rules (docs/adr/0105). The answer names no content of the
// record. Whoever asks must see the record: one that is hidden from them is as absent. Every question is audited.
import { findVisible } from '#fhir/store/read/find-visible.ts';
import type { StoredVersion } from '#fhir/store/read/stored-version.ts';
import { patientsIn, type Reading } from '#fhir/store/threads.ts';
import type { Audit } from '#lib/audit/audit.ts';
import type { AuditEntry } from '#lib/audit/audit-event.ts';
import { principalOfKey } from '#lib/auth/api-key-principal.ts';
import type { Principal } from '#lib/auth/principal.ts';
import { providersOf } from '#lib/auth/provider-staff.ts';
import { notFound, ServiceError } from '#lib/errors.ts';
import { isGuid } from '#lib/guid.ts';
import { actingFor, PROXY_FOR } from '#lib/http/acting-for.ts';
import { checkRecord, type DecidingOptions } from './check.ts';
import { decideAct, ruleOf } from './rules.ts';
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
  const { deciding, audit, furtherActs } = options;
  return async (asking, { caller, resource_type: resourceType, id }) => {
    const record = await requireShown(deciding, asking.principal, { resourceType, id });
    const principal = await principalOf(options, caller);
    const acting = principal && actAs(principal, caller);
    const acts =
      acting === 'no_proxy'
        ? [await withoutProxy(resourceType)]
        : [
            ...(await checkRecord(deciding, { principal: acting, record })),
            ...((await furtherActs?.(acting, record)) ?? []),
          ];
    await audit.recordRead(...(await entriesOf(options, { asking, caller, record })));
    return {
      caller: describe(caller, acting === 'no_proxy' ? principal : acting),
      resource_type: resourceType,
      id,
      organisation_guid: record.organisation,
      acts,
    };
  };
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

/** The principal of a request with the header that names the patient; `no_proxy` where that is refused. */
function actAs(principal: Principal, { acting_for: patient }: AskedCaller): Principal | 'no_proxy' {
  if (patient === undefined) return principal;
  try {
    return actingFor(principal, { [PROXY_FOR]: patient });
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'forbidden') return 'no_proxy';
    throw error;
  }
}

function withoutProxy(resourceType: string): Promise<DecidedAct> {
  return decideAct({ act: 'read', resource_type: resourceType }, [() => ruleOf('proxy', false, 'not_a_proxy')]);
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

/** One event for each patient whom the record is about, as for a read. */
async function entriesOf(
  { deciding }: AccessCheckOptions,
  { asking, caller, record }: { asking: Asking; caller: AskedCaller; record: StoredVersion },
): Promise<AuditEntry[]> {
  const { store, workerThreads } = deciding;
  const patients = await patientsIn(record.content, { parameters: store.parameters, workerThreads });
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
