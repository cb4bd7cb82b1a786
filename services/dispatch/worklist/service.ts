// The worklist: the stage of each request, for those who plan (docs/adr/0096). Whose requests a reader sees is decided
// by the data scope, as for the FHIR records.
import type { AuditEntry } from '#lib/audit/audit-event.ts';
import { dataScopeOf } from '#lib/auth/data-scope.ts';
import type { WriteDependencies } from '#lib/write-dependencies.ts';
import { type Actor, auditedBy } from '../shared/actor.ts';
import { STAGES, type Stage } from './stage.ts';
import { readWorklist, type StageCount, type WorklistEntry, type WorklistFilter } from './store.ts';

export type { WorklistEntry } from './store.ts';

export interface Worklist {
  readonly entries: readonly WorklistEntry[];
  readonly total: number;
  readonly counts: Readonly<Record<Stage | 'undelivered', number>>;
}

export type WorklistRequest = Omit<WorklistFilter, 'scope' | 'readerId'>;

export interface WorklistService {
  list(
    actor: Actor,
    request: WorklistRequest,
    page: { readonly limit: number; readonly offset: number },
  ): Promise<Worklist>;
}

export function createWorklist({ database, clock, audit }: WriteDependencies): WorklistService {
  return {
    async list(actor, request, page) {
      const { principal } = actor;
      const filter = { ...request, scope: dataScopeOf(principal, 'dispatch'), readerId: principal.id };
      const now = new Date(clock.now());
      const { entries, stages } = await readWorklist(database, filter, { now, ...page });
      await audit.recordRead(...entriesOfReading(actor, entries));
      return { entries, total: totalOf(stages, request), counts: countsOf(stages) };
    },
  };
}

function countsOf(stages: readonly StageCount[]): Worklist['counts'] {
  const entries = STAGES.map((stage) => [stage, stages.find((each) => each.stage === stage)?.requests ?? 0] as const);
  const undelivered = stages.reduce((sum, each) => sum + each.undelivered, 0);
  return { ...(Object.fromEntries(entries) as Record<Stage, number>), undelivered };
}

function totalOf(stages: readonly StageCount[], { stage, isUndelivered }: WorklistRequest): number {
  return stages
    .filter((each) => stage === undefined || each.stage === stage)
    .reduce((sum, { requests, undelivered }) => sum + (isUndelivered ? undelivered : requests), 0);
}

/** One entry for each patient. */
function entriesOfReading(actor: Actor, entries: readonly WorklistEntry[]): AuditEntry[] {
  const byPatient = Map.groupBy(entries, ({ patientGuid }) => patientGuid);
  return [...byPatient].map(([patientGuid, shown]) => {
    const entities = shown.map(({ id }) => `ServiceRequest/${id}`);
    return auditedBy(actor, { action: 'R', event: 'worklist.look', patientGuid, entities });
  });
}
