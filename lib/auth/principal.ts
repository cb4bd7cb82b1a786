// The principal: the authenticated caller of a request (decision G8), in the form that every service's access rules
// read.

/** The services that call others with credentials of their own (docs/adr/0044); the gateway has none. */
export const CLIENT_SERVICES = ['identity', 'dispatch', 'engine'] as const;
export type ClientService = (typeof CLIENT_SERVICES)[number];

/**
 * The calls that a registered client may be granted (docs/adr/0054), each named as its permission; `user:read` is
 * `GET /api/auth/me/service`. Calls that only Kedja's own services make are not among them: verifying passwords and
 * keys, shipping audit events, reporting, setting endpoints.
 */
export const CLIENT_CALLS = [
  'user:read',
  'revocation:follow',
  'registered-id:resolve',
  'access:read-any',
  'plan-definition:find',
  'form-definition:read',
  'value-set:expand',
  'contract:match',
] as const;
export type ClientCall = (typeof CLIENT_CALLS)[number];

/** Each service has its own role, so that each may make only its own calls. */
export type ServiceRole = `service:${ClientService}`;

/**
 * The roles of a caller. `admin` is identity's SU admin or the engine's administrator. `clinician` is a professional or
 * the engine's clinician. `privacy_officer` is a professional who may read the access log of every patient.
 */
export type Role =
  | 'patient'
  | 'professional'
  | 'clinician'
  | 'reader'
  | 'admin'
  | 'privacy_officer'
  | 'provider'
  | 'api_key'
  | ServiceRole;

/** Whether the role is that of one of Kedja's services. */
export function isServiceRole(role: Role): role is ServiceRole {
  return role.startsWith('service:');
}

/** The services that hold records of patients. */
export const RECORD_SERVICES = ['engine', 'dispatch'] as const;
export type RecordService = (typeof RECORD_SERVICES)[number];

/** Ids of Patients, by the service that holds them. */
export type LinkedRecords = Readonly<Record<RecordService, readonly string[]>>;

/** A provider's organisation, in which a professional is the provider's staff. */
export interface StaffMembership {
  readonly organisationGuid: string;
  readonly providerGuid: string;
}

/** What a proxy may do for a patient: read, or also report in the patient's name (decision L5, docs/adr/0074). */
export const PROXY_RIGHTS = ['read', 'act'] as const;
export type ProxyRight = (typeof PROXY_RIGHTS)[number];

/** A patient for whom the caller may act as a proxy. */
export interface ProxyGrant {
  readonly patientGuid: string;
  readonly may: ProxyRight;
  readonly linkedRecords?: LinkedRecords;
}

export interface Principal {
  /**
   * `receipt`: the holder of a receipt token, who acts for the provider that it was sent to. `operator`: somebody who
   * runs a command on the system's own machine.
   */
  readonly kind: 'identity_user' | 'engine_user' | 'api_key' | 'service' | 'receipt' | 'operator';
  /**
   * `user_guid`, `key_guid`, the client id of a service, the request's guid, or the operator's account on the machine.
   */
  readonly id: string;
  readonly roles: ReadonlySet<Role>;
  /** The organisations that the caller works in. A clinician sees their records (decision G12). */
  readonly organisationGuids: readonly string[];
  /**
   * The organisation that the request is made for, as its header says (lib/http/acting-for.ts); undefined without the
   * header.
   */
  readonly actsFor?: string;
  /** Phases the caller takes part in: `planning`, `analysis` … */
  readonly phases: ReadonlySet<string>;
  /** A professional's or a patient's own guid, which is also the FHIR id of its Practitioner or Patient (G1). */
  readonly professionalGuid?: string;
  readonly patientGuid?: string;
  /** A patient's further records, which organisations have made with the same personnummer (docs/adr/0068). */
  readonly linkedRecords?: LinkedRecords;
  /** The patients whose proxy the caller is; a request names one of them by a header (lib/http/acting-for.ts). */
  readonly proxyFor?: readonly ProxyGrant[];
  /** Set where the request is made as a proxy: `patientGuid` and `linkedRecords` are then those of the patient. */
  readonly proxy?: { readonly may: ProxyRight };
  /** The caregiver organisation for which a provider's user or key acts. */
  readonly providerGuid?: string;
  /** Where a professional is a provider's staff (decision L7; ./provider-staff.ts); then there is no `providerGuid`. */
  readonly staffOf?: readonly StaffMembership[];
  /** The name of a person who may act for a provider, to say who did what. */
  readonly name?: string;
  /** The permissions of a registered service, which has no role. */
  readonly calls?: ReadonlySet<string>;
  /** SMART v2 scopes of an API key, e.g. `system/Patient.rs`. */
  readonly scopes: readonly string[];
  /** True until a user with a temporary or too short password has chosen another. */
  readonly mustChangePassword: boolean;
  /** True until a user who needs a second factor has set one up. */
  readonly mustSetUpSecondFactor?: boolean;
  /** `jti` of the Bearer token, when there is one. */
  readonly tokenId?: string;
}

/** The fields of a caller that audit events hold. */
export type Actor = Pick<Principal, 'kind' | 'id' | 'roles' | 'patientGuid' | 'professionalGuid' | 'providerGuid'> &
  Partial<Pick<Principal, 'organisationGuids' | 'proxy'>>;

/**
 * A FHIR Reference to who reports for the patient of this id: the patient, or the account of a proxy (docs/adr/0074).
 * That names no Patient: a record of two patients would be hidden from the patient whom it is about.
 */
export function reporterReference({ proxy, id }: Principal, patientId: string): Readonly<Record<string, unknown>> {
  if (proxy === undefined) return { reference: `Patient/${patientId}` };
  return { type: 'RelatedPerson', identifier: { system: 'https://kedja.dev/ids/identity-user', value: id } };
}

/**
 * A FHIR Reference to the caller: its Practitioner or Patient where there is one, else an identifier (R5 Reference).
 */
export function principalReference(principal: Actor): object {
  if (principal.patientGuid !== undefined && principal.proxy === undefined)
    return { reference: `Patient/${principal.patientGuid}` };
  if (principal.professionalGuid !== undefined) return { reference: `Practitioner/${principal.professionalGuid}` };
  return { identifier: { system: `https://kedja.dev/ids/${principal.kind.replace('_', '-')}`, value: principal.id } };
}
