// The access blob that identity returns for a token (contract: identity, "Access blob"), and the principal that it
// describes.
import Type, { type Static } from 'typebox';
import { PROXY_RIGHTS, type Principal, type Role, type StaffMembership } from './principal.ts';

const common = {
  user_guid: Type.String(),
  email: Type.String(),
  is_su_admin: Type.Boolean(),
  must_change_password: Type.Optional(Type.Boolean()),
  must_set_up_second_factor: Type.Optional(Type.Boolean()),
  /** Where there are tenants (docs/adr/0137). */
  tenant: Type.Optional(
    Type.String({
      description: 'The tenant that the token opens, `default` for the default one; left out without tenants',
    }),
  ),
};

const membership = Type.Object(
  {
    group_guid: Type.String(),
    group_name: Type.String(),
    group_type: Type.String(),
    status: Type.String(),
    is_admin: Type.Boolean(),
  },
  { title: 'AccessMembership' },
);

/** A provider whose staff the professional is, and the organisation by which. */
const providerStaff = Type.Object(
  { organisation_guid: Type.String(), provider_guid: Type.String() },
  { title: 'ProviderStaff' },
);

const ProfessionalBlob = Type.Object(
  {
    ...common,
    user_type: Type.Literal('professional'),
    fhir_resource_type: Type.Literal('Practitioner'),
    professional_guid: Type.String(),
    professional_role: Type.Union([Type.Literal('doctor'), Type.Literal('nurse'), Type.Literal('other')]),
    organization_ids: Type.Array(Type.String()),
    groups: Type.Array(membership),
    effective_phases: Type.Array(Type.String()),
    /** Of a provider's staff (decision L7), and of everybody at the address for services. */
    name: Type.Optional(Type.String()),
    provider_staff: Type.Optional(Type.Array(providerStaff)),
    is_privacy_officer: Type.Optional(Type.Boolean()),
  },
  { title: 'ProfessionalAccess' },
);

export const LinkedIds = Type.Object(
  { engine: Type.Array(Type.String()), dispatch: Type.Array(Type.String()) },
  { title: 'LinkedRecords' },
);

/** A patient for whom the user is a proxy (decision L5). */
const proxyGrant = Type.Object(
  {
    patient_guid: Type.String(),
    may: Type.Enum([...PROXY_RIGHTS]),
    linked_records: Type.Optional(LinkedIds),
  },
  { title: 'ProxyGrant' },
);

const PatientBlob = Type.Object(
  {
    ...common,
    user_type: Type.Literal('patient'),
    fhir_resource_type: Type.Literal('Patient'),
    patient_guid: Type.String(),
    organisation_guid: Type.String(),
    in_registry: Type.Boolean(),
    registries: Type.Array(Type.String()),
    linked_records: Type.Optional(LinkedIds),
    /** Left out for those who are nobody's proxy. */
    proxy_for: Type.Optional(Type.Array(proxyGrant)),
  },
  { title: 'PatientAccess' },
);

export const AccessBlob = Type.Union([ProfessionalBlob, PatientBlob]);
export type AccessBlob = Static<typeof AccessBlob>;

/** The principal that an access blob describes; `tokenId` is the `jti` of the token, when there is one. */
export function principalOfBlob(blob: AccessBlob, tokenId?: string): Principal {
  const shared = {
    kind: 'identity_user',
    id: blob.user_guid,
    scopes: [],
    mustChangePassword: blob.must_change_password === true,
    ...(blob.must_set_up_second_factor === true ? { mustSetUpSecondFactor: true } : {}),
    ...(tokenId === undefined ? {} : { tokenId }),
  } as const;
  if (blob.user_type === 'patient') {
    return {
      ...shared,
      roles: new Set<Role>(['patient']),
      organisationGuids: [],
      phases: new Set(),
      patientGuid: blob.patient_guid,
      ...(blob.linked_records === undefined ? {} : { linkedRecords: blob.linked_records }),
      ...(blob.proxy_for === undefined ? {} : { proxyFor: blob.proxy_for.map(toGrant) }),
    };
  }
  const roles: Role[] = ['professional', 'clinician'];
  if (blob.is_su_admin) roles.push('admin');
  const { provider_staff: staff = [], name } = blob;
  if (staff.length > 0) roles.push('provider');
  if (blob.is_privacy_officer === true) roles.push('privacy_officer');
  return {
    ...shared,
    roles: new Set(roles),
    organisationGuids: blob.organization_ids,
    phases: new Set(blob.effective_phases),
    professionalGuid: blob.professional_guid,
    ...(name === undefined ? {} : { name }),
    ...(staff.length === 0 ? {} : { staffOf: staff.map(toStaff) }),
  };
}

function toStaff({ organisation_guid, provider_guid }: Static<typeof providerStaff>): StaffMembership {
  return { organisationGuid: organisation_guid, providerGuid: provider_guid };
}

function toGrant({ patient_guid: patientGuid, may, linked_records: linkedRecords }: Static<typeof proxyGrant>) {
  return { patientGuid, may, ...(linkedRecords === undefined ? {} : { linkedRecords }) };
}
