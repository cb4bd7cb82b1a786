// The one list of permissions and the one place that decides (decision G7): every route names a permission of this
// list, and a caller without a matching rule is refused. Whose records a permitted caller then sees is decided by
// ./whose-data.ts. Each Kedja service is named where it really calls (docs/adr/0044); a relying application has no
// permission at all.
import { type ErrorCode, ServiceError } from '../errors.ts';
import { CLIENT_CALLS, isServiceRole, type Principal, type Role } from './principal.ts';

interface AccessRule {
  /** `anyone`: also callers without credentials. Otherwise one of these roles is needed. */
  readonly roles: 'anyone' | readonly Role[];
  /** A clinician from identity needs one of these phases; other roles of the rule do not. */
  readonly phases?: readonly string[];
  /** Still open to a user who must change the password first (decision I13). */
  readonly beforePasswordChange?: true;
  /** Still open to a user who must set up a second factor first. */
  readonly beforeSecondFactor?: true;
}

const ANY_USER: readonly Role[] = ['patient', 'professional', 'admin'];
const STAFF: readonly Role[] = ['admin', 'clinician', 'reader'];
const PLANNING = ['planning'];
const READING = ['planning', 'analysis'];

export const PERMISSIONS = {
  public: { roles: 'anyone' },
  /** The receipt token in the path is the capability. */
  'receipt:hold': { roles: 'anyone' },

  'account:read-own': { roles: ANY_USER, beforePasswordChange: true, beforeSecondFactor: true },
  'account:write-own': { roles: ANY_USER, beforePasswordChange: true, beforeSecondFactor: true },
  'second-factor:manage-own': { roles: ['professional'], beforeSecondFactor: true },
  'session:manage-own': { roles: ANY_USER },
  'registry:read-own': { roles: ['patient'] },
  'group:take-part': { roles: ['professional'] },
  /** Group admins are professionals; which groups they administer is decided with the record in hand. */
  'group:administer': { roles: ['professional', 'admin'] },
  'directory:administer': { roles: ['admin'] },
  'directory:read-fhir': { roles: ANY_USER },

  /** Applications and services on record (docs/adr/0054). */
  'client:administer': { roles: ['admin'] },
  'client:introspect': { roles: ['service:dispatch', 'service:engine'] },

  /** Calls between Kedja's services, and of a service on record that has been let make one (CLIENT_CALLS). */
  'revocation:follow': { roles: ['service:dispatch', 'service:engine'] },
  'registered-id:resolve': { roles: ['service:dispatch', 'service:engine'] },
  'access:read-any': { roles: ['service:engine'] },
  /** Whose address it is, and the sign-in of who has one (docs/adr/0046). */
  'account:judge': { roles: ['service:engine'] },
  'api-key:introspect': { roles: ['service:dispatch'] },
  'api-key:count-use': { roles: ['service:dispatch'] },
  'audit-event:ship': { roles: ['service:identity', 'service:dispatch'] },

  /** Bundles and operations of FHIR: each interaction in them needs its own permission. */
  'fhir:operate': { roles: [...STAFF, 'patient', 'provider', 'api_key'] },
  'patient-record:read': { roles: ['admin', 'clinician', 'reader', 'patient', 'api_key'] },
  'patient-record:write': { roles: ['admin', 'clinician', 'api_key'], phases: PLANNING },
  'observation:read': { roles: ['admin', 'clinician', 'reader', 'patient', 'api_key'], phases: READING },
  'observation:write': { roles: ['admin', 'clinician', 'api_key'], phases: READING },
  /**
   * Not for patients, who read their own compartment and nothing else (G7), nor for providers, who see what was
   * dispatched to them (G12).
   */
  'definition:read': { roles: [...STAFF, 'api_key'] },
  /**
   * What dispatch asks of its plan service: it looks for plans and forms, reads a form, and expands the codes that a
   * form may be answered with.
   */
  'plan-definition:find': { roles: [...STAFF, 'api_key', 'service:dispatch'] },
  'form-definition:read': { roles: [...STAFF, 'api_key', 'service:dispatch'] },
  'value-set:expand': { roles: [...STAFF, 'api_key', 'service:dispatch'] },
  /** What a render-ready form looks like: no data of anybody. */
  'form-schema:read': { roles: [...STAFF, 'patient', 'provider', 'api_key'] },
  'definition:write': { roles: ['admin', 'clinician', 'api_key'], phases: PLANNING },
  /** How a search is carried out: the statement holds whatever was asked for. */
  'search:explain': { roles: ['admin'] },
  'audit:read': { roles: ['admin', 'patient'] },
  /** Events that others have observed. */
  'audit:write': { roles: ['admin', 'clinician', 'api_key'] },

  /** The engine's own accounts: one's own also while the password is to be changed. */
  'engine-account:manage-own': { roles: [...STAFF, 'patient', 'provider'], beforePasswordChange: true },
  'engine-account:renew': { roles: [...STAFF, 'provider'] },
  'engine-account:guard': { roles: [...STAFF, 'provider'] },
  'engine-user:read': { roles: [...STAFF, 'provider'] },
  'engine-user:administer': { roles: ['admin'] },

  /** Whose a definition or an entry of the library is; to give it to another organisation (docs/adr/0060). */
  'owner:read': { roles: STAFF },
  'owner:administer': { roles: ['admin'] },
  'library:read': { roles: STAFF },
  'library:write': { roles: ['admin', 'clinician'], phases: PLANNING },
  'provider:read': { roles: [...STAFF, 'provider'] },
  'provider:administer': { roles: ['admin'] },
  'contract:read': { roles: STAFF },
  'contract:match': { roles: [...STAFF, 'service:dispatch'] },
  'api-key:administer': { roles: ['admin'] },
  'monitoring:read': { roles: STAFF },
  /** What external servers there are, and whether they can be used. */
  'server:read-status': { roles: STAFF },
  'server:administer': { roles: ['admin'] },
  /** Whose the records of an external server are, no rule of ours tells: they are for those who may see everybody's. */
  'server:read-records': { roles: ['admin'] },
  'server:write-records': { roles: ['admin'] },
  'server:ask-terminology': { roles: STAFF },
  'provider-task:read-all': { roles: ['admin'] },
  'provider-task:read-own': { roles: ['provider'] },

  'request:plan': { roles: ['admin', 'clinician'], phases: PLANNING },
  'request:read': { roles: ['admin', 'clinician', 'patient'] },
  'form:read': { roles: STAFF },
  'feed:read': { roles: ['provider', 'admin'] },
  /** The engine reports what the providers that it hosts report to it, and of no others. */
  'request:report': { roles: ['provider', 'admin', 'service:engine'] },
  'request:ask': { roles: ['provider', 'admin'] },
  'endpoint:administer': { roles: ['admin'] },
  /** The engine sets its own inbox as the endpoint of a provider that it hosts, and nothing else. */
  'endpoint:set': { roles: ['admin', 'service:engine'] },
  'delivery:administer': { roles: ['admin'] },
} as const satisfies Record<string, AccessRule>;

export type Permission = keyof typeof PERMISSIONS;

/** A service on record may have these, and nothing else whatever its record says. */
const OF_CLIENTS: ReadonlySet<string> = new Set<Permission | 'user:read'>(CLIENT_CALLS);

export type Decision =
  | 'allowed'
  | 'unauthenticated'
  | 'forbidden'
  | 'password_change_required'
  | 'second_factor_required';

/** Decides whether the caller (undefined: no credentials) has the permission. Pure; tested as a matrix. */
export function decide(permission: Permission, principal: Principal | undefined): Decision {
  const rule: AccessRule = PERMISSIONS[permission];
  if (rule.roles === 'anyone') return 'allowed';
  if (principal === undefined) return 'unauthenticated';
  if (principal.calls !== undefined) return mayCall(principal.calls, permission) ? 'allowed' : 'forbidden';
  if (principal.mustChangePassword && rule.beforePasswordChange !== true) return 'password_change_required';
  if (principal.mustSetUpSecondFactor && rule.beforeSecondFactor !== true) return 'second_factor_required';
  return rule.roles.some((role) => principal.roles.has(role) && fitsPhases(rule, role, principal))
    ? 'allowed'
    : 'forbidden';
}

function mayCall(calls: ReadonlySet<string>, permission: Permission): boolean {
  return OF_CLIENTS.has(permission) && calls.has(permission);
}

/** Whether callers of the role may have the permission; what their phases are is not asked. */
export function allowsRole(permission: Permission, role: Role): boolean {
  const rule: AccessRule = PERMISSIONS[permission];
  return rule.roles === 'anyone' || rule.roles.includes(role);
}

/** Whether one of Kedja's services may have the permission. */
export function isForServices(permission: Permission): boolean {
  const rule: AccessRule = PERMISSIONS[permission];
  return rule.roles !== 'anyone' && rule.roles.some(isServiceRole);
}

/** Whether nobody but Kedja's services may have the permission. */
export function isOnlyForServices(permission: Permission): boolean {
  const rule: AccessRule = PERMISSIONS[permission];
  return rule.roles !== 'anyone' && rule.roles.every(isServiceRole);
}

/** The ways in which `authorise` can refuse a caller the permission. */
export function refusals(permission: Permission): readonly ErrorCode[] {
  const rule: AccessRule = PERMISSIONS[permission];
  if (rule.roles === 'anyone') return [];
  const codes: ErrorCode[] = ['unauthorized'];
  if (rule.roles !== ANY_USER) codes.push('forbidden');
  if (rule.beforePasswordChange !== true) codes.push('password_change_required');
  if (rule.beforeSecondFactor !== true) codes.push('second_factor_required');
  return codes;
}

/**
 * Which credentials can open the permission: a user's token, an API key, a service's; none are needed where it is
 * empty.
 */
export function credentialsFor(permission: Permission): readonly ('bearer' | 'apiKey' | 'service')[] {
  const { roles }: AccessRule = PERMISSIONS[permission];
  if (roles === 'anyone') return [];
  const isUser = roles.some((role) => role !== 'api_key' && !isServiceRole(role));
  return [
    ...(isUser ? (['bearer'] as const) : []),
    ...(roles.includes('api_key') || roles.includes('provider') ? (['apiKey'] as const) : []),
    ...(roles.some(isServiceRole) ? (['service'] as const) : []),
  ];
}

/** @throws ServiceError `unauthorized`, `forbidden`, `password_change_required` or `second_factor_required` */
export function authorise(permission: Permission, principal: Principal | undefined): void {
  const decision = decide(permission, principal);
  switch (decision) {
    case 'allowed':
      return;
    case 'unauthenticated':
      throw new ServiceError('unauthorized', 'Authentication is required');
    case 'forbidden':
      throw new ServiceError('forbidden', 'Your role does not allow this');
    case 'password_change_required':
      throw new ServiceError('password_change_required', 'Change your password first');
    case 'second_factor_required':
      throw new ServiceError('second_factor_required', 'Set up a second factor first');
    default:
      decision satisfies never;
  }
}

function fitsPhases(rule: AccessRule, role: Role, principal: Principal): boolean {
  if (rule.phases === undefined || role !== 'clinician' || principal.kind !== 'identity_user') return true;
  return rule.phases.some((phase) => principal.phases.has(phase));
}
