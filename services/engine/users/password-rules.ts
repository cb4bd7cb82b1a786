// What the passwords of the engine's own users are held to (decision I2): the rules of every password, with what others may know of
// the user.
import { conflict, type Fault } from '#lib/errors.ts';
import type { Judge } from '#lib/http/fitness.ts';
import type { PasswordOwner } from '#lib/passwords/personal.ts';
import { isLongEnough, PASSWORD_MIN_LENGTH, passwordFieldFaults } from '#lib/passwords/policy.ts';

export interface PasswordSettings {
  /** In characters, where there is no second factor; the contract's least when left out. */
  readonly passwordLength?: number;
  /** Where people reach the engine. */
  readonly baseUrl: string;
}

export interface PasswordUser {
  readonly email?: string | undefined;
  readonly name?: string | undefined;
  readonly hasSecondFactor?: boolean;
}

export interface UserPasswordRules {
  faultsOf(field: string, password: string, user: PasswordUser): Fault[];
  /** @throws ServiceError `conflict` for a password that is too short to stand alone */
  requireLength(password: string): void;
  /** For `fitnessHook` of a registration. */
  readonly ofRegistration: Judge;
}

export function createUserPasswordRules({ passwordLength, baseUrl }: PasswordSettings): UserPasswordRules {
  function faultsOf(field: string, password: string, { email, name, hasSecondFactor = false }: PasswordUser): Fault[] {
    const owner: PasswordOwner = { email, names: [name ?? null], siteUrl: baseUrl };
    const minLength = hasSecondFactor ? PASSWORD_MIN_LENGTH : (passwordLength ?? PASSWORD_MIN_LENGTH);
    return passwordFieldFaults(field, password, { minLength, owner });
  }
  return {
    faultsOf,
    requireLength(password) {
      if (passwordLength === undefined || isLongEnough(password, { minLength: passwordLength })) return;
      const length = `at least ${passwordLength} characters`;
      throw conflict(`Without a second factor the password must have ${length}: choose a longer one first`);
    },
    ofRegistration: ({ email, name, password }) =>
      typeof password === 'string' ? faultsOf('password', password, { email: textOf(email), name: textOf(name) }) : [],
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
