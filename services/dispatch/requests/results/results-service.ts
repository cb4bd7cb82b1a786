// The results that a provider reports with a status or by the page of its link (decisions L8, L9; docs/adr/0087). They
// are stored in the transaction of the report, and then sent to the engine, which stores each report once.
import type { ResultClient } from '#clients/result-client.ts';
import { provenanceOf } from '#fhir/reports/provenance.ts';
import type { StaffPerson } from '#lib/auth/provider-staff.ts';
import type { Clock } from '#lib/clock.ts';
import { sha256 } from '#lib/crypto/secret.ts';
import type { Transaction } from '#lib/db/database.ts';
import { notFound, validationError } from '#lib/errors.ts';
import { newGuid } from '#lib/guid.ts';
import { createLeasedCalls, type LeasedCalls } from '#lib/jobs/leased-calls.ts';
import type { WorkDependencies } from '#lib/work-dependencies.ts';
import type { Actor } from '../../shared/actor.ts';
import { findMatchOfRequest } from '../../shared/match-store.ts';
import { findServiceRequest } from '../../shared/service-request-store.ts';
import type { TextTasks } from '../../shared/text-tasks.ts';
import type { ReceiptRecord } from '../feed/feed-store.ts';
import {
  claimReport,
  type DueReport,
  insertReport,
  listReported,
  type NewReport,
  postponeReport,
  readBundleOf,
  refuseReport,
  settleReport,
} from './results-store.ts';
import { RESULTS } from './results-task.ts';

/** Results that may be stored. */
export type PreparedResults = NewReport;

export interface StoredResults {
  readonly isNew: boolean;
  /** Absolute references to the Observations and QuestionnaireResponses at the engine. */
  readonly references: readonly string[];
}

/** A resource with its id, as JSON text. */
export interface MadeResource {
  readonly resourceType: string;
  readonly id: string;
  readonly text: string;
}

export interface Results extends LeasedCalls {
  /**
   * Checks the results of a report.
   * @param body the text of the request's body
   * @throws ServiceError `validation_error` with every error, `not_found`
   */
  prepare(
    receipt: ReceiptRecord,
    given: { readonly body: string; readonly by: StaffPerson | undefined; readonly actor: Actor | undefined },
  ): Promise<PreparedResults>;
  /** Results that dispatch has made and checked itself, from a form that was filled in at the page of the link. */
  prepareMade(
    transaction: Transaction,
    receipt: ReceiptRecord & { readonly providerName: string },
    resources: readonly MadeResource[],
  ): Promise<PreparedResults>;
  /** The addresses of their Observations and QuestionnaireResponses at the engine. */
  referencesOf(prepared: Pick<PreparedResults, 'resources'>): readonly string[];
  /** Stores them with the status that they were reported with. */
  store(transaction: Transaction, prepared: PreparedResults): Promise<StoredResults>;
}

export interface ResultsOptions extends WorkDependencies {
  readonly texts: TextTasks;
  readonly results: ResultClient;
  /** The engine's public FHIR base URL. */
  readonly engineFhirUrl: string;
}

export function createResults(options: ResultsOptions): Results {
  const { database, clock, log, results: engine, engineFhirUrl } = options;

  const calls = createLeasedCalls<DueReport>({
    name: 'results',
    postponedEvent: 'results.postponed',
    clock,
    log,
    claim: (times, requestGuid) => claimReport(database, times, requestGuid),
    async send(report) {
      const refusal = await engine.store(report.body);
      const at = new Date(clock.now());
      if (refusal === undefined) return settleReport(database, report, at);
      await refuseReport(database, report, refusal, at);
      log.error({ event: 'results.refused', request: report.request_guid, code: refusal });
    },
    postpone: (report, nextAt) => postponeReport(database, report, nextAt),
    about: ({ request_guid: request }) => ({ request }),
  });

  const referencesOf: Results['referencesOf'] = ({ resources }) =>
    resources.filter((address) => !address.startsWith('Provenance/')).map((address) => `${engineFhirUrl}/${address}`);

  return {
    ...calls,
    prepare: (receipt, given) => prepare(options, receipt, given),
    prepareMade: (transaction, receipt, resources) => prepareMade(transaction, { receipt, resources, clock }),
    referencesOf,
    async store(transaction, prepared) {
      const { isNew, resources } = await insertReport(transaction, prepared, new Date(clock.now()));
      return { isNew, references: referencesOf({ resources }) };
    },
  };
}

async function prepare(
  { database, clock, texts }: ResultsOptions,
  receipt: ReceiptRecord,
  {
    body,
    by,
    actor,
  }: { readonly body: string; readonly by: StaffPerson | undefined; readonly actor: Actor | undefined },
): Promise<PreparedResults> {
  const { requestGuid, patientGuid, providerGuid, serviceRequestId } = receipt;
  const reportGuid = newGuid(clock.now());
  const [bundle, match, record, known] = await Promise.all([
    readBundleOf(database, requestGuid),
    findMatchOfRequest(database, requestGuid),
    findServiceRequest(database, serviceRequestId),
    listReported(database, requestGuid),
  ]);
  if (bundle === undefined || match === undefined || record === undefined) throw notFound('Request');
  const organisation = match.providerOrganisationGuid ?? null;
  const performer = { provider_guid: providerGuid, name: match.providerName, organisation_guid: organisation };
  const recorded = new Date(clock.now()).toISOString();
  const work = { body, bundle, patientGuid, providerGuid, performer, person: by, known, recorded };
  const { issues, resources, digest } = await texts.run(RESULTS, work, actor);
  if (issues.length > 0) throw validationError([...issues]);
  const { organisationGuid } = record;
  return newReport(receipt, { reportGuid, organisationGuid, resources, digest: Buffer.from(digest, 'base64') });
}

async function prepareMade(
  transaction: Transaction,
  {
    receipt,
    resources,
    clock,
  }: {
    readonly receipt: ReceiptRecord & { readonly providerName: string };
    readonly resources: readonly MadeResource[];
    readonly clock: Clock;
  },
): Promise<PreparedResults> {
  const request = await findServiceRequest(transaction, receipt.serviceRequestId);
  if (request === undefined) throw notFound('Request');
  const now = clock.now();
  const made = resources.map(({ resourceType, id, text }) => ({ address: `${resourceType}/${id}`, text }));
  const reporting = { ...receipt, person: undefined, recorded: new Date(now).toISOString() };
  const targets = made.map(({ address }) => address);
  const id = newGuid(now);
  const provenance = { address: `Provenance/${id}`, text: JSON.stringify({ id, ...provenanceOf(reporting, targets) }) };
  // The ids make the digest that of this sending: the same answers sent another day are another report.
  const digest = sha256(targets.join(' '));
  const { organisationGuid } = request;
  return newReport(receipt, { reportGuid: newGuid(now), organisationGuid, digest, resources: [...made, provenance] });
}

interface ReportContent {
  readonly reportGuid: string;
  /** The organisation that ordered. */
  readonly organisationGuid: string;
  readonly digest: Buffer;
  /** JSON texts with their addresses. */
  readonly resources: readonly { readonly address: string; readonly text: string }[];
}

function newReport(
  { requestGuid, patientGuid, providerGuid }: ReceiptRecord,
  { reportGuid, organisationGuid, digest, resources }: ReportContent,
): NewReport {
  const call = {
    report_guid: reportGuid,
    request_guid: requestGuid,
    provider_guid: providerGuid,
    patient_guid: patientGuid,
    organisation_guid: organisationGuid,
    resources: resources.map(({ text }) => text),
  };
  const addresses = resources.map(({ address }) => address);
  return { reportGuid, requestGuid, digest, resources: addresses, body: JSON.stringify(call) };
}
