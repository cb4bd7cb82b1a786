// The list of permissions and the function that decides (decision G7). Every route names a permission of this list, and
// a caller without a matching rule is refused. Which records a permitted caller sees is decided by ./data-scope.ts.
// Each Kedja service is listed where it really calls (docs/adr/0044); a relying application has no permission at all.
import { type ErrorCode, ServiceError } from '../errors.ts';
import { CLIENT_CALLS, isServiceRole, type Principal, type ProxyRight, type Role } from './principal.ts';

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
const FOLLOWING = ['planning', 'analysis', 'followup'];

export const PERMISSIONS = {
  public: { roles: 'anyone' },
  /** The receipt token in the path is the capability. */
  'receipt:hold': { roles: 'anyone' },

  'account:read-own': { roles: ANY_USER, beforePasswordChange: true, beforeSecondFactor: true },
  'account:write-own': { roles: ANY_USER, beforePasswordChange: true, beforeSecondFactor: true },
  /** One's own name and e-mail address (docs/adr/0081). */
  'account:correct-own': { roles: ANY_USER },
  'second-factor:manage-own': { roles: ['patient', 'professional'], beforeSecondFactor: true },
  'session:manage-own': { roles: ANY_USER },
  'registry:read-own': { roles: ['patient'] },
  'group:take-part': { roles: ['professional'] },
  /** Group admins are professionals; which groups they administer is decided with the record in hand. */
  'group:administer': { roles: ['professional', 'admin'] },
  /** One's proxies, and those whose proxy one is (decision L5). */
  'proxy:manage-own': { roles: ['patient'] },
  'directory:administer': { roles: ['admin'] },
  'directory:read-fhir': { roles: ANY_USER },

  /** A patient by personnummer (decision L1); a privacy officer's way to the log of somebody (docs/adr/0150). */
  'patient:look-up': { roles: ['admin', 'privacy_officer', 'clinician'], phases: ['planning', 'execution'] },

  /** Registered applications and services (docs/adr/0054). */
  'client:administer': { roles: ['admin'] },
  'client:introspect': { roles: ['service:dispatch', 'service:engine'] },

  /** Calls between Kedja's services. A registered service may be granted some of them (CLIENT_CALLS). */
  'revocation:follow': { roles: ['service:dispatch', 'service:engine'] },
  'registered-id:resolve': { roles: ['service:dispatch', 'service:engine'] },
  /** By the engine for long jobs, by dispatch for mails: whether the user still may. */
  'access:read-any': { roles: ['service:dispatch', 'service:engine'] },
  /** What users and organisations are called: for the access log, and for those whom a request reaches. */
  'name:resolve': { roles: ['service:dispatch', 'service:engine'] },
  /** Whose proxy somebody is or was, so that an access check can say it (docs/adr/0091). */
  'proxy:read-any': { roles: ['service:dispatch', 'service:engine'] },
  /** Which records are of one person, for the access log. */
  'directory:resolve': { roles: ['service:engine'] },
  /** Reports of the Patients that a service has stored (docs/adr/0068). */
  'patient-record:report': { roles: ['service:dispatch', 'service:engine'] },
  /** Which records are one person's, for the consent gate (docs/adr/0073). */
  'patient-link:follow': { roles: ['service:dispatch'] },
  /** Whether an e-mail address has an account, and the login of that account (docs/adr/0046). */
  'account:verify': { roles: ['service:engine'] },
  'api-key:introspect': { roles: ['service:dispatch'] },
  'api-key:count-use': { roles: ['service:dispatch'] },
  'audit-event:ship': { roles: ['service:identity', 'service:dispatch'] },

  /** Bundles and operations of FHIR: each interaction in them needs its own permission. */
  'fhir:operate': { roles: [...STAFF, 'patient', 'provider', 'api_key'] },
  /** The list of one's exports and imports; an administrator's has everybody's. */
  'bulk-job:read': { roles: [...STAFF, 'api_key'] },
  'patient-record:read': { roles: ['admin', 'clinician', 'reader', 'patient', 'api_key'] },
  'patient-record:write': { roles: ['admin', 'clinician', 'api_key'], phases: PLANNING },
  /** A patient decides about their own data alone; services/dispatch/own-consents/ keeps both apart (decision L3). */
  'consent:write': { roles: ['admin', 'clinician', 'patient', 'api_key'], phases: PLANNING },
  'consent:decide-own': { roles: ['patient'] },
  'observation:read': { roles: ['admin', 'clinician', 'reader', 'patient', 'api_key'], phases: READING },
  /** Of Observations and QuestionnaireResponses: patients write their own (docs/adr/0072). */
  'report:write': { roles: ['admin', 'clinician', 'api_key', 'patient'], phases: READING },
  /**
   * Creates and updates: as `report:write`, and by those who act for a provider, about a request that was pushed to it
   * (docs/adr/0078).
   */
  'report:provide': { roles: ['admin', 'clinician', 'api_key', 'patient', 'provider'], phases: READING },
  'observation:write': { roles: ['admin', 'clinician', 'api_key'], phases: READING },
  /**
   * Not for patients, who read their own compartment and nothing else (G7), nor for providers, who see what was
   * dispatched to them (G12).
   */
  'definition:read': { roles: [...STAFF, 'api_key'] },
  /**
   * Calls of dispatch to its plan service: it searches plans and forms, reads a form, and expands the codes of a form's
   * answers.
   */
  'plan-definition:find': { roles: [...STAFF, 'api_key', 'service:dispatch'] },
  'form-definition:read': { roles: [...STAFF, 'api_key', 'service:dispatch'] },
  'value-set:expand': { roles: [...STAFF, 'api_key', 'service:dispatch'] },
  /** The JSON Schema of a render-ready form, which holds no personal data. */
  'form-schema:read': { roles: [...STAFF, 'patient', 'provider', 'api_key'] },
  'definition:write': { roles: ['admin', 'clinician', 'api_key'], phases: PLANNING },
  /** The query plan of a search: the statement holds the values of the search. */
  'search:explain': { roles: ['admin'] },
  /** What somebody may do with a record, and by which rules (docs/adr/0105). */
  'access:explain': { roles: ['admin'] },
  /** The configuration of a service (docs/adr/0107). */
  'settings:read': { roles: ['admin'] },
  /** Patients their own log; administrators and privacy officers everybody's (decision L4). */
  'access-log:read': { roles: ['patient', 'admin', 'privacy_officer'] },
  'audit:read': { roles: ['admin', 'patient'] },
  /** Audit events of other systems. */
  'audit:write': { roles: ['admin', 'clinician', 'api_key'] },

  /** The engine's own accounts; one's own also before a required password change. */
  'engine-account:manage-own': { roles: [...STAFF, 'patient', 'provider'], beforePasswordChange: true },
  'engine-account:renew': { roles: [...STAFF, 'provider'] },
  'engine-account:guard': { roles: [...STAFF, 'provider'] },
  'engine-user:read': { roles: [...STAFF, 'provider'] },
  'engine-user:administer': { roles: ['admin'] },

  /** The owner of a definition or a library entry, and its transfer to another organisation (docs/adr/0060). */
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
  /** The list and the status of external servers. */
  'server:read-status': { roles: STAFF },
  'server:administer': { roles: ['admin'] },
  /**
   * No rule decides whose the records of an external server are. So only callers who may see all records read them.
   */
  'server:read-records': { roles: ['admin'] },
  'server:write-records': { roles: ['admin'] },
  'server:ask-terminology': { roles: STAFF },
  /** What providers have reported to dispatch. */
  'result:store': { roles: ['service:dispatch'] },
  'provider-task:read-all': { roles: ['admin'] },
  'provider-task:read-own': { roles: ['provider'] },
  /** One task of the caller's provider, named by its request instead of the receipt token. */
  'provider-task:use': { roles: ['provider', 'admin'] },

  'request:plan': { roles: ['admin', 'clinician'], phases: PLANNING },
  'request:read': { roles: ['admin', 'clinician', 'patient'] },
  /** The stages of requests, and their numbers; professionals see each request by itself anyway (docs/adr/0096). */
  'worklist:read': { roles: ['admin', 'clinician'], phases: FOLLOWING },
  'form:read': { roles: STAFF },
  /** The forms that a patient answers, and the review of the answers by staff (docs/adr/0072). */
  'patient-form:use-own': { roles: ['patient'] },
  'patient-form:read-own': { roles: ['patient'] },
  /** To whom a report belongs that a patient makes at the engine. */
  'patient-report:place': { roles: ['service:engine'] },
  'patient-form:review': { roles: ['admin', 'clinician'], phases: READING },
  'feed:read': { roles: ['provider', 'admin'] },
  /** The engine reports for the providers that it hosts, and for no others. */
  'request:report': { roles: ['provider', 'admin', 'service:engine'] },
  /** Whether requests were pushed to providers, which write about them at the engine. */
  'request:resolve': { roles: ['service:engine'] },
  /** What they have written there. */
  'result:register': { roles: ['service:engine'] },
  'request:ask': { roles: ['provider', 'admin'] },
  'endpoint:administer': { roles: ['admin'] },
  /** The engine sets its own inbox as the endpoint of a provider that it hosts, and nothing else. */
  'endpoint:set': { roles: ['admin', 'service:engine'] },
  'delivery:administer': { roles: ['admin'] },
  /** A provider's own endpoint and deliveries (decision L10); where its data goes is set by an administrator. */
  'endpoint:use-own': { roles: ['admin', 'provider'] },
  'endpoint:rotate-secret': { roles: ['admin', 'provider', 'service:engine'] },
  'delivery:use-own': { roles: ['admin', 'provider'] },
  /** Each reads their own: those of their organisations' requests, of their provider, or their own forms to fill in. */
  'notification:read-own': { roles: ['admin', 'clinician', 'provider', 'patient'], phases: PLANNING },
} as const satisfies Record<string, AccessRule>;

export type Permission = keyof typeof PERMISSIONS;

/** What a proxy may do for a patient (decision L5): never consent, and nothing that belongs to the account. */
const OF_PROXIES: ReadonlySet<Permission> = new Set<Permission>([
  'fhir:operate',
  'patient-record:read',
  'observation:read',
  'request:read',
  'patient-form:read-own',
  'form-schema:read',
  'access-log:read',
  'audit:read',
]);
const OF_ACTING_PROXIES: ReadonlySet<Permission> = new Set<Permission>([
  'report:write',
  'report:provide',
  'patient-form:use-own',
]);

/** The permissions that a registered service may have, whatever its registration says. */
const OF_CLIENTS: ReadonlySet<string> = new Set<Permission | 'user:read'>(CLIENT_CALLS);

export type Decision =
  | 'allowed'
  | 'unauthenticated'
  | 'forbidden'
  | 'password_change_required'
  | 'second_factor_required';

/** Why a permission is granted or refused. */
export type AccessReason =
  | 'open_to_anyone'
  | 'credentials_missing'
  | 'call_granted'
  | 'call_not_granted'
  | 'password_change_required'
  | 'second_factor_required'
  | 'closed_to_proxies'
  | 'role_held'
  | 'role_missing'
  | 'phase_missing';

const DECISIONS: Readonly<Record<AccessReason, Decision>> = {
  open_to_anyone: 'allowed',
  credentials_missing: 'unauthenticated',
  call_granted: 'allowed',
  call_not_granted: 'forbidden',
  password_change_required: 'password_change_required',
  second_factor_required: 'second_factor_required',
  closed_to_proxies: 'forbidden',
  role_held: 'allowed',
  role_missing: 'forbidden',
  phase_missing: 'forbidden',
};

/** Decides whether the caller (undefined: no credentials) has the permission. A pure function, tested as a matrix. */
export function decide(permission: Permission, principal: Principal | undefined): Decision {
  return DECISIONS[reasonOf(permission, principal)];
}

/** A decision with its reason, and the roles and phases of the rule; empty where the rule names none. */
export interface ExplainedDecision {
  readonly decision: Decision;
  readonly reason: AccessReason;
  readonly roles: readonly Role[];
  readonly phases: readonly string[];
}

/** As `decide`, and why (docs/adr/0105). */
export function explain(permission: Permission, principal: Principal | undefined): ExplainedDecision {
  const { roles, phases = [] }: AccessRule = PERMISSIONS[permission];
  const reason = reasonOf(permission, principal);
  return { decision: DECISIONS[reason], reason, roles: roles === 'anyone' ? [] : roles, phases };
}

function reasonOf(permission: Permission, principal: Principal | undefined): AccessReason {
  const rule: AccessRule = PERMISSIONS[permission];
  if (rule.roles === 'anyone') return 'open_to_anyone';
  if (principal === undefined) return 'credentials_missing';
  if (principal.calls !== undefined) return mayCall(principal.calls, permission) ? 'call_granted' : 'call_not_granted';
  if (principal.mustChangePassword && rule.beforePasswordChange !== true) return 'password_change_required';
  if (principal.mustSetUpSecondFactor && rule.beforeSecondFactor !== true) return 'second_factor_required';
  if (principal.proxy !== undefined && !isOpenToProxy(permission, principal.proxy.may)) return 'closed_to_proxies';
  if (rule.roles.some((role) => principal.roles.has(role) && fitsPhases(rule, role, principal))) return 'role_held';
  return rule.roles.some((role) => principal.roles.has(role)) ? 'phase_missing' : 'role_missing';
}

/** Whether a proxy may have the permission. */
export function isOpenToProxies(permission: Permission): boolean {
  return isOpenToProxy(permission, 'act');
}

function isOpenToProxy(permission: Permission, may: ProxyRight): boolean {
  return OF_PROXIES.has(permission) || (may === 'act' && OF_ACTING_PROXIES.has(permission));
}

function mayCall(calls: ReadonlySet<string>, permission: Permission): boolean {
  return OF_CLIENTS.has(permission) && calls.has(permission);
}

/** Whether callers of the role may have the permission, whatever their phases. */
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

/** The errors by which `authorise` can refuse the permission. */
export function refusals(permission: Permission): readonly ErrorCode[] {
  const rule: AccessRule = PERMISSIONS[permission];
  if (rule.roles === 'anyone') return [];
  const codes: ErrorCode[] = ['unauthorized'];
  if (rule.roles !== ANY_USER) codes.push('forbidden');
  if (rule.beforePasswordChange !== true) codes.push('password_change_required');
  if (rule.beforeSecondFactor !== true) codes.push('second_factor_required');
  return codes;
}

/** The kinds of credentials that can have the permission; empty where none are needed. */
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
