// Patients register themselves and read their registry status (contract: identity, Patient; decisions I6 and I7). The personnummer
// is encrypted at rest and unique by a keyed index.
import type { Audit } from '#lib/audit/audit.ts';
import type { PasswordHasher } from '#lib/auth/password-hasher.ts';
import type { Clock } from '#lib/clock.ts';
import type { FieldCipher } from '#lib/crypto/field-cipher.ts';
import type { Database } from '#lib/db/database.ts';
import { conflict, type Fault, notFound, validationError } from '#lib/errors.ts';
import { newGuid } from '#lib/guid.ts';
import type { Actor, Origin } from '../actor.ts';
import type { Organisations } from '../organisations/service.ts';
import { passwordFieldFaults } from '../text.ts';
import type { Users } from '../users/service.ts';
import { type Admission, createAdmission, numberTaken, type Patient } from './admission.ts';
import { parsePersonnummer } from './personnummer.ts';
import * as store from './store.ts';

export type { Patient, PatientRecord } from './admission.ts';
export { parsePersonnummer };

export interface RegistrationForm {
  readonly email: string;
  readonly password: string;
  readonly personnummer: string;
  readonly organisationGuid: string;
}

/** What no schema can tell of a registration; a field that is no text is left to the schema. */
export interface UnjudgedRegistration {
  readonly password?: unknown;
  readonly personnummer?: unknown;
}

export interface Patients extends Admission {
  faultsOf(fields: UnjudgedRegistration): Fault[];
  /** @throws Error when personnummer are encrypted with another key */
  checkKey(): Promise<void>;
  /** @throws ServiceError `validation_error`, `not_found` (organisation), `conflict` (address or personnummer) */
  register(form: RegistrationForm, origin: Origin): Promise<Patient>;
  /** The caller's own record. @throws ServiceError `not_found` */
  readOwn(actor: Actor): Promise<Patient>;
}

export interface PatientDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly audit: Audit;
  readonly users: Users;
  readonly organisations: Organisations;
  readonly passwords: PasswordHasher;
  readonly cipher: FieldCipher;
}

export function createPatients(deps: PatientDeps): Patients {
  const { database, clock, cipher } = deps;
  return {
    ...createAdmission(deps),
    faultsOf: (fields) => faultsOf(fields, clock.now()),
    checkKey: () => requirePersonnummerKey(database, cipher),
    register: (form, origin) => register(deps, form, origin),
    readOwn: (actor) => readOwn(deps, actor),
  };
}

function faultsOf({ password, personnummer }: UnjudgedRegistration, now: number): Fault[] {
  const faults: Fault[] = typeof password === 'string' ? passwordFieldFaults(password) : [];
  if (typeof personnummer !== 'string' || parsePersonnummer(personnummer, now) !== undefined) return faults;
  const message = "'personnummer' must be a valid personal or coordination number of 10 or 12 digits";
  return [...faults, { field: 'personnummer', message }];
}

/** The personnummer in its one form. @throws ServiceError `validation_error` naming every fault */
function check(form: RegistrationForm, now: number): string {
  const faults = faultsOf(form, now);
  const personnummer = parsePersonnummer(form.personnummer, now);
  if (faults.length > 0 || personnummer === undefined) throw validationError(faults);
  return personnummer;
}

async function register(deps: PatientDeps, form: RegistrationForm, origin: Origin): Promise<Patient> {
  const { database, clock, audit, users, organisations, cipher } = deps;
  const personnummer = check(form, clock.now());
  const index = cipher.index(personnummer);
  const { email, organisationGuid } = form;
  await organisations.require(database, organisationGuid);
  if (await users.isEmailTaken(database, email)) throw conflict('The e-mail address is already registered', 'email');
  if (await store.isNumberTaken(database, index)) throw numberTaken();
  const passwordHash = await deps.passwords.hash(form.password);
  const patientGuid = newGuid(clock.now());
  const userGuid = await database.transaction(async (tx) => {
    const user = await users.createPatientUser(tx, { email, passwordHash });
    const sealed = cipher.seal(personnummer, patientGuid);
    const patient = { userGuid: user.userGuid, patientGuid, organisationGuid, sealed, index };
    if (!(await store.insertPatient(tx, patient))) throw numberTaken();
    await audit.record(tx, {
      action: 'C',
      event: 'patient.register',
      principal: undefined,
      patientGuid,
      subjectGuid: user.userGuid,
      ...origin,
    });
    return user.userGuid;
  });
  return { userGuid, patientGuid, organisationGuid, personnummer, registries: [] };
}

async function readOwn({ database, audit, cipher }: PatientDeps, actor: Actor): Promise<Patient> {
  const row = await store.readPatientOfUser(database, actor.principal.id);
  if (row === null) throw notFound('Patient');
  const { user_guid: userGuid, patient_guid: patientGuid, organisation_guid: organisationGuid, registries } = row;
  await audit.recordRead({
    action: 'R',
    event: 'registry-status.read',
    patientGuid,
    subjectGuid: userGuid,
    ...actor,
  });
  const personnummer = cipher.open(row.personnummer_sealed, patientGuid);
  return { userGuid, patientGuid, organisationGuid, personnummer, registries };
}

/** @throws Error when the personnummer in the database are encrypted with another key */
export async function requirePersonnummerKey(database: Database, cipher: FieldCipher): Promise<void> {
  const mark = cipher.index('key mark');
  if (mark.equals(await store.keepKeyMark(database, mark))) return;
  throw new Error(
    'The key for personnummer is not the one that this database was made with; bring the right key file back',
  );
}
