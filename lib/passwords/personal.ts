// Detects passwords made of personal data of the owner (NIST SP 800-63B-4 §3.1.1.2): names, address,
// personnummer, organisation, and the name of this service.
import { isCommon } from './common.ts';
import { isPattern } from './patterns.ts';
import { compact, foldPassword, withLetters } from './text.ts';

/** The personal data of the owner of a password, as far as it is known. */
export interface PasswordOwner {
  readonly email?: string | undefined;
  readonly names?: readonly (string | null)[];
  /** Twelve digits. */
  readonly personnummer?: string | undefined;
  /** The names of the owner's organisations. */
  readonly organisations?: readonly string[];
  /** The address of the deployment, whose host names it. */
  readonly siteUrl?: string | undefined;
}

const PRODUCT = ['kedja'];
const SHORTEST_NAME = 3;
/** Shorter parts of hosts and of organisations' names are ignored: `www`, `org`, `AB`. */
const SHORTEST_PART = 4;
/** The rest beside the owner's words must be longer than this. */
const SHORTEST_REST = 5;
const MANY_DIGITS = 8;

/** Whether hardly anything is left of a folded password without the words of its owner and of the service. */
export function isPersonal(folded: string, owner: PasswordOwner): boolean {
  const words = wordsOf(owner);
  return [compact(folded), compact(withLetters(folded))].some((text) => {
    const rest = words.reduce((left, word) => left.replaceAll(word, ''), text);
    return rest !== text && isTrivial(rest);
  });
}

function isTrivial(rest: string): boolean {
  if (rest.length < SHORTEST_REST || isPattern(rest) || isCommon(rest)) return true;
  return /^\p{N}+$/u.test(rest) && rest.length <= MANY_DIGITS;
}

/** The longest first, so that no part of a word hides the rest of it. */
function wordsOf({ email = '', names = [], personnummer = '', organisations = [], siteUrl }: PasswordOwner): string[] {
  const words = [
    ...PRODUCT,
    ...wordsOfEmail(email),
    ...names.flatMap((name) => wordsOfName(name ?? '', SHORTEST_NAME)),
    ...wordsOfNumber(personnummer),
    ...organisations.flatMap((name) => wordsOfName(name, SHORTEST_PART)),
    ...wordsOfSite(siteUrl),
  ];
  return [...new Set(words.map((word) => compact(foldPassword(word))))]
    .filter((word) => word.length >= SHORTEST_NAME)
    .sort((one, other) => other.length - one.length);
}

function wordsOfEmail(email: string): string[] {
  const [local = '', domain = ''] = email.split('@');
  return [email, local, domain, ...local.split(/[^\p{L}\p{N}]+/u), ...partsOf(domain)];
}

function wordsOfName(name: string, shortest: number): string[] {
  return [name, ...name.split(/[^\p{L}\p{N}]+/u).filter((part) => part.length >= shortest)];
}

function partsOf(host: string): string[] {
  return host.split(/[.-]/).filter((part) => part.length >= SHORTEST_PART);
}

/** With and without the century, the day of birth, and the four last digits with it in the other order. */
function wordsOfNumber(number: string): string[] {
  const digits = number.replace(/\D/g, '');
  if (digits.length < 12) return [];
  return [digits, digits.slice(2), digits.slice(0, 8), digits.slice(2, 8), digits.slice(0, 4) + digits.slice(8)];
}

function wordsOfSite(siteUrl: string | undefined): string[] {
  if (siteUrl === undefined || !URL.canParse(siteUrl)) return [];
  const { hostname } = new URL(siteUrl);
  return /^[\d.]+$|:/.test(hostname) ? [] : [hostname, ...partsOf(hostname)];
}
