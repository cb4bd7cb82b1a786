// Creates drafts from CarePlans, and reads and replaces their snapshots (decision D2).

import type { StoredVersion } from '#fhir/store/read/stored-version.ts';
import type { VersionMatch } from '#fhir/store/read/version-match.ts';
import { ownerOrganisation } from '#lib/auth/data-scope.ts';
import { principalReference } from '#lib/auth/principal.ts';
import type { Clock } from '#lib/clock.ts';
import type { Database, Transaction } from '#lib/db/database.ts';
import { type Issue, ServiceError, unprocessable } from '#lib/errors.ts';
import { newGuid } from '#lib/guid.ts';
import type { CarePlanService } from '../careplans/service.ts';
import { requesterOf } from '../notifications/requester-service.ts';
import { accessOf } from '../shared/access.ts';
import type { Actor } from '../shared/actor.ts';
import type { Records } from '../shared/records.ts';
import type { RequestContext } from '../shared/request-context.ts';
import { insertServiceRequest, updateServiceRequest } from '../shared/service-request-store.ts';
import type { TextTasks } from '../shared/text-tasks.ts';
import { DRAFT, SNAPSHOT, SNAPSHOT_APPLIED, SNAPSHOT_ISSUES } from './draft-tasks.ts';

export interface SnapshotState {
  /** JSON text. */
  readonly text: string;
  readonly version: number;
}

export interface DraftService {
  /** @throws ServiceError `unprocessable` with the issues of the CarePlan or the resource; `forbidden` */
  create(actor: Actor, input: DraftInput): Promise<StoredVersion>;
  /** @throws ServiceError `not_found` */
  readSnapshot(actor: Actor, id: string): Promise<SnapshotState>;
  /** What FHIR finds wrong in a snapshot, JSON text that failed the schema. */
  snapshotIssues(actor: Actor, body: string): Promise<readonly Issue[]>;
  /** @throws ServiceError `not_found`, `conflict`, `precondition_failed`, `unprocessable` */
  replaceSnapshot(actor: Actor, id: string, input: SnapshotInput): Promise<SnapshotState>;
}

export interface DraftInput {
  readonly careplanGuid: string;
  /** The client's ServiceRequest as JSON text; undefined when the client named only the CarePlan. */
  readonly body: string | undefined;
}

export interface SnapshotInput {
  /** JSON text that was validated against the schema. */
  readonly body: string;
  readonly ifMatch: VersionMatch | undefined;
}

export interface DraftServiceOptions {
  readonly database: Database;
  readonly records: Records;
  readonly texts: TextTasks;
  readonly requestContext: RequestContext;
  readonly clock: Clock;
  readonly carePlans: CarePlanService;
}

export function createDraftService(options: DraftServiceOptions): DraftService {
  const { database, records, texts, requestContext, clock, carePlans } = options;

  async function create(actor: Actor, { careplanGuid, body }: DraftInput): Promise<StoredVersion> {
    const { professionalGuid } = actor.principal;
    const requester = professionalGuid === undefined ? undefined : { ...principalReference(actor.principal) };
    return database.transaction(async (tx) => {
      const carePlan = await requireCarePlan(tx, actor, careplanGuid);
      const organisation = ownerOrganisation(actor.principal, carePlan.organisation ?? undefined);
      const plan = await carePlans.findPlan(tx, careplanGuid);
      const id = newGuid(clock.now());
      const given = { id, body, careplanGuid, carePlan: carePlan.content, plan, requester };
      const { patientGuid, resource, snapshot } = await texts.run(DRAFT, given, actor);
      const version = await records.create(tx, resource, { id, organisation }, actor);
      const row = { id, organisationGuid: organisation, patientGuid, careplanGuid };
      const now = new Date(clock.now());
      await insertServiceRequest(tx, {
        ...row,
        snapshot,
        now,
        requesterId: requesterOf(actor.principal, organisation),
      });
      await requestContext.record(tx, actor, { record: row, event: 'create', action: 'C' });
      return version;
    });
  }

  async function requireCarePlan(tx: Transaction, actor: Actor, id: string) {
    const found = await records.find(tx, { resourceType: 'CarePlan', id }, accessOf(actor.principal));
    if (found === undefined) throw unprocessable(`There is no CarePlan/${id}`, 'ServiceRequest.basedOn', 'not-found');
    return found;
  }

  async function replaceSnapshot(actor: Actor, id: string, { body, ifMatch }: SnapshotInput) {
    const text = await texts.run(SNAPSHOT, { body }, actor);
    return database.transaction(async (tx) => {
      const { record } = await requestContext.lock(tx, actor, id, 'edit-snapshot');
      if (ifMatch !== undefined && ifMatch !== 'any' && !ifMatch.includes(record.snapshotVersion)) {
        const message = `If-Match asks for another version of the snapshot: it is ${record.snapshotVersion}`;
        throw new ServiceError('precondition_failed', message);
      }
      const version = record.snapshotVersion + 1;
      const changes = { snapshot: text, snapshotVersion: version };
      await updateServiceRequest(tx, record, changes, new Date(clock.now()));
      await requestContext.rewrite(tx, actor, id, (draft) =>
        texts.run(SNAPSHOT_APPLIED, { draft, snapshot: text, previous: record.snapshot }, actor),
      );
      await requestContext.record(tx, actor, { record, event: 'snapshot', action: 'U' });
      return { text, version };
    });
  }

  return {
    create,
    snapshotIssues: (actor, body) => texts.run(SNAPSHOT_ISSUES, { body }, actor),
    replaceSnapshot,
    async readSnapshot(actor, id) {
      const { record } = await requestContext.find(database, actor, id);
      await requestContext.recordRead(actor, { record, event: 'snapshot', action: 'R' });
      return { text: record.snapshot, version: record.snapshotVersion };
    },
  };
}
