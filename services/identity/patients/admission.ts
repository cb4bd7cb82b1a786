// Creates patients with an account for an SU admin, and reads the whole record of a patient (decisions I6, I13 and
// I15).

import type { Principal } from '#lib/auth/principal.ts';
import { conflict } from '#lib/errors.ts';
import { isGuid, newGuid } from '#lib/guid.ts';
import type { WriteDependencies } from '#lib/write-dependencies.ts';
import type { Actor } from '../actor.ts';
import type { PatientLinks } from '../patient-records/link-service.ts';
import type { NumberCipher } from '../shared/ciphers.ts';
import { lockNumbers, numberIndex, shareLockGenerations } from '../shared/number-index.ts';
import { readerNames } from '../shared/protected-patients.ts';
import type { AccountPassword } from '../temporary-password.ts';
import type { Users } from '../users/service.ts';
import * as store from './store.ts';

export interface Patient {
  readonly userGuid: string;
  readonly patientGuid: string;
  readonly organisationGuid: string;
  /** 12 digits. */
  readonly personnummer: string;
  readonly registries: readonly string[];
}

/** A patient with their account. */
interface PatientRecord extends Patient {
  /** Null for a child without an account of its own. */
  readonly email: string | null;
  readonly firstName: string | null;
  readonly lastName: string | null;
}

/** As a reader sees it: of a protected identity the organisation may be hidden (docs/adr/0090). */
export interface ShownPatient extends Omit<PatientRecord, 'organisationGuid'> {
  readonly organisationGuid: string | undefined;
}

export interface AdmissionForm extends AccountPassword, Omit<PatientRecord, 'userGuid' | 'patientGuid'> {}

export interface Admission {
  /** The organisation must exist. @throws ServiceError `conflict` (address or personnummer) */
  admit(actor: Actor, form: AdmissionForm): Promise<PatientRecord>;
  /** Null when there is none. The caller records the read in the audit log. */
  find(patientGuid: string, reader: Principal): Promise<ShownPatient | null>;
}

export interface AdmissionDeps extends WriteDependencies {
  readonly users: Users;
  readonly cipher: NumberCipher;
  readonly links: PatientLinks;
}

export function createAdmission({ database, clock, audit, users, cipher, links }: AdmissionDeps): Admission {
  return {
    admit(actor, form) {
      const { personnummer, organisationGuid, registries, ...account } = form;
      const patientGuid = newGuid(clock.now());
      return database.transaction(async (tx) => {
        const { userGuid } = await users.createPatientUser(tx, account);
        const sealed = cipher.seal(personnummer, patientGuid);
        const index = numberIndex(cipher, await shareLockGenerations(tx), personnummer);
        await lockNumbers(tx, [index]);
        const isNew = await store.insertPatient(tx, { userGuid, patientGuid, organisationGuid, sealed, index });
        if (!isNew) throw numberTaken();
        await links.linkPatients(tx, [patientGuid], actor);
        if (registries.length > 0) await store.replaceRegistries(tx, patientGuid, registries);
        await audit.record(tx, {
          action: 'C',
          event: 'patient.create',
          patientGuid,
          subjectGuid: userGuid,
          ...actor,
        });
        const { email, firstName, lastName } = form;
        return { userGuid, patientGuid, organisationGuid, personnummer, registries, email, firstName, lastName };
      });
    },
    async find(patientGuid, reader) {
      const row = isGuid(patientGuid) ? await store.readPatient(database, patientGuid, readerNames(reader)) : null;
      if (row === null) return null;
      return {
        userGuid: row.user_guid,
        patientGuid,
        organisationGuid: row.is_hidden && reader.patientGuid !== patientGuid ? undefined : row.organisation_guid,
        personnummer: cipher.open(row.personnummer_sealed, patientGuid),
        registries: row.registries,
        email: row.email,
        firstName: row.first_name,
        lastName: row.last_name,
      };
    },
  };
}

export function numberTaken() {
  return conflict('The personnummer is already registered', 'personnummer');
}
