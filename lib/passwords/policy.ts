// The rules of a new password, wherever one is set (decision I2; NIST SP 800-63B-4 §3.1.1): long enough, and not easily
// guessed. An error gives the reason and a remedy, in English for programs and in both languages for pages. No error
// holds the password.
import type { Issue } from '../errors.ts';
import { isCommon } from './common.ts';
import { isPattern } from './patterns.ts';
import { isPersonal, type PasswordOwner } from './personal.ts';
import { foldPassword, normalisePassword } from './text.ts';

/** In characters (Unicode code points): the contract's least, whatever is configured. */
export const PASSWORD_MIN_LENGTH = 8;
const PASSWORD_MAX_LENGTH = 256;

export interface PasswordRules {
  /** In characters; the contract's least when left out. */
  readonly minLength?: number;
  /** The owner of the password. */
  readonly owner?: PasswordOwner;
}

type PasswordWeakness = 'short' | 'long' | 'common' | 'pattern' | 'personal';

interface WeaknessTexts {
  /** Follows the name of the field. */
  readonly message: string;
  readonly sv: string;
  readonly en: string;
}

const ADVICE = 'several words that do not belong together make a good one';
const ADVICE_SV = 'Flera ord som inte hör ihop blir ett bra lösenord.';
const ADVICE_EN = 'Several words that do not belong together make a good one.';

const TEXTS: Readonly<Record<Exclude<PasswordWeakness, 'short'>, WeaknessTexts>> = {
  long: {
    message: `must have at most ${PASSWORD_MAX_LENGTH} characters`,
    sv: `Lösenordet får ha högst ${PASSWORD_MAX_LENGTH} tecken.`,
    en: `The password may have at most ${PASSWORD_MAX_LENGTH} characters.`,
  },
  common: {
    message: `must not be one of the common passwords, nor one with digits or signs around it: ${ADVICE}`,
    sv: `Lösenordet är för vanligt, även med siffror eller tecken omkring. ${ADVICE_SV}`,
    en: `The password is too common, also with digits or signs around it. ${ADVICE_EN}`,
  },
  pattern: {
    message: `must not be a plain sequence or repetition: ${ADVICE}`,
    sv: `Lösenordet är en enkel följd eller upprepning. ${ADVICE_SV}`,
    en: `The password is a plain sequence or repetition. ${ADVICE_EN}`,
  },
  personal: {
    message: `must not be made of a name, address or number of the account, its organisation or this service: ${ADVICE}`,
    sv: `Lösenordet består av namn, adress eller nummer som hör till dig, din organisation eller tjänsten. ${ADVICE_SV}`,
    en: `The password is made of a name, address or number of yours, your organisation or this service. ${ADVICE_EN}`,
  },
};

/** Everything that is wrong with a password, as texts to follow its name (`must …`). */
export function passwordIssues(password: string, rules: PasswordRules = {}): string[] {
  return textsOf(password, rules).map(({ message }) => message);
}

/** The same as errors of the field of a body. */
export function passwordFieldIssues(field: string, password: string, rules: PasswordRules = {}): Issue[] {
  return textsOf(password, rules).map(({ message, sv, en }) => ({
    field,
    message: `'${field}' ${message}`,
    texts: { sv, en },
  }));
}

/**
 * Checks one password, given to many people, against the personal data of each. The function returns the error, which
 * follows the name of the password (`must …`), or undefined. The other rules are checked elsewhere.
 */
export function ownerCheck(password: string): (owner: PasswordOwner) => string | undefined {
  const folded = foldPassword(password);
  return (owner) => (isPersonal(folded, owner) ? TEXTS.personal.message : undefined);
}

/** Whether a password, which may be from before the rules, has the length that they ask for. */
export function isLongEnough(password: string, { minLength = PASSWORD_MIN_LENGTH }: PasswordRules): boolean {
  return [...normalisePassword(password)].length >= minLength;
}

function textsOf(typed: string, { minLength = PASSWORD_MIN_LENGTH, owner = {} }: PasswordRules): WeaknessTexts[] {
  const weakness = weaknessOf(typed, minLength, owner);
  if (weakness === undefined) return [];
  return [weakness === 'short' ? shortTexts(minLength) : TEXTS[weakness]];
}

function weaknessOf(typed: string, minLength: number, owner: PasswordOwner): PasswordWeakness | undefined {
  if (!isLongEnough(typed, { minLength })) return 'short';
  if ([...normalisePassword(typed)].length > PASSWORD_MAX_LENGTH) return 'long';
  const folded = foldPassword(typed);
  // Only signs, spaces and invisible characters.
  if (folded === '' || isPattern(folded)) return 'pattern';
  if (isPersonal(folded, owner)) return 'personal';
  return isCommon(folded) ? 'common' : undefined;
}

function shortTexts(minLength: number): WeaknessTexts {
  return {
    message: `must have at least ${minLength} characters`,
    sv: `Lösenordet måste ha minst ${minLength} tecken.`,
    en: `The password must have at least ${minLength} characters.`,
  };
}
