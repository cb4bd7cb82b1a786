// Carries an erasure out, service by service, each in one transaction. The database holds how far it is, so that a
// run that was killed is completed by another one.

import { eraseResources } from '#fhir/store/erasure/erase.ts';
import type { ErasureFindings, Found } from '#fhir/store/erasure/find.ts';
import { systemClock } from '#lib/clock.ts';
import type { Transaction } from '#lib/db/database.ts';
import { eraseResponses } from '#lib/erasure/responses.ts';
import type { RowCounts } from '#lib/erasure/rows.ts';
import { transactionId, waitForOlder } from '#lib/erasure/settled.ts';
import {
  type Erasure,
  insertErasure,
  listErasures,
  lockErasure,
  setCertificate,
  setErased,
} from '#lib/erasure/store.ts';
import { deleteDispatchRows } from '#services/dispatch/erasure/erasure.ts';
import { deleteEngineRows } from '#services/engine/erasure/erasure.ts';
import { deleteIdentityRows } from '#services/identity/erasure/erasure.ts';
import { createRevocations } from '#services/identity/revocations/service.ts';
import { operator } from '../operator.ts';
import type { Service } from '../services.ts';
import { type Certificate, digestOfNumber, keyed, type ServiceResult, saveCertificate, sign } from './certificate.ts';
import {
  dispatchKeys,
  engineKeys,
  erasedOf,
  findingsOf,
  identityKeys,
  type Plan,
  type PlanOptions,
  responseTexts,
} from './plan.ts';
import type { ErasureSite, ServiceSite } from './services.ts';
import { type FhirService, personIds, type Target } from './target.ts';

/** So long it waits for transactions that began before a service's part was erased. */
const SETTLED_MS = 60_000;

/** So much the clocks of nodes may differ. */
const LEEWAY_MS = 300_000;

/** What an erasure needs beside its row, to be completed by another run. */
export interface Stored {
  readonly target: Target;
  /** Keyed digests of the personnummer. */
  readonly numbers: readonly string[];
  readonly receivers: Plan['receivers'];
  readonly servers: Plan['servers'];
  /** What a certificate names, where it is applied again. */
  readonly erased?: Readonly<Record<FhirService, readonly string[]>>;
}

export interface Order {
  readonly erasureGuid: string;
  readonly ground: string;
  readonly decidedBy: string;
  readonly begunAt: Date;
}

/** Stores the decision at every service, before anything is erased. */
export async function begin(site: ErasureSite, order: Order, plan: Plan): Promise<void> {
  const key = await site.key();
  const stored: Stored = {
    target: plan.target,
    numbers: plan.numbers.map((number) => digestOfNumber(key, number)),
    receivers: plan.receivers,
    servers: plan.servers,
  };
  for (const { database } of site.services)
    await insertErasure(database, { ...order, target: stored, operator: operator().id });
}

/** Erasures that are begun and have no certificate, oldest first. */
export async function unfinished(site: ErasureSite): Promise<Erasure[]> {
  const found = new Map<string, Erasure>();
  for (const { database } of site.services)
    for (const each of await listErasures(database))
      if (each.certificate === null && !found.has(each.erasureGuid)) found.set(each.erasureGuid, each);
  return [...found.values()];
}

/**
 * Erases what is not erased yet, and returns the certificate and its file.
 * @throws Error when transactions from before do not end, or the signal is aborted; it can be run again
 */
export async function complete(
  site: ErasureSite,
  erasure: Erasure,
  options: PlanOptions & { readonly numbers: readonly string[]; readonly onStep: (text: string) => void },
): Promise<{ readonly certificate: Certificate; readonly file: string }> {
  const stored = erasure.target as Stored;
  const services: [Service, ServiceResult & { erased_at: string }][] = [];
  for (const each of site.services) {
    // One that was not reached by the run that began.
    await insertErasure(each.database, erasure);
    options.onStep(`${each.service}: looking for what is to be erased`);
    const result = await eraseService(site, each, { erasure, stored, options });
    services.push([each.service, result]);
    options.onStep(`${each.service}: erased`);
  }
  const certificate = sign(await site.key(), {
    kedja_erasure: 1,
    erasure_guid: erasure.erasureGuid,
    ground: erasure.ground,
    decided_by: erasure.decidedBy,
    operator: erasure.operator,
    begun_at: erasure.begunAt.toISOString(),
    completed_at: new Date(systemClock.now()).toISOString(),
    target: stored.target,
    numbers: stored.numbers,
    services: Object.fromEntries(services),
    receivers: stored.receivers,
    servers: stored.servers,
  });
  const file = await saveCertificate(site.folder, certificate);
  for (const { database } of site.services) await setCertificate(database, erasure.erasureGuid, certificate);
  return { certificate, file };
}

interface Run {
  readonly erasure: Erasure;
  readonly stored: Stored;
  readonly options: PlanOptions & { readonly numbers: readonly string[] };
}

/** Twice: what was being written while the first went on is found by the second. */
async function eraseService(
  site: ErasureSite,
  each: ServiceSite,
  run: Run,
): Promise<ServiceResult & { erased_at: string }> {
  const since = new Date(systemClock.now() - LEEWAY_MS);
  const first = await erasePart(site, each, run);
  if (!first.isNew) return first.result;
  // Of a transaction after the commit: those that began before the commit have lower ids.
  const committed = await each.database.transaction(transactionId);
  if (!(await waitForOlder(each.database, committed, SETTLED_MS)))
    throw new Error(
      `A transaction on ${each.service} has been open for a minute: end it, and run kedja erase --resume`,
    );
  return (await erasePart(site, each, { ...run, options: { ...run.options, since } })).result;
}

async function erasePart(site: ErasureSite, each: ServiceSite, run: Run) {
  const { options, stored, erasure } = run;
  const known = each.service === 'identity' ? undefined : stored.erased?.[each.service];
  const of = { target: stored.target, numbers: options.numbers, ...(known === undefined ? {} : { known }) };
  const findings = await findingsOf(site, each, of, options);
  options.signal.throwIfAborted();
  return each.database.transaction(async (tx) => {
    const before = await lockErasure(tx, erasure.erasureGuid);
    const known = before?.result as (ServiceResult & { erased_at: string }) | null | undefined;
    const now = new Date(systemClock.now());
    const found = await eraseRows(tx, site, each, { ...run, findings, now });
    const isNew = found.erased.length > 0 || Object.keys(found.rows).length > 0 || found.responses > 0;
    // The second check found nothing, or another run has done it.
    if (known && !isNew) return { result: known, isNew: false };
    const result = { ...(known ? merged(known, found) : found), erased_at: now.toISOString() };
    await setErased(tx, erasure.erasureGuid, now, result);
    await record(tx, each, { erasure, target: stored.target, found });
    return { result, isNew: true };
  });
}

interface Part extends Run {
  readonly findings: ErasureFindings | undefined;
  readonly now: Date;
}

async function eraseRows(tx: Transaction, site: ErasureSite, each: ServiceSite, part: Part): Promise<ServiceResult> {
  const { stored, options, findings, now, erasure } = part;
  const { target } = stored;
  const own = findings === undefined ? [] : erasedOf(target, findings);
  // Rows first: dispatch locks requests before resources.
  const rows = await deleteRowsOf(tx, each, target, findings);
  const erased = await eraseResources(
    tx,
    { resources: own, versions: findings?.oldVersions ?? [] },
    {
      erasureGuid: erasure.erasureGuid,
      now,
      isPersonal: (id) => options.numbers.some((number) => hasNumber(id, number)),
    },
  );
  const texts = responseTexts(target, options.numbers);
  const responses = await eraseResponses(tx, each.sealingKeys, { texts, isDryRun: false });
  return {
    erased: own.map(({ name }) => name),
    types: erased.types,
    old_versions: findings?.oldVersions.length ?? 0,
    rows,
    responses,
    digest: keyed(await site.key(), erased.digest),
    references: countTypes(findings?.references ?? []),
    audit_events: findings?.auditEvents.length ?? 0,
    shared_kept: target.shared === 'keep' ? (findings?.shared ?? []).map(({ name }) => name) : [],
  };
}

function hasNumber(id: string, number: string): boolean {
  return id.replaceAll(/\D/g, '').includes(number.slice(2));
}

async function deleteRowsOf(
  tx: Transaction,
  each: ServiceSite,
  target: Target,
  findings: ErasureFindings | undefined,
): Promise<RowCounts> {
  if (each.service === 'dispatch') return deleteDispatchRows(tx, await dispatchKeys(each, target, findings));
  if (each.service === 'engine')
    return findings === undefined ? {} : deleteEngineRows(tx, engineKeys(target, findings));
  const { database, sealingKeys } = each;
  const revocations = createRevocations({ database, clock: systemClock });
  return deleteIdentityRows(tx, identityKeys(target), { revocations, sealingKeys });
}

export function countTypes(found: readonly Found[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { name } of found) {
    const type = name.slice(0, name.indexOf('/'));
    counts[type] = (counts[type] ?? 0) + 1;
  }
  return counts;
}

function merged(first: ServiceResult, second: ServiceResult): ServiceResult {
  const types: Record<string, { resources: number; versions: number }> = { ...first.types };
  for (const [type, { resources, versions }] of Object.entries(second.types)) {
    const known = types[type] ?? { resources: 0, versions: 0 };
    types[type] = { resources: known.resources + resources, versions: known.versions + versions };
  }
  const rows: Record<string, number> = { ...first.rows };
  for (const [table, count] of Object.entries(second.rows)) rows[table] = (rows[table] ?? 0) + count;
  return {
    ...second,
    types,
    rows,
    erased: [...new Set([...first.erased, ...second.erased])],
    old_versions: first.old_versions + second.old_versions,
    responses: first.responses + second.responses,
    digest: `${first.digest} ${second.digest}`,
  };
}

/** One audit event for each service, which the person's access log shows, too. */
async function record(
  tx: Transaction,
  { audit }: ServiceSite,
  { erasure, target, found }: { readonly erasure: Erasure; readonly target: Target; readonly found: ServiceResult },
): Promise<void> {
  const rows = Object.values(found.rows).reduce((sum, count) => sum + count, 0);
  const detail = `${found.erased.length} resources and ${rows} rows erased; ground: ${erasure.ground}; decided by: ${erasure.decidedBy}`;
  const [patientGuid] = personIds({ ...target, accounts: [] });
  await audit.record(tx, {
    principal: operator(),
    action: 'D',
    event: 'patient.erase',
    entities: [`erasure/${erasure.erasureGuid}`],
    detail,
    ...(patientGuid === undefined ? {} : { patientGuid }),
  });
}
