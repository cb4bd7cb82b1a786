// Finds all that an erasure concerns, in every service, and changes nothing: the same plan is shown and carried out.

import { type ErasureFindings, findErasable, findNamed } from '#fhir/store/erasure/find.ts';
import { eraseResponses } from '#lib/erasure/responses.ts';
import type { RowCounts } from '#lib/erasure/rows.ts';
import { parsePersonnummer } from '#lib/personnummer.ts';
import {
  countDispatchRows,
  type DispatchKeys,
  findDispatchKeys,
  findOpenRequests,
  findReceivers,
  type Receiver,
} from '#services/dispatch/erasure/erasure.ts';
import { countEngineRows, type EngineKeys, findSynchronisedServers } from '#services/engine/erasure/erasure.ts';
import { countIdentityRows, type IdentityKeys } from '#services/identity/erasure/erasure.ts';
import { findPerson } from '#services/identity/erasure/person.ts';
import type { Service } from '../services.ts';
import type { Named } from './command.ts';
import { type ErasureSite, type ServiceSite, serviceOf } from './services.ts';
import { FHIR_SERVICES, type FhirService, idsOfType, personIds, type Target } from './target.ts';

export interface ServicePlan {
  readonly service: Service;
  /** Undefined for identity, which has no FHIR store. */
  readonly findings: ErasureFindings | undefined;
  readonly rows: RowCounts;
  readonly responses: number;
}

export interface Plan {
  readonly target: Target;
  /** The person's personnummer, as 12 digits; kept in memory only. */
  readonly numbers: readonly string[];
  readonly services: readonly ServicePlan[];
  readonly openRequests: readonly string[];
  readonly receivers: readonly Receiver[];
  /** Addresses of other servers with which the resources were synchronised. */
  readonly servers: readonly string[];
}

export interface PlanOptions {
  readonly onRows: (rows: number) => void;
  readonly signal: AbortSignal;
  /** Only resources that were written since. */
  readonly since?: Date | undefined;
}

/** What the operator named, as ids. @throws Error when there is no such person or resource */
export async function findTarget(
  site: ErasureSite,
  named: Named,
  shared: Target['shared'],
): Promise<{ readonly target: Target; readonly numbers: readonly string[] }> {
  return named.kind === 'patient'
    ? findPatient(site, named.name, shared)
    : findResources(site, named.resources, shared);
}

async function findPatient(site: ErasureSite, name: string, shared: Target['shared']) {
  const number = parsePersonnummer(name, Date.now());
  const identity = serviceOf(site, 'identity');
  if (identity === undefined && number !== undefined)
    throw new Error('Identity is not on this database: name the Patient by its id');
  const person =
    identity === undefined
      ? { accounts: [], records: { engine: [name], dispatch: [name] }, numbers: [] }
      : await findPerson(identity.database, identity.sealingKeys, number === undefined ? { id: name } : { number });
  const patients = { engine: [...person.records.engine], dispatch: [...person.records.dispatch] };
  for (const service of FHIR_SERVICES) {
    const database = serviceOf(site, service)?.database;
    // A record may not have been reported to identity, or have the id of one at the other service.
    const ids = number === undefined ? [name, ...patients.engine, ...patients.dispatch] : [];
    const there = database === undefined ? [] : await findNamed(database, 'Patient', ids);
    const found = there.map((each) => each.name.slice('Patient/'.length)).filter((id) => id === name);
    patients[service] = [...new Set([...patients[service], ...found])];
  }
  const isThere = person.accounts.length + patients.engine.length + patients.dispatch.length > 0;
  if (!isThere) throw new Error('There is no such patient: no account and no Patient of engine or dispatch');
  const target: Target = {
    kind: 'patient',
    accounts: person.accounts.map(({ userGuid, patientGuid }) => ({ user_guid: userGuid, patient_guid: patientGuid })),
    patients,
    resources: { engine: [], dispatch: [] },
    receipts: [],
    shared,
  };
  return { target: await withReceipts(site, target), numbers: person.numbers };
}

async function findResources(
  site: ErasureSite,
  named: readonly { readonly service: FhirService; readonly type: string; readonly id: string }[],
  shared: Target['shared'],
) {
  const resources: Record<FhirService, string[]> = { engine: [], dispatch: [] };
  for (const { service, type, id } of named) {
    const database = serviceOf(site, service)?.database;
    const found = database === undefined ? [] : await findNamed(database, type, [id]);
    if (!found.some(({ name }) => name === `${type}/${id}`)) throw new Error(`${service} has no ${type}/${id}`);
    resources[service].push(`${type}/${id}`);
  }
  const target: Target = {
    kind: 'resources',
    accounts: [],
    patients: { engine: [], dispatch: [] },
    resources,
    receipts: [],
    shared,
  };
  return { target: await withReceipts(site, target), numbers: [] };
}

/** With the requests of the target at dispatch: its CarePlans' ServiceRequests go with them. */
async function withReceipts(site: ErasureSite, target: Target): Promise<Target> {
  const dispatch = serviceOf(site, 'dispatch');
  if (dispatch === undefined) return target;
  const keys = await dispatchKeys(dispatch, target);
  const requests = keys.requests.map((id) => `ServiceRequest/${id}`);
  const names = target.kind === 'patient' ? [] : [...new Set([...target.resources.dispatch, ...requests])];
  return { ...target, receipts: keys.receipts, resources: { ...target.resources, dispatch: names } };
}

export async function dispatchKeys(
  { database }: ServiceSite,
  target: Target,
  findings?: ErasureFindings,
): Promise<DispatchKeys> {
  const found = findings === undefined ? [] : erasedOf(target, findings);
  const careplans = found.flatMap(({ name }) => (name.startsWith('CarePlan/') ? [name.slice('CarePlan/'.length)] : []));
  const keys = await findDispatchKeys(database, {
    patients: [...new Set([...target.patients.dispatch, ...target.accounts.map((each) => each.patient_guid)])],
    careplans: [...new Set([...idsOfType(target, 'dispatch', 'CarePlan'), ...careplans])],
    requests: idsOfType(target, 'dispatch', 'ServiceRequest'),
    users: target.accounts.map((each) => each.user_guid),
  });
  return { ...keys, receipts: [...new Set([...keys.receipts, ...target.receipts])] };
}

export function engineKeys(target: Target, findings: ErasureFindings): EngineKeys {
  const resources = erasedOf(target, findings).map(({ name }) => name);
  return { patients: personIds(target), receipts: target.receipts, resources };
}

export function identityKeys({ accounts, patients }: Target): IdentityKeys {
  return {
    users: accounts.map(({ user_guid: guid }) => guid),
    patients: accounts.map(({ patient_guid: guid }) => guid),
    engine: patients.engine,
    dispatch: patients.dispatch,
  };
}

/** The resources that go, shared ones too where the operator says so. */
export function erasedOf({ shared }: Target, findings: ErasureFindings): ErasureFindings['own'] {
  if (shared === 'keep' || findings.shared.length === 0) return findings.own;
  return [...findings.own, ...findings.shared].toSorted((a, b) => a.type - b.type || (a.rid < b.rid ? -1 : 1));
}

/** Texts that name the person in resources and stored responses. */
export function textsOf(target: Target, numbers: readonly string[]): readonly string[] {
  const forms = numbers.flatMap((number) => [
    number,
    `${number.slice(0, 8)}-${number.slice(8)}`,
    `${number.slice(2, 8)}-${number.slice(8)}`,
    `${number.slice(2, 8)}+${number.slice(8)}`,
    `"${number.slice(2)}"`,
  ]);
  return [...forms, ...target.accounts.map(({ patient_guid: guid }) => guid)];
}

export async function findingsOf(
  site: ErasureSite,
  { service, database }: ServiceSite,
  { target, numbers, known }: Pick<Plan, 'target' | 'numbers'> & { readonly known?: readonly string[] },
  { onRows, signal, since }: PlanOptions,
): Promise<ErasureFindings | undefined> {
  if (service === 'identity') return undefined;
  return findErasable(
    database,
    {
      patients: target.patients[service],
      resources: target.resources[service],
      texts: textsOf(target, numbers),
      ...(known === undefined ? {} : { known }),
    },
    { parameters: site.parametersOf(service), onRows, signal, since },
  );
}

/** Texts by which stored responses are found. */
export function responseTexts(target: Target, numbers: readonly string[]): readonly string[] {
  return [...personIds(target), ...textsOf(target, numbers), ...target.resources.dispatch, ...target.resources.engine];
}

export async function makePlan(
  site: ErasureSite,
  of: Pick<Plan, 'target' | 'numbers'>,
  options: PlanOptions,
): Promise<Plan> {
  const { target, numbers } = of;
  const services: ServicePlan[] = [];
  let servers: readonly string[] = [];
  for (const each of site.services) {
    const findings = await findingsOf(site, each, of, options);
    const texts = responseTexts(target, numbers);
    const responses = await eraseResponses(each.database, each.sealingKeys, { texts, isDryRun: true });
    services.push({ service: each.service, findings, rows: await rowsOf(each, target, findings), responses });
    if (each.service === 'engine' && findings !== undefined)
      servers = await findSynchronisedServers(each.database, engineKeys(target, findings));
  }
  const dispatch = serviceOf(site, 'dispatch');
  const keys = dispatch && (await dispatchKeys(dispatch, target));
  return {
    target,
    numbers,
    services,
    openRequests: dispatch && keys ? await findOpenRequests(dispatch.database, keys) : [],
    receivers: dispatch && keys ? await findReceivers(dispatch.database, keys) : [],
    servers,
  };
}

async function rowsOf(each: ServiceSite, target: Target, findings: ErasureFindings | undefined): Promise<RowCounts> {
  const { service, database } = each;
  if (service === 'identity') return countIdentityRows(database, identityKeys(target));
  if (service === 'dispatch') return countDispatchRows(database, await dispatchKeys(each, target, findings));
  return findings === undefined ? {} : countEngineRows(database, engineKeys(target, findings));
}
