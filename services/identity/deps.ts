// The dependencies of identity, which the composition root passes in.
import type { AuditSink } from '#lib/audit/audit-shipper.ts';
import type { PasswordHasher } from '#lib/auth/password-hasher.ts';
import type { ServiceClient, ServiceCredentials } from '#lib/auth/service-credentials.ts';
import type { Secret } from '#lib/config/secret.ts';
import type { Setting } from '#lib/config/settings.ts';
import type { SendMail } from '#lib/mail/smtp-sender.ts';
import type { Metrics } from '#lib/metrics/metrics.ts';
import type { Retention } from '#lib/retention/config.ts';
import type { KeySet } from '#lib/secrets/key-set.ts';
import type { TenantNames } from '#lib/tenants/named-tenant.ts';
import type { WorkDependencies } from '#lib/work-dependencies.ts';

interface IdentityConfig {
  readonly tokenTtlSeconds: number;
  /** How long a browser session lives without use, and from its sign-in on. */
  readonly sessionIdleMinutes: number;
  readonly sessionAbsoluteHours: number;
  /** The temporary password of imported users; without it an import is refused. */
  readonly importPassword?: Secret | undefined;
  /** Whether patients register themselves; they do when left out. */
  readonly patientRegistration?: 'open' | 'closed';
  /** Who must have a second factor. */
  readonly secondFactor: 'optional' | 'su-admins';
  /** The least length of a professional's new password without a second factor; the contract's when left out. */
  readonly staffPasswordLength?: number;
  /** Whether a professional whose password is shorter must choose a new one when signing in. */
  readonly renewsShortPasswords?: boolean;
  /** Requests per minute and address. */
  readonly rateLimitLogin: number;
  /** Wrong client secrets. */
  readonly rateLimitClient: number;
  readonly rateLimitRegister: number;
  readonly rateLimitCatalogue: number;
  readonly rateLimitAccessRequest: number;
  /** Requests for a link to a new password. */
  readonly rateLimitPasswordReset: number;
  /** Look-ups of patients by personnummer, per minute and user. */
  readonly rateLimitLookup: number;
}

export interface IdentityDeps extends WorkDependencies {
  readonly metrics: Metrics;
  readonly config: IdentityConfig;
  readonly version: string;
  /** What administrators see of the configuration; nothing when left out. */
  readonly settings?: readonly Setting[];
  /** The absolute address of the service as others reach it, without a slash at its end: `https://…/identity`. */
  readonly baseUrl: string;
  /** The first SU admin, created when there is none. */
  readonly administrator: { readonly email: string; readonly password: string };
  /** Where a sign-in may lead: origins with a path prefix. */
  readonly redirects: readonly string[];
  /** Kedja's own services, which call each other. */
  readonly serviceClients: readonly ServiceClient[];
  /** Relying applications of the configuration: they may ask about the user of a token, and nothing else. */
  readonly applications: readonly ServiceCredentials[];
  /** The sealing keys, the same for every node. The keys of what is sealed and indexed are derived from them. */
  readonly sealingKeys: KeySet;
  /** Hashes passwords; with the parameters of decision I2 when left out. */
  readonly passwords?: PasswordHasher;
  /** The tenants besides the default one (docs/adr/0137); undefined without KEDJA_TENANTS_FILE. */
  readonly tenants?: TenantNames | undefined;
  /** Makes the other services of this process read the revocation feed; resolves when they have read it. */
  readonly onRevoked: () => Promise<void>;
  /** Sends mail; without it nothing is queued, and pages do not offer what needs it. */
  readonly sendMail?: SendMail | undefined;
  /** The target of audit events; without it they wait in the outbox. */
  readonly auditSink?: AuditSink;
  /** How long is kept what accumulates; without end when left out. */
  readonly retention?: Retention;
}
