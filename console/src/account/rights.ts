// What somebody is and may do, as keys of texts.
import type { Me } from '../shell/me.ts';

const KINDS = ['patient', 'doctor', 'nurse', 'other'] as const;
const PHASES = ['planning', 'execution', 'analysis', 'followup'] as const;

type Kind = (typeof KINDS)[number] | 'administrator';

export function kindsOf(me: Me): readonly Kind[] {
  const own = 'professional_role' in me ? me.professional_role : me.user_type;
  const kinds: Kind[] = KINDS.filter((kind) => kind === own);
  return me.is_su_admin ? [...kinds, 'administrator'] : kinds;
}

export function phasesOf(me: Me): readonly (typeof PHASES)[number][] {
  const phases: readonly string[] = 'effective_phases' in me ? (me.effective_phases ?? []) : [];
  return PHASES.filter((phase) => phases.includes(phase));
}

/** Whether somebody reads notifications of their own, as dispatch has it: patients, planners, staff of a provider. */
export function hasNotifications(me: Me): boolean {
  const staff = 'provider_staff' in me ? (me.provider_staff ?? []) : [];
  return me.user_type === 'patient' || me.is_su_admin || staff.length > 0 || phasesOf(me).includes('planning');
}
