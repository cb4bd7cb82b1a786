// The Patients of engine and dispatch as identity knows them (decision L1, docs/adr/0068): the services report them,
// administrators undo and restore links.
import type { RecordService } from '#lib/auth/principal.ts';
import type { Clock } from '#lib/clock.ts';
import type { Database, Transaction } from '#lib/db/database.ts';
import { conflict, notFound } from '#lib/errors.ts';
import { isGuid, newGuid } from '#lib/guid.ts';
import { parsePersonnummer } from '#lib/personnummer.ts';
import type { Actor } from '../actor.ts';
import type { NumberCipher } from '../shared/ciphers.ts';
import { lockNumbers, numberIndex, shareLockGenerations } from '../shared/number-index.ts';
import { readerNames } from '../shared/protected-patients.ts';
import { linkEntry, type PatientLinkDeps, type PatientLinks } from './link-service.ts';
import * as store from './store.ts';

export type { PatientLink } from './store.ts';

export interface RecordReport extends store.ReportedRecord {
  /** As written in the resource; what is no valid number is left out (decision I6). */
  readonly numbers: readonly string[];
}

export interface PatientRecords {
  /** Stores what a service reports of its Patients, and makes and ends links by it. */
  report(actor: Actor, service: RecordService, reports: readonly RecordReport[]): Promise<void>;
  /** The links of a registered patient, the undone ones too. @throws ServiceError `not_found` */
  list(actor: Actor, patientGuid: string): Promise<store.PatientLink[]>;
  /** Ends a link for good: no write of the record makes it again. @throws ServiceError `not_found`, `conflict` */
  undo(actor: Actor, patientGuid: string, record: store.RecordKey): Promise<void>;
  /** Takes an undoing back. @throws ServiceError `not_found`, `conflict` where the numbers are no longer the same */
  restore(actor: Actor, patientGuid: string, record: store.RecordKey): Promise<void>;
}

export interface PatientRecordDeps extends PatientLinkDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly cipher: NumberCipher;
  readonly links: PatientLinks;
  readonly takeEffect: () => Promise<void>;
}

export function createPatientRecords(deps: PatientRecordDeps): PatientRecords {
  const { database, clock, audit, takeEffect } = deps;

  async function report(actor: Actor, service: RecordService, reports: readonly RecordReport[]): Promise<void> {
    const latest = new Map(reports.map((each) => [each.recordId, each]));
    const hasEffect = await database.transaction((tx) => storeReports(deps, tx, { actor, service, latest }));
    if (hasEffect) await takeEffect();
  }

  async function changeLink(
    patientGuid: string,
    record: store.RecordKey,
    change: (tx: Transaction, link: NonNullable<Awaited<ReturnType<typeof store.lockLink>>>) => Promise<void>,
  ): Promise<void> {
    await database.transaction(async (tx) => {
      const link = isGuid(patientGuid) ? await store.lockLink(tx, patientGuid, record) : null;
      if (link === null) throw notFound('Link');
      await change(tx, link);
      await deps.revocations.usersChanged(tx, [link.userGuid]);
    });
    await takeEffect();
  }

  return {
    report,
    async list(actor, patientGuid) {
      const links = isGuid(patientGuid)
        ? await store.listLinks(database, patientGuid, readerNames(actor.principal))
        : null;
      if (links === null) throw notFound('Patient');
      await audit.recordRead({ action: 'R', event: 'patient-records.list', patientGuid, ...actor });
      return links;
    },
    undo: (actor, patientGuid, record) =>
      changeLink(patientGuid, record, async (tx, { userGuid, isUndone }) => {
        if (isUndone) throw conflict('The link is undone already');
        await store.markUndone(tx, patientGuid, { ...record, by: actor.principal.id, at: new Date(clock.now()) });
        await audit.record(tx, linkEntry('patient-record.undo', rowOf(record, patientGuid, userGuid), actor));
      }),
    restore: (actor, patientGuid, record) =>
      changeLink(patientGuid, record, async (tx, { userGuid, isUndone }) => {
        if (!isUndone) throw conflict('The link is not undone');
        await store.deleteUndone(tx, patientGuid, record);
        await audit.record(tx, linkEntry('patient-record.restore', rowOf(record, patientGuid, userGuid), actor));
        await deps.links.relink(tx, [record], actor);
        if ((await store.lockLink(tx, patientGuid, record)) === null)
          throw conflict('The record no longer holds the number of this patient alone');
      }),
  };
}

interface Reported {
  readonly actor: Actor;
  readonly service: RecordService;
  readonly latest: ReadonlyMap<string, RecordReport>;
}

/** Returns whether the access of a user has changed. */
async function storeReports(deps: PatientRecordDeps, tx: Transaction, { actor, service, latest }: Reported) {
  const { clock, cipher, revocations } = deps;
  const ids = [...latest.keys()].toSorted();
  const generations = await shareLockGenerations(tx);
  const numbers = [...latest.values()].flatMap(({ recordId, numbers: texts }) => {
    const parsed = texts.map((text) => parsePersonnummer(text, clock.now())).filter((number) => number !== undefined);
    return [...new Set(parsed)].map((number) => ({
      recordId,
      number,
      index: numberIndex(cipher, generations, number),
    }));
  });
  await lockNumbers(
    tx,
    numbers.map(({ index }) => index),
  );
  const owners = await store.lockRecords(tx, service, ids);
  const stored = await store.storeRecords(
    tx,
    service,
    ids.flatMap((id) => latest.get(id) ?? []),
  );
  const sealed = numbers
    .filter(({ recordId }) => stored.has(recordId))
    .map(({ recordId, number, index }) => {
      const numberGuid = newGuid(clock.now());
      return { numberGuid, recordId, sealed: cipher.seal(number, numberGuid), index };
    });
  if (sealed.length > 0) await store.insertNumbers(tx, service, sealed);
  const changed = await deps.links.relink(
    tx,
    [...stored].map((recordId) => ({ service, recordId })),
    actor,
  );
  // At the other service an id counts by the owner here (shared/linked-records.ts).
  const moved = [...stored].filter((id) => owners.get(id) !== latest.get(id)?.organisationGuid);
  const others = moved.length === 0 ? [] : await store.usersOfRecords(tx, moved);
  const further = others.filter((user) => !changed.has(user));
  if (further.length > 0) await revocations.usersChanged(tx, further);
  return changed.size > 0 || further.length > 0;
}

function rowOf({ service, recordId }: store.RecordKey, patientGuid: string, userGuid: string): store.LinkRow {
  return { service, record_id: recordId, patient_guid: patientGuid, user_guid: userGuid };
}
