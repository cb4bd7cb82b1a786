// The shape of a user in the lists of administrators, and by what users are found.
import Type, { type Static } from 'typebox';
import { PageQuery, pageOf } from '#lib/http/response/page.ts';
import { ProfessionalRole } from '../professional-role.ts';
import { SessionItem } from '../sessions/schema.ts';
import { closed, NamedOrganisation, OptionalText } from '../shared/routes/schema.ts';
import { optionalTimestamp, plainTimestamp } from '../time.ts';
import type { ListedUser } from './service.ts';

const Membership = Type.Object(
  {
    membership_guid: Type.String(),
    group_guid: Type.String(),
    group_name: Type.String(),
    group_type: Type.String(),
    status: Type.Enum(['pending', 'approved', 'rejected']),
    is_admin: Type.Boolean(),
  },
  { title: 'GroupMembership' },
);
const Professional = Type.Object(
  {
    professional_guid: Type.String(),
    professional_role: ProfessionalRole,
    is_privacy_officer: Type.Optional(Type.Boolean({ description: 'Of one who reads every access log' })),
    memberships: Type.Array(Membership),
  },
  { title: 'ListedProfessional' },
);
const Patient = Type.Object(
  {
    patient_guid: Type.String(),
    organisation_guid: Type.Union([Type.String(), Type.Null()], {
      description: 'Null for who may not see where a protected identity receives care; `organisations` is then empty',
    }),
    in_registry: Type.Boolean(),
    registries: Type.Array(Type.String()),
  },
  { title: 'ListedPatient' },
);
const AccountEmail = Type.Union([Type.String(), Type.Null()], {
  description: 'Null for a child without an account of its own, which nobody signs in to',
});
export const User = Type.Object(
  {
    user_guid: Type.String(),
    email: AccountEmail,
    user_type: Type.Enum(['professional', 'patient']),
    is_su_admin: Type.Boolean(),
    first_name: OptionalText,
    last_name: OptionalText,
    created_at: Type.String(),
    last_login_at: OptionalText,
    blocked_at: Type.Optional(Type.String({ description: 'Of a blocked user' })),
    merged_into: Type.Optional(Type.String({ description: 'Of a merged account: the one that remains' })),
    professional: Type.Optional(Professional),
    patient: Type.Optional(Patient),
    organisations: Type.Array(NamedOrganisation),
  },
  { title: 'User' },
);

export const UserSearch = Type.Object(
  {
    ...PageQuery,
    search: Type.Optional(
      Type.String({ maxLength: 200, description: 'A part of the name or of the e-mail address; or a guid' }),
    ),
    user_type: Type.Optional(Type.Enum(['professional', 'patient'])),
    state: Type.Optional(
      Type.Enum(['active', 'blocked', 'merged', 'su_admin'], { description: '`su_admin`: active SU admins alone' }),
    ),
    organisation_guid: Type.Optional(Type.String({ maxLength: 64 })),
    group_guid: Type.Optional(Type.String({ maxLength: 64, description: 'Approved members of the group' })),
  },
  closed,
);
export const UserPage = pageOf(User);

export const UserDetails = Type.Object(
  {
    ...User.properties,
    second_factor_since: Type.Union([Type.String(), Type.Null()], { description: 'Null for who has none' }),
    must_change_password: Type.Boolean({ description: 'Whether the password is a temporary one' }),
    merged_accounts: Type.Array(Type.Object({ user_guid: Type.String(), email: AccountEmail }), {
      description: 'Accounts of the same person that were merged into this one',
    }),
    sessions: Type.Array(SessionItem, { description: 'Where the user is signed in, the newest first; at most 50' }),
  },
  { title: 'UserDetails' },
);

export const Deletion = Type.Object(
  {
    user_guid: Type.String(),
    email: AccountEmail,
    memberships: Type.Integer({ description: 'Removed' }),
    led_groups: Type.Array(Type.String(), { description: 'Names of groups that lose the user as an admin' }),
    open_requests: Type.Integer({ description: 'Removed: leader requests and group proposals' }),
    sessions: Type.Integer({ description: 'Ended' }),
    merged_accounts: Type.Integer({ description: 'Removed: accounts that were merged into this one' }),
    proxies: Type.Integer({ description: 'Removed: of and for this patient' }),
    linked_records: Type.Integer({ description: 'Records that are nobody’s account any more' }),
    decisions: Type.Integer({ description: 'Stay, without who decided' }),
  },
  { title: 'UserDeletion' },
);

export function toUser(row: ListedUser): Static<typeof User> {
  const { user_guid, email, user_type, is_su_admin, first_name, last_name, organisations } = row;
  const times = { created_at: plainTimestamp(row.created_at), last_login_at: optionalTimestamp(row.last_login_at) };
  const ended = {
    ...(row.blocked_at === null ? {} : { blocked_at: plainTimestamp(row.blocked_at) }),
    ...(row.merged_into === null ? {} : { merged_into: row.merged_into }),
  };
  const common = { user_guid, email, user_type, is_su_admin, first_name, last_name, ...times, ...ended };
  if (row.patient_guid !== null) {
    const { patient_guid, organisation_guid } = row;
    const registries = row.registries ?? [];
    const in_registry = registries.length > 0;
    return {
      ...common,
      patient: { patient_guid, organisation_guid, in_registry, registries },
      organisations,
    };
  }
  const professional_guid = row.professional_guid ?? '';
  const professional_role = row.professional_role ?? 'other';
  const { memberships } = row;
  const officer = row.is_privacy_officer === true ? { is_privacy_officer: true } : {};
  return { ...common, professional: { professional_guid, professional_role, ...officer, memberships }, organisations };
}
