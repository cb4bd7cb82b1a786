// What the passwords of the engine's own users are held to (decision I2): the rules of every password, with what others
// may know of the user.
import { conflict, type Issue } from '#lib/errors.ts';
import type { Judge } from '#lib/http/fitness.ts';
import type { PasswordOwner } from '#lib/passwords/personal.ts';
import { isLongEnough, PASSWORD_MIN_LENGTH, passwordFieldIssues } from '#lib/passwords/policy.ts';

export interface PasswordSettings {
  /** In characters, where there is no second factor; the contract's least when left out. */
  readonly passwordLength?: number;
  /** Whether passwords of before that rule are held to it at a sign-in. */
  readonly renewsShortPasswords?: boolean;
  /** Where people reach the engine. */
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
  /** Whether a password that was right is too short to go on with, where no second factor stands beside it. */
  isOutgrown(password: string): boolean;
  /** For `fitnessHook` of a registration. */
  readonly ofRegistration: Judge;
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
      typeof password === 'string' ? issuesOf('password', password, { email: textOf(email), name: textOf(name) }) : [],
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
