// Children without an account of their own (docs/adr/0157). An administrator registers them, so that guardians act for
// them and their records are one. Nobody signs in as the child until it registers itself.
import { randomUUID } from 'node:crypto';
import { CHILD_UNTIL, startOfAge } from '#lib/age.ts';
import type { PasswordHasher } from '#lib/auth/password-hasher.ts';
import type { Clock } from '#lib/clock.ts';
import type { Database } from '#lib/db/database.ts';
import { ServiceError, validationError } from '#lib/errors.ts';
import { parsePersonnummer } from '#lib/personnummer.ts';
import type { Actor } from '../actor.ts';
import type { Organisations } from '../organisations/service.ts';
import type { Patients } from '../patients/service.ts';

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

export interface ChildrenDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly patients: Pick<Patients, 'admit'>;
  readonly organisations: Pick<Organisations, 'require'>;
  readonly passwords: PasswordHasher;
}

export function createChildren({ database, clock, patients, organisations, passwords }: ChildrenDeps): Children {
  const isChild = (number: string) => startOfAge(number, CHILD_UNTIL) > clock.now();

  /** The number in its canonical form. @throws ServiceError `validation_error`, `unprocessable` */
  function requireChild(given: string): string {
    const number = parsePersonnummer(given, clock.now());
    const field = 'personnummer';
    if (number === undefined) {
      const message = "'personnummer' must be a valid personal or coordination number of 10 or 12 digits";
      throw validationError([{ field, message }]);
    }
    if (isChild(number)) return number;
    const message = `Who is ${CHILD_UNTIL} or older has an account of their own`;
    throw new ServiceError('unprocessable', message, { issues: [{ field, message }] });
  }

  return {
    isChild(personnummer) {
      const number = parsePersonnummer(personnummer, clock.now());
      return number !== undefined && isChild(number);
    },
    async register(actor, form) {
      const { organisationGuid } = form;
      const personnummer = requireChild(form.personnummer);
      const names = { firstName: form.firstName.trim(), lastName: form.lastName.trim() };
      await organisations.require(database, organisationGuid);
      // Nobody knows it, so nobody signs in by it; no sign-in takes another time than before.
      const passwordHash = await passwords.hash(`${randomUUID()}${randomUUID()}`);
      const child = { email: null, passwordHash, personnummer, organisationGuid, registries: [], ...names };
      const { userGuid, patientGuid } = await patients.admit(actor, child);
      return { userGuid, patientGuid, organisationGuid, personnummer, ...names };
    },
  };
}
