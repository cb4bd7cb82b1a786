// The schema of an access request, and its conversion to the service's form (contract: identity, Access request).
import Type, { type Static } from 'typebox';
import { Email } from '#lib/auth/email.ts';
import { ProfessionalRole } from '../professional-role.ts';
import { GuidText, nameText } from '../text.ts';
import { type AccessRequestForm, MAX_PHASES } from './service.ts';

export const SubmitBody = Type.Object(
  {
    email: Email,
    password: Type.String({ minLength: 8, maxLength: 1024 }),
    first_name: nameText(100),
    last_name: nameText(100),
    professional_role: ProfessionalRole,
    organisation_guid: GuidText,
    requested_phases: Type.Array(nameText(100), { maxItems: MAX_PHASES, uniqueItems: true }),
    chosen_leader_guid: GuidText,
  },
  { title: 'NewAccessRequest', additionalProperties: false },
);
export type SubmitBody = Static<typeof SubmitBody>;

export function formOf(body: SubmitBody): AccessRequestForm {
  return {
    email: body.email,
    password: body.password,
    firstName: body.first_name,
    lastName: body.last_name,
    role: body.professional_role,
    organisationGuid: body.organisation_guid,
    phases: body.requested_phases,
    leaderGuid: body.chosen_leader_guid,
  };
}
