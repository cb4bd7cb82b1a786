// The password rules of the engine's own users (decision I2): the rules of every password, and no words from the user's
// own data.

import { textIn } from '#fhir/json/members.ts';
import { conflict, type Issue } from '#lib/errors.ts';
import type { BodyCheck } from '#lib/http/body-check.ts';
import type { PasswordOwner } from '#lib/passwords/personal.ts';
import { isLongEnough, PASSWORD_MIN_LENGTH, passwordFieldIssues } from '#lib/passwords/policy.ts';

export interface PasswordSettings {
  /** The least length in characters without a second factor; the contract's minimum when left out. */
  readonly passwordLength?: number;
  /** Whether older passwords must follow that rule at sign-in. */
  readonly renewsShortPasswords?: boolean;
  /** The public URL of the engine. */
  readonly baseUrl: string;
}

export interface PasswordUser {
  readonly email?: string | undefined;
  readonly name?: string | undefined;
  readonly hasSecondFactor?: boolean;
}

export interface UserPasswordRules {
  issuesOf(field: string, password: string, user: PasswordUser): Issue[];
  /** @throws ServiceError `conflict` for a password that is too short to stand alone */
  requireLength(password: string): void;
  /** Whether a correct password is too short to keep without a second factor. */
  isOutgrown(password: string): boolean;
  /** Returns the issues of a registration. */
  readonly ofRegistration: BodyCheck;
}

export function createUserPasswordRules(settings: PasswordSettings): UserPasswordRules {
  const { passwordLength, renewsShortPasswords = false, baseUrl } = settings;
  function issuesOf(field: string, password: string, { email, name, hasSecondFactor = false }: PasswordUser): Issue[] {
    const owner: PasswordOwner = { email, names: [name ?? null], siteUrl: baseUrl };
    const minLength = hasSecondFactor ? PASSWORD_MIN_LENGTH : (passwordLength ?? PASSWORD_MIN_LENGTH);
    return passwordFieldIssues(field, password, { minLength, owner });
  }
  return {
    issuesOf,
    requireLength(password) {
      if (passwordLength === undefined || isLongEnough(password, { minLength: passwordLength })) return;
      const length = `at least ${passwordLength} characters`;
      throw conflict(`Without a second factor the password must have ${length}: choose a longer one first`);
    },
    isOutgrown: (password) =>
      renewsShortPasswords && passwordLength !== undefined && !isLongEnough(password, { minLength: passwordLength }),
    ofRegistration: ({ email, name, password }) =>
      typeof password === 'string' ? issuesOf('password', password, { email: textIn(email), name: textIn(name) }) : [],
  };
}
