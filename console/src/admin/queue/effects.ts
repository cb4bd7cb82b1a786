// What an approval brings about, before it is made.
import { instantOf } from '../../i18n/instant.ts';
import type { Entry } from './queries.ts';

type Asked = Pick<Entry, 'kind' | 'requested_phases'>;

export interface Effects {
  /** Accounts that are made. */
  readonly users: number;
  /** Memberships in phases that the new accounts begin with. */
  readonly phases: number;
  /** People who become members of a group that they asked to join. */
  readonly members: number;
  /** People who become leaders of a group that there is. */
  readonly leaders: number;
  /** Groups that are made, each with its proposer as leader. */
  readonly groups: number;
}

export const EFFECTS = ['users', 'phases', 'members', 'leaders', 'groups'] as const satisfies (keyof Effects)[];

export function effectsOf(entries: readonly Asked[]): Effects {
  const count = (kind: Entry['kind']) => entries.filter((entry) => entry.kind === kind).length;
  const phases = entries.reduce((sum, { kind, requested_phases: wanted }) => {
    return kind === 'access_request' ? sum + wanted.length : sum;
  }, 0);
  return {
    users: count('access_request'),
    phases,
    members: count('membership'),
    leaders: count('leader_request'),
    groups: count('group_proposal'),
  };
}

/** Whole days. */
export function daysSince(moment: string, now: number): number {
  return Math.max(0, Math.floor((now - instantOf(moment).getTime()) / 86_400_000));
}
