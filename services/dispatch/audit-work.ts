// The background work of dispatch's audit record: access records become events, and events are sent to the engine
// (docs/adr/0011, docs/adr/0113).
import { entriesOfAccess } from '#fhir/rest/interactions/access-records.ts';
import type { WorkerThreads } from '#fhir/rest/threads/worker-threads.ts';
import type { FhirStore } from '#fhir/store/store.ts';
import { registerAccessMetrics, registerOutboxMetrics } from '#lib/audit/access-metrics.ts';
import { createAccessUnpacker } from '#lib/audit/access-unpacker.ts';
import { type AuditSink, createAuditShipper } from '#lib/audit/audit-shipper.ts';
import type { Backlog } from '#lib/audit/back-pressure.ts';
import type { WorkerLoop } from '#lib/jobs/worker-loop.ts';
import type { Metrics } from '#lib/metrics/metrics.ts';
import type { WorkDependencies } from '#lib/work-dependencies.ts';

export interface AuditWorkOptions extends WorkDependencies {
  readonly metrics: Metrics;
  readonly store: FhirStore;
  readonly workerThreads: WorkerThreads;
  readonly backlog: Backlog;
  /** Without it events stay in the outbox. */
  readonly auditSink?: AuditSink | undefined;
}

export function createAuditWork(options: AuditWorkOptions): readonly WorkerLoop[] {
  const { database, clock, log, metrics, store, workerThreads, backlog, auditSink } = options;
  registerAccessMetrics(metrics, { database, clock });
  registerOutboxMetrics(metrics, { database, clock });
  const entriesOf = entriesOfAccess(store.parameters, workerThreads);
  return [
    createAccessUnpacker({ database, service: 'dispatch', entriesOf, log, clock, backlog }),
    ...(auditSink === undefined ? [] : [createAuditShipper({ database, sink: auditSink, log, clock })]),
  ];
}
