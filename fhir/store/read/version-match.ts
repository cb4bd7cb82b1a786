// Evaluates If-Match and If-None-Match against the current version of a resource (RFC 9110 §13.1.1, §13.1.2).
import { ServiceError } from '#lib/errors.ts';
import type { StoredVersion } from './stored-version.ts';

/** `any`: whatever is there. */
export type VersionMatch = 'any' | readonly number[];

/** Under which conditions a resource may be changed. */
export interface ChangeConditions {
  /** The versions that may be replaced; without it all. */
  readonly ifMatch?: VersionMatch;
  /** The versions that may not be replaced. */
  readonly ifNoneMatch?: VersionMatch;
}

/** Whether the version is one of those meant. The mark of a deletion is one only by its number. */
export function isMeant(match: VersionMatch, current: Pick<StoredVersion, 'version' | 'isDeleted'>): boolean {
  return match === 'any' ? !current.isDeleted : match.includes(current.version);
}

/** @throws ServiceError `precondition_failed` when the current version (undefined: there is none) may not be changed */
export function requireConditions(
  { ifMatch, ifNoneMatch }: ChangeConditions,
  current: StoredVersion | undefined,
): void {
  if (ifMatch !== undefined && (current === undefined || !isMeant(ifMatch, current))) {
    const found = current === undefined || current.isDeleted ? 'there is none' : `it is ${current.version}`;
    throw new ServiceError('precondition_failed', `If-Match asks for ${named(ifMatch)}, but ${found}`);
  }
  if (ifNoneMatch === undefined || current === undefined || current.isDeleted || !isMeant(ifNoneMatch, current)) return;
  const address = `${current.resourceType}/${current.id}`;
  throw new ServiceError('precondition_failed', `${address} exists already, as version ${current.version}`);
}

function named(match: VersionMatch): string {
  if (match === 'any') return 'one that is there';
  if (match.length === 0) return 'a version that this server never gave';
  return match.length === 1 ? `version ${match[0]}` : `one of the versions ${match.join(', ')}`;
}
