// Follows identity's links of Patients to people (docs/adr/0068, docs/adr/0073), so that the consent gate knows a
// person's records in its own transaction. It knows them also while identity is away, and when the person has not
// signed in for long.
import type { PatientLinkPage } from '#clients/identity-client.ts';
import type { PatientReporter } from '#fhir/store/patient-reports.ts';
import type { Database, Queryable } from '#lib/db/database.ts';
import { ServiceError } from '#lib/errors.ts';
import { createWorkerLoop, type WorkerLoop } from '#lib/jobs/worker-loop.ts';
import type { Logger } from '#lib/log/logger.ts';
import { findOwner, isUnreported, movePosition, readPosition, replaceRecords } from './store.ts';

const INTERVAL_MS = 1000;

export interface Persons {
  readonly loop: WorkerLoop;
  /** Reads identity's feed to its end. @throws ServiceError `upstream_unavailable` */
  follow(): Promise<void>;
  /**
   * Whether identity knows the Patient as it is written now. Without identity there are no registered patients, and
   * every Patient is settled.
   */
  isSettled(db: Queryable, patientGuid: string): Promise<boolean>;
  /** Reports the Patient and follows the links that this made. @throws ServiceError `upstream_unavailable` */
  settle(patientGuid: string): Promise<void>;
  /** The organisation that owns the first of these Patients that is on record; null when none is, or nobody owns it. */
  ownerOf(db: Queryable, patientGuids: readonly string[]): Promise<string | null>;
}

export interface PersonsOptions {
  readonly database: Database;
  readonly log: Logger;
  /** Identity's feed; without it no links are followed. */
  readonly readPatientLinks?: ((after: number) => Promise<PatientLinkPage>) | undefined;
  /** Without it nothing is reported. */
  readonly reporter?: Pick<PatientReporter, 'reportNow'> | undefined;
}

export function createPersons({ database, log, readPatientLinks, reporter }: PersonsOptions): Persons {
  /** Returns whether there is more to read. */
  async function readPage(read: NonNullable<typeof readPatientLinks>): Promise<boolean> {
    const from = await readPosition(database);
    const page = await read(from);
    if (page.sequence === from && page.patients.length === 0) return false;
    await database.transaction(async (tx) => {
      // Another node that was faster has stored the same page.
      if (await movePosition(tx, from, page.sequence)) await replaceRecords(tx, page.patients);
    });
    return page.hasMore;
  }

  async function follow(): Promise<void> {
    if (readPatientLinks === undefined) return;
    while (await readPage(readPatientLinks)) {
      // Each page is a transaction of its own.
    }
  }

  return {
    loop: createWorkerLoop({
      name: 'person-records',
      intervalMs: INTERVAL_MS,
      log,
      step: async () => readPatientLinks !== undefined && (await readPage(readPatientLinks)),
    }),
    follow,
    isSettled: async (db, patientGuid) => reporter === undefined || !(await isUnreported(db, patientGuid)),
    async settle(patientGuid) {
      try {
        await reporter?.reportNow([patientGuid]);
        await follow();
      } catch (cause) {
        const message = 'Whose record this is cannot be asked now, so consent cannot be decided; nothing was sent';
        throw new ServiceError('upstream_unavailable', message, { cause });
      }
    },
    ownerOf: async (db, patientGuids) => (await findOwner(db, patientGuids))?.organisation ?? null,
  };
}
