// Registration of patients, and their registry status (contract: identity, Patient; decisions I6 and I7). The
// personnummer is encrypted at rest; a keyed index makes it unique.

import { emailKey } from '#lib/auth/email.ts';
import type { PasswordHasher } from '#lib/auth/password-hasher.ts';
import type { Database, Queryable } from '#lib/db/database.ts';
import { type Issue, notFound, ServiceError, validationError } from '#lib/errors.ts';
import { newGuid } from '#lib/guid.ts';
import { passwordFieldIssues } from '#lib/passwords/policy.ts';
import { parsePersonnummer } from '#lib/personnummer.ts';
import { MissingKeyError } from '#lib/secrets/key-set.ts';
import { currentTenant } from '#lib/tenants/current-tenant.ts';
import type { WriteDependencies } from '#lib/write-dependencies.ts';
import type { Actor, Origin } from '../actor.ts';
import type { Organisations } from '../organisations/service.ts';
import type { PatientLinks } from '../patient-records/link-service.ts';
import { addressTaken, setEmail } from '../shared/account-store.ts';
import type { NumberCipher } from '../shared/ciphers.ts';
import {
  findRegistered,
  lockNumbers,
  type NumberIndex,
  numberIndex,
  readGenerations,
  shareLockGenerations,
} from '../shared/number-index.ts';
import type { PasswordRulesOf } from '../shared/password-rules.ts';
import type { Memberships } from '../tenants/service.ts';
import type { Users } from '../users/service.ts';
import { type Admission, createAdmission, numberTaken, type Patient } from './admission.ts';
import { KEY_MARK } from './reindex.ts';
import * as store from './store.ts';

export type { Patient, ShownPatient } from './admission.ts';
export { parsePersonnummer };

export interface RegistrationForm {
  readonly email: string;
  readonly password: string;
  readonly personnummer: string;
  readonly organisationGuid: string;
}

/** The fields that need checks beyond their schema; a field that is not a string is left to the schema. */
export interface UnvalidatedRegistration {
  readonly email?: unknown;
  readonly password?: unknown;
  readonly personnummer?: unknown;
  readonly organisation_guid?: unknown;
}

export interface Patients extends Admission {
  /** Whether patients register themselves. */
  readonly isRegistrationOpen: boolean;
  /** @throws ServiceError `forbidden` where patients do not register themselves */
  requireOpen(): void;
  issuesOf(fields: UnvalidatedRegistration): Promise<Issue[]>;
  /** @throws Error when personnummer are encrypted with another key */
  checkKey(): Promise<void>;
  /** @throws ServiceError `validation_error`, `not_found` (organisation), `conflict` (address or personnummer) */
  register(form: RegistrationForm, origin: Origin): Promise<Patient>;
  /** Reads the caller's own record. @throws ServiceError `not_found` */
  readOwn(actor: Actor): Promise<Patient>;
}

export interface PatientDeps extends WriteDependencies {
  readonly users: Users;
  readonly organisations: Organisations;
  readonly passwords: PasswordHasher;
  readonly passwordRules: PasswordRulesOf;
  readonly cipher: NumberCipher;
  readonly links: PatientLinks;
  readonly memberships: Pick<Memberships, 'join'>;
  /** Whether patients register themselves. */
  readonly isRegistrationOpen: boolean;
}

export function createPatients(deps: PatientDeps): Patients {
  const { database, cipher } = deps;
  return {
    ...createAdmission(deps),
    isRegistrationOpen: deps.isRegistrationOpen,
    requireOpen() {
      if (deps.isRegistrationOpen) return;
      throw new ServiceError('forbidden', 'Patients do not register themselves here: ask your care unit');
    },
    issuesOf: (fields) => issuesOf(deps, fields),
    checkKey: () => requirePersonnummerKey(database, cipher),
    register: (form, origin) => register(deps, form, origin),
    readOwn: (actor) => readOwn(deps, actor),
  };
}

async function issuesOf(deps: PatientDeps, fields: UnvalidatedRegistration): Promise<Issue[]> {
  const { password, personnummer } = fields;
  const number = typeof personnummer === 'string' ? parsePersonnummer(personnummer, deps.clock.now()) : undefined;
  const issues = typeof password === 'string' ? await passwordIssuesOf(deps, { ...fields, password, number }) : [];
  if (typeof personnummer !== 'string' || number !== undefined) return issues;
  const message = "'personnummer' must be a valid personal or coordination number of 10 or 12 digits";
  return [...issues, { field: 'personnummer', message }];
}

async function passwordIssuesOf(
  { organisations, passwordRules }: PatientDeps,
  form: UnvalidatedRegistration & { readonly password: string; readonly number: string | undefined },
): Promise<Issue[]> {
  const { password, email, number: personnummer, organisation_guid: guid } = form;
  const organisation = typeof guid === 'string' ? await organisations.find(guid) : null;
  const owner = {
    email: typeof email === 'string' ? email : undefined,
    personnummer,
    organisations: organisation === null ? [] : [organisation.name],
  };
  return passwordFieldIssues(
    'password',
    password,
    passwordRules({ userType: 'patient', hasSecondFactor: false, owner }),
  );
}

/** The personnummer in its canonical form. @throws ServiceError `validation_error` naming every error */
async function check(deps: PatientDeps, form: RegistrationForm): Promise<string> {
  const issues = await issuesOf(deps, { ...form, organisation_guid: form.organisationGuid });
  const personnummer = parsePersonnummer(form.personnummer, deps.clock.now());
  if (issues.length > 0 || personnummer === undefined) throw validationError(issues);
  return personnummer;
}

async function register(deps: PatientDeps, form: RegistrationForm, origin: Origin): Promise<Patient> {
  const { database, clock, audit, users, organisations, cipher, memberships } = deps;
  const personnummer = await check(deps, form);
  const { email, organisationGuid } = form;
  await organisations.require(database, organisationGuid);
  if (await users.isEmailTaken(database, email)) throw addressTaken('email');
  const claimed = await claim(deps, { email, password: form.password, personnummer }, origin);
  if (claimed !== undefined) return claimed;
  const passwordHash = await deps.passwords.hash(form.password);
  const patientGuid = newGuid(clock.now());
  const userGuid = await database.transaction(async (tx) => {
    const user = await users.createPatientUser(tx, { email, passwordHash });
    await memberships.join(tx, user.userGuid, currentTenant());
    const sealed = cipher.seal(personnummer, patientGuid);
    const index = numberIndex(cipher, await shareLockGenerations(tx), personnummer);
    await lockNumbers(tx, [index]);
    const patient = { userGuid: user.userGuid, patientGuid, organisationGuid, sealed, index };
    if (!(await store.insertPatient(tx, patient))) throw numberTaken();
    await deps.links.linkPatients(tx, [patientGuid], { principal: undefined, ...origin });
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

/**
 * Gives a patient who was registered as a child without an account (docs/adr/0157) the account that they register.
 * Undefined when nobody has the number.
 * @throws ServiceError `conflict` when somebody else has the number or the address
 */
async function claim(
  { database, clock, audit, passwords, cipher, memberships }: PatientDeps,
  {
    email,
    password,
    personnummer,
  }: { readonly email: string; readonly password: string; readonly personnummer: string },
  origin: Origin,
): Promise<Patient | undefined> {
  const generations = await readGenerations(database);
  const known = await findRegistered(database, cipher, { numbers: [personnummer], generations });
  if (known.size === 0) return undefined;
  const find = async (db: Queryable, index: NumberIndex) => {
    const found = await store.lockUnclaimed(db, index, new Date(clock.now()));
    if (found === null) throw numberTaken();
    return found;
  };
  // Before the password is hashed: a number that is taken costs no more than before.
  await find(database, numberIndex(cipher, generations, personnummer));
  const passwordHash = await passwords.hash(password);
  return database.transaction(async (tx) => {
    const index = numberIndex(cipher, await shareLockGenerations(tx), personnummer);
    await lockNumbers(tx, [index]);
    const found = await find(tx, index);
    const { user_guid: userGuid, patient_guid: patientGuid, organisation_guid: organisationGuid, registries } = found;
    await setEmail(tx, userGuid, { email, emailKey: emailKey(email) }, 'email');
    await store.setPassword(tx, userGuid, passwordHash);
    await memberships.join(tx, userGuid, currentTenant());
    const detail = 'an account for a patient registered as a child';
    const event = { action: 'U', event: 'patient.register', principal: undefined, detail } as const;
    await audit.record(tx, { ...event, patientGuid, subjectGuid: userGuid, ...origin });
    return { userGuid, patientGuid, organisationGuid, personnummer, registries };
  });
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
export async function requirePersonnummerKey(database: Database, cipher: NumberCipher): Promise<void> {
  const { generation } = await readGenerations(database);
  const mark = markUnder(cipher, generation);
  if (mark.equals(await store.storeKeyMark(database, mark))) return;
  // The index may have changed to its next key at this moment.
  if ((await readGenerations(database)).generation !== generation) return requirePersonnummerKey(database, cipher);
  throw new Error(
    'The key for personnummer is not the one that this database was made with; bring the right key file back',
  );
}

/** @throws Error that names the key */
function markUnder(cipher: NumberCipher, generation: number): Buffer {
  try {
    return cipher.indexWith(KEY_MARK, generation);
  } catch (error) {
    throw error instanceof MissingKeyError ? new Error(error.detail, { cause: error }) : error;
  }
}
