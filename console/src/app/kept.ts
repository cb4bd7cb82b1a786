// What a tab keeps of the person who works in it: what is typed and not sent, and the keys under which it was sent.
// Neither a reload nor a sign-in loses it. It ends with the tab, when its person signs out, and when another one
// signs in.

import { serverPlace } from '../place.ts';

type TabStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

const PREFIX = 'kedja-';
const OWNER = `${PREFIX}owner`;
/** Kept, and nothing that anybody has typed. */
const NOT_TYPED = [OWNER, `${PREFIX}acting-for`];
const SENT = `${PREFIX}sent-`;

/** Written by this code alone; undefined where nothing is kept. */
export function readKept(name: string): string | undefined {
  if (serverPlace() !== undefined) return undefined;
  return sessionStorage.getItem(`${PREFIX}${name}`) ?? undefined;
}

/**
 * Whether there was room for it: browsers limit what a tab keeps to some 5 MB. An older text is not left in the place
 * of one that is too large.
 */
export function keep(name: string, text: string, storage: TabStorage = sessionStorage): boolean {
  try {
    storage.setItem(`${PREFIX}${name}`, text);
    return true;
  } catch {
    storage.removeItem(`${PREFIX}${name}`);
    return false;
  }
}

export function dropKept(name: string): void {
  sessionStorage.removeItem(`${PREFIX}${name}`);
}

/** The names of what is kept that begin so; none where nothing is kept. */
export function keptNames(prefix: string): string[] {
  if (serverPlace() !== undefined) return [];
  const whole = `${PREFIX}${prefix}`;
  return ownNames()
    .filter((name) => name.startsWith(whole))
    .map((name) => name.slice(PREFIX.length));
}

/** Whether something is typed and not sent. */
export function isAnythingKept(): boolean {
  return ownNames().some((name) => !NOT_TYPED.includes(name) && !name.startsWith(SENT));
}

export function dropAllKept(): void {
  for (const name of ownNames()) sessionStorage.removeItem(name);
}

/** Whose tab it is, as of the last start; undefined before the first. */
export function readOwner(): string | undefined {
  return sessionStorage.getItem(OWNER) ?? undefined;
}

export function keepOwner(userGuid: string): void {
  sessionStorage.setItem(OWNER, userGuid);
}

function ownNames(): string[] {
  return Object.keys(sessionStorage).filter((name) => name.startsWith(PREFIX));
}
