// Staff look up a person by personnummer (decision L1): one call, recorded whether somebody is found or not, without
// the number. What the caller may not see is answered as what is not there.

import { notFound, validationError } from '#lib/errors.ts';
import { parsePersonnummer } from '#lib/personnummer.ts';
import type { WriteDependencies } from '#lib/write-dependencies.ts';
import type { Actor } from '../actor.ts';
import type { NumberCipher } from '../shared/ciphers.ts';
import { numberIndex, readGenerations } from '../shared/number-index.ts';
import { findPatientOf, findRecordsOf, type RecordKey } from './store.ts';

const LOOKUP = { action: 'E', event: 'patient.lookup', entities: ['Patient'] } as const;

export interface FoundPatient {
  /** The guid of the registered patient; where there is none, the id of the first record. */
  readonly patientGuid: string;
  readonly isRegistered: boolean;
  /** The Patients with the number that belong to the caller's organisations. */
  readonly records: readonly RecordKey[];
}

export interface PatientLookup {
  /** @throws ServiceError `validation_error`, `not_found` */
  find(actor: Actor, personnummer: string): Promise<FoundPatient>;
  /** Records that a caller without the right asked, and for which registered patient. */
  recordRefusal(actor: Actor, personnummer: string): Promise<void>;
}

export interface PatientLookupDeps extends WriteDependencies {
  readonly cipher: NumberCipher;
}

export function createPatientLookup({ database, clock, audit, cipher }: PatientLookupDeps): PatientLookup {
  async function indexesOf(number: string): Promise<Buffer[]> {
    const { index, next } = numberIndex(cipher, await readGenerations(database), number);
    return next === null ? [index] : [index, next];
  }

  async function read({ principal }: Actor, number: string): Promise<FoundPatient | undefined> {
    const indexes = await indexesOf(number);
    const organisations = principal.roles.has('admin') ? null : principal.organisationGuids;
    const [patient, records] = await Promise.all([
      findPatientOf(database, indexes),
      findRecordsOf(database, indexes, organisations),
    ]);
    // A privacy officer reads everybody's access log, whose organisation ever the record is (docs/adr/0150).
    const isOfficer = patient === null && records.length === 0 && principal.roles.has('privacy_officer');
    const [elsewhere] = isOfficer ? await findRecordsOf(database, indexes, null) : [];
    const patientGuid = patient?.patientGuid ?? records[0]?.recordId ?? elsewhere?.recordId;
    return patientGuid === undefined ? undefined : { patientGuid, isRegistered: patient !== null, records };
  }

  return {
    async find(actor, personnummer) {
      const number = parsePersonnummer(personnummer, clock.now());
      if (number === undefined) {
        const message = "'personnummer' must be a valid personal or coordination number of 10 or 12 digits";
        throw validationError([{ field: 'personnummer', message }]);
      }
      const found = await read(actor, number);
      const about = found === undefined ? { detail: 'nothing found' } : { patientGuid: found.patientGuid };
      await audit.recordRead({ ...LOOKUP, ...about, ...actor });
      if (found === undefined) throw notFound('Patient');
      return found;
    },
    async recordRefusal(actor, personnummer) {
      const number = parsePersonnummer(personnummer, clock.now());
      const patient = number === undefined ? null : await findPatientOf(database, await indexesOf(number));
      const about = patient === null ? {} : { patientGuid: patient.patientGuid };
      const refused = { outcome: 'failure', detail: 'refused: not for this caller' } as const;
      await audit.recordRead({ ...LOOKUP, ...refused, ...about, ...actor });
    },
  };
}
