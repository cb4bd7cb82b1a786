// What somebody may do in the planner's face. Who plans may do all of it. Who analyses or follows up reads it: plans
// and requests, and with the phase of analysis the results (decision G12; docs/reference/console.md).
import type { Access } from '../shell/face.ts';
import { useMe } from '../shell/me.ts';

/** What the palette knows of who asks is enough. */
interface Planner {
  readonly effective_phases?: readonly string[] | undefined;
  readonly is_su_admin?: boolean | undefined;
}

export function mayPlan({ effective_phases: phases = [], is_su_admin: isAdministrator }: Planner): boolean {
  return phases.includes('planning') || isAdministrator === true;
}

/** Whether measured values and answers to forms may be read. */
function mayReadResults(me: Access): boolean {
  return mayPlan(me) || has(me, 'analysis');
}

/** Whether a patient may be looked up by personal number (decision L1). */
function mayLookUp(me: Access): boolean {
  return mayPlan(me) || has(me, 'execution');
}

export function isFollower(me: Access): boolean {
  return has(me, 'analysis') || has(me, 'followup');
}

/** Whether following up is all that somebody does here. */
export function onlyFollows(me: Access): boolean {
  const { provider_staff: staff = [], groups = [], is_privacy_officer: isOfficer } = me;
  const hasOther = staff.length > 0 || isOfficer === true || groups.some(({ is_admin: isLeader }) => isLeader);
  return isFollower(me) && !mayPlan(me) && !hasOther;
}

export interface Rights {
  readonly mayPlan: boolean;
  readonly mayReadResults: boolean;
  readonly mayLookUp: boolean;
}

const NONE: Rights = { mayPlan: false, mayReadResults: false, mayLookUp: false };

/** Nothing until it is known who is signed in. */
export function useRights(): Rights {
  const me: Access | undefined = useMe().data;
  if (me === undefined) return NONE;
  return { mayPlan: mayPlan(me), mayReadResults: mayReadResults(me), mayLookUp: mayLookUp(me) };
}

function has({ effective_phases: phases = [] }: Access, phase: string): boolean {
  return phases.includes(phase);
}
