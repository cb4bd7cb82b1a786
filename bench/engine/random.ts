// Ids and pseudo-random values of the generated resources: both follow from numbers, so that every run has the same.

export const FIRST_DAY = Date.UTC(2020, 0, 1);

const KINDS = {
  patient: 0,
  observation: 1,
  plan: 2,
  request: 3,
  practitioner: 4,
  organisation: 5,
  location: 6,
} as const;
export type Kind = keyof typeof KINDS;

/** A number from 0 to 1 that only its arguments decide. */
export function chance(index: number, salt: number): number {
  let hash = Math.imul(index + 1, 0x9e3779b1) ^ Math.imul(salt + 1, 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  hash = Math.imul(hash ^ (hash >>> 12), 0x297a2d39);
  return ((hash ^ (hash >>> 15)) >>> 0) / 0x1_0000_0000;
}

export function pick<T>(list: readonly T[], index: number, salt: number): T {
  const found = list[Math.floor(chance(index, salt) * list.length)];
  if (found === undefined) throw new Error('Nothing to pick from');
  return found;
}

/** The guid of a made-up resource by its kind and number. */
export function guidOf(kind: Kind, index: number): string {
  return `019a0000-000${KINDS[kind]}-7000-8000-${index.toString(16).padStart(12, '0')}`;
}
