// What of a user has been changed: only that is sent, so that what somebody else changes meanwhile stays.
import type { IdentityShapes } from '../../api/shapes.ts';
import type { User } from './queries.ts';

export const PHASES = ['planning', 'execution', 'analysis', 'followup'] as const;
export const ROLES = ['doctor', 'nurse', 'other'] as const;
type Role = (typeof ROLES)[number];

export interface UserForm {
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly role: Role;
  readonly isOfficer: boolean;
  readonly organisations: readonly IdentityShapes['NamedOrganisation'][];
  readonly phases: readonly string[];
}

export type UserChange = IdentityShapes['UserChange'];

type Source = Pick<User, 'email' | 'first_name' | 'last_name' | 'organisations' | 'professional'>;

export function formOf({ email, first_name: first, last_name: last, organisations, professional }: Source): UserForm {
  const memberships = professional?.memberships ?? [];
  const phases = memberships.filter(({ group_type: type, status }) => type === 'phase' && status === 'approved');
  return {
    email: email ?? '',
    firstName: first ?? '',
    lastName: last ?? '',
    role: professional?.professional_role ?? 'other',
    isOfficer: professional?.is_privacy_officer === true,
    organisations,
    phases: phases.map(({ group_name: name }) => name),
  };
}

/** Empty when nothing differs. */
export function changeOf(before: UserForm, after: UserForm): UserChange {
  const guidsOf = ({ organisations }: UserForm) => organisations.map(({ organisation_guid: guid }) => guid);
  const differs = (a: readonly string[], b: readonly string[]) => a.toSorted().join() !== b.toSorted().join();
  return {
    ...(after.email.trim() === before.email ? {} : { email: after.email.trim() }),
    ...(after.firstName.trim() === before.firstName ? {} : { first_name: after.firstName.trim() }),
    ...(after.lastName.trim() === before.lastName ? {} : { last_name: after.lastName.trim() }),
    ...(after.role === before.role ? {} : { professional_role: after.role }),
    ...(after.isOfficer === before.isOfficer ? {} : { is_privacy_officer: after.isOfficer }),
    ...(differs(guidsOf(before), guidsOf(after)) ? { organisation_guids: guidsOf(after) } : {}),
    ...(differs(before.phases, after.phases) ? { phases: [...after.phases] } : {}),
  };
}
