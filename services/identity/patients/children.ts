// Children without an account of their own (docs/adr/0157). An administrator registers them, so that guardians act for
// them and their records are one. Nobody signs in as the child until it registers itself.
import { randomUUID } from 'node:crypto';
import type { PasswordHasher } from '#lib/auth/password-hasher.ts';
import { ServiceError, validationError } from '#lib/errors.ts';
import { newGuid } from '#lib/guid.ts';
import { parsePersonnummer } from '#lib/personnummer.ts';
import type { WriteDependencies } from '#lib/write-dependencies.ts';
import type { Actor } from '../actor.ts';
import type { Organisations } from '../organisations/service.ts';
import type { PatientLinks } from '../patient-records/link-service.ts';
import { CHILD_UNTIL, startOfAge } from '../proxies/age.ts';
import type { NumberCipher } from '../shared/ciphers.ts';
import { lockNumbers, numberIndex, shareLockGenerations } from '../shared/number-index.ts';
import type { Users } from '../users/service.ts';
import { numberTaken } from './admission.ts';
import * as store from './store.ts';

export interface ChildForm {
  readonly personnummer: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly organisationGuid: string;
}

export interface RegisteredChild extends ChildForm {
  readonly userGuid: string;
  readonly patientGuid: string;
}

export interface Children {
  /**
   * Registers the child, and links its records.
   * @throws ServiceError `validation_error`, `not_found` (organisation), `unprocessable` for one who is not under 13,
   *   `conflict` for a number that is registered
   */
  register(actor: Actor, form: ChildForm): Promise<RegisteredChild>;
  /** Whether the text is the number of somebody under 13. */
  isChild(personnummer: string): boolean;
}

export interface ChildrenDeps extends WriteDependencies {
  readonly users: Pick<Users, 'createPatientUser'>;
  readonly organisations: Pick<Organisations, 'require'>;
  readonly passwords: PasswordHasher;
  readonly cipher: NumberCipher;
  readonly links: PatientLinks;
}

export function createChildren(deps: ChildrenDeps): Children {
  const { database, clock, audit, users, organisations, passwords, cipher, links } = deps;
  return {
    isChild(personnummer) {
      const number = parsePersonnummer(personnummer, clock.now());
      return number !== undefined && startOfAge(number, CHILD_UNTIL) > clock.now();
    },
    async register(actor, form) {
      const { organisationGuid } = form;
      const personnummer = requireChild(form.personnummer, clock.now());
      const names = { firstName: form.firstName.trim(), lastName: form.lastName.trim() };
      await organisations.require(database, organisationGuid);
      // Nobody knows it, so nobody signs in by it; no sign-in takes another time than before.
      const passwordHash = await passwords.hash(`${randomUUID()}${randomUUID()}`);
      const patientGuid = newGuid(clock.now());
      return database.transaction(async (tx) => {
        const { userGuid } = await users.createPatientUser(tx, { email: null, passwordHash, ...names });
        const sealed = cipher.seal(personnummer, patientGuid);
        const index = numberIndex(cipher, await shareLockGenerations(tx), personnummer);
        await lockNumbers(tx, [index]);
        if (!(await store.insertPatient(tx, { userGuid, patientGuid, organisationGuid, sealed, index })))
          throw numberTaken();
        await links.linkPatients(tx, [patientGuid], actor);
        const event = { action: 'C', event: 'patient.create', detail: 'a child without an account' } as const;
        await audit.record(tx, { ...event, patientGuid, subjectGuid: userGuid, ...actor });
        return { userGuid, patientGuid, organisationGuid, personnummer, ...names };
      });
    },
  };
}

/** The number in its canonical form. @throws ServiceError `validation_error`, `unprocessable` */
function requireChild(given: string, now: number): string {
  const number = parsePersonnummer(given, now);
  const field = 'personnummer';
  if (number === undefined) {
    const message = "'personnummer' must be a valid personal or coordination number of 10 or 12 digits";
    throw validationError([{ field, message }]);
  }
  if (startOfAge(number, CHILD_UNTIL) > now) return number;
  const message = `Who is ${CHILD_UNTIL} or older has an account of their own`;
  throw new ServiceError('unprocessable', message, { issues: [{ field, message }] });
}
