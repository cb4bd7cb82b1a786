// Stores reports (decision E10). Observations and questionnaire responses are checked first. One transaction then
// stores them, the task's new state, and a call to dispatch in the outbox. The courier makes the call.

import { provenanceOf } from '#fhir/reports/provenance.ts';
import type { CreateInput } from '#fhir/store/write/write.ts';
import { LOCAL_ORGANISATION } from '#lib/auth/data-scope.ts';
import type { Transaction } from '#lib/db/database.ts';
import { conflict, notFound, validationError } from '#lib/errors.ts';
import { newGuid } from '#lib/guid.ts';
import type { LeasedCalls } from '#lib/jobs/leased-calls.ts';
import type { WriteDependencies } from '#lib/write-dependencies.ts';
import type { ProviderService } from '../providers/service.ts';
import type { Origin } from '../shared/actor.ts';
import type { ResourceWriter } from '../shared/resource-writer.ts';
import type { ReadBundles } from './bundle-reader.ts';
import { insertCall } from './call-store.ts';
import { moveTask } from './lifecycle.ts';
import { insertReport } from './report-store.ts';
import type { ReportResponse } from './schema.ts';
import { auditOfTask, namedBy, personAt, requireTask, type TaskAddress } from './task-address.ts';
import { lockTask, readBundleText, setPersons, type TaskRow, updateTask } from './task-store.ts';
import type { ShowTask } from './task-view.ts';

export interface Report {
  readonly status: 'partial' | 'final';
  readonly note: string | undefined;
  /**
   * The received bytes, which have passed the schema. The resources are read from them, so that decimals keep their
   * digits.
   */
  readonly body: Buffer;
}

export interface ReportService {
  /**
   * Stores a report and changes the task.
   * @throws ServiceError `not_found`; `conflict` in the wrong state; `validation_error` with every error, and nothing
   * is stored
   */
  report(address: TaskAddress, report: Report, origin: Origin): Promise<ReportResponse>;
}

export interface ReportDependencies extends WriteDependencies {
  readonly writer: ResourceWriter;
  readonly courier: LeasedCalls;
  readonly show: ShowTask;
  readonly providers: ProviderService;
  readonly readBundles: ReadBundles;
  /** The engine's public FHIR base URL, for absolute references to the reported resources. */
  readonly baseUrl: string;
}

interface Reported {
  readonly report: Report;
  readonly resources: readonly CreateInput[];
  /** Names the provider and its person; none for a report without resources. */
  readonly provenance: readonly CreateInput[];
  readonly origin: Origin;
  readonly address: TaskAddress;
}

export function createReportService(deps: ReportDependencies): ReportService {
  const { database, clock, courier, show, providers, readBundles, writer } = deps;
  return {
    async report(address, report, origin) {
      const found = await requireTask(database, address);
      nextState(found, report);
      const bundle = await readBundleText(database, found.request_guid);
      const { patient_guid, provider_guid: owner } = found;
      if (bundle === null || patient_guid === null) throw notFound('Task');
      const { name, organisation_guid } = await providers.get(owner);
      const about = { patient_guid, performer: { provider_guid: owner, name, organisation_guid } };
      const checked = await readBundles({ kind: 'report', body: report.body, bundle, task: about }, owner);
      if (checked === undefined) throw notFound('Task');
      if (checked.issues.length > 0) throw validationError(checked.issues);
      const organisation = found.organisation_guid ?? LOCAL_ORGANISATION;
      const resources: CreateInput[] = [];
      for (const { text } of checked.resources)
        resources.push(await writer.prepare(text, { id: newGuid(clock.now()), organisation, isReport: true }, owner));
      const reporting = {
        patientGuid: patient_guid,
        providerGuid: owner,
        providerName: name,
        person: personAt(address),
        recorded: new Date(clock.now()).toISOString(),
        serviceRequestId: checked.serviceRequestId,
      };
      const targets = resources.map(addressOfInput);
      const provenance =
        targets.length === 0
          ? []
          : [
              await writer.prepare(
                JSON.stringify(provenanceOf(reporting, targets)),
                { id: newGuid(clock.now()), organisation },
                owner,
              ),
            ];
      const task = await database.transaction((tx) =>
        store(tx, found.request_guid, { report, resources, provenance, origin, address }, deps),
      );
      courier.loop.wake();
      const references = (type: string) =>
        resources
          .filter(({ source }) => source.resourceType === type)
          .map(({ id }) => ({ reference: `${type}/${id}` }));
      return {
        task: await show(task, address.token),
        observations: references('Observation'),
        questionnaire_responses: references('QuestionnaireResponse'),
      };
    },
  };
}

/** @throws ServiceError `conflict` */
function nextState(task: TaskRow, report: Report) {
  const state = moveTask(task.status, report.status === 'final' ? 'report_final' : 'report_partial');
  if (state === undefined) {
    const hint = task.status === 'received' ? '; accept it first' : ' and takes no more reports';
    throw conflict(`The task is ${task.status}${hint}`);
  }
  return state;
}

function addressOfInput({ source, id }: CreateInput): string {
  return `${source.resourceType}/${id}`;
}

async function store(
  tx: Transaction,
  requestGuid: string,
  { report, resources, provenance, origin, address }: Reported,
  deps: ReportDependencies,
): Promise<TaskRow> {
  const task = await lockTask(tx, requestGuid);
  if (task === undefined) throw notFound('Task');
  const status = nextState(task, report);
  const at = new Date(deps.clock.now());
  for (const resource of [...resources, ...provenance]) await deps.writer.createPrepared(tx, resource);
  await updateTask(tx, requestGuid, { status, pendingDecision: null, reason: null }, at);
  const person = personAt(address);
  const responsible = task.responsible_guid === null ? person : undefined;
  await setPersons(tx, requestGuid, { reportedBy: person ?? null, responsible });
  const references = resources.map(addressOfInput);
  const reportGuid = newGuid(deps.clock.now());
  const { status: given, note } = report;
  await insertReport(tx, { reportGuid, requestGuid, status: given, note, person, resources: references }, at);
  const body = {
    status: status === 'completed' ? 'completed' : 'in_progress',
    ...(report.note === undefined ? {} : { note: report.note }),
    occurred_at: at.toISOString(),
    results: references.map((reference) => `${deps.baseUrl}/${reference}`),
    ...namedBy(address),
  };
  await insertCall(tx, { requestGuid, kind: 'status', body }, at);
  const about = auditOfTask(task, address);
  await deps.audit.record(tx, {
    action: 'C',
    event: 'provider-task.report',
    ...about,
    entities: [...about.entities, ...references],
    ...origin,
  });
  return (await lockTask(tx, requestGuid)) ?? task;
}
