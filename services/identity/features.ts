// Creates identity's features and passes each its dependencies.
import { createAudit } from '#lib/audit/audit.ts';
import { createAuthenticator } from '#lib/auth/authenticator.ts';
import { createIdentityLink, type IdentityLink } from '#lib/auth/identity-link.ts';
import { createPasswordHasher } from '#lib/auth/password-hasher.ts';
import type { TokenClaims } from '#lib/auth/token-verifier.ts';
import { createIdempotency } from '#lib/idempotency/idempotency.ts';
import { createMailer } from '#lib/mail/mailer.ts';
import { createSecondFactors } from '#lib/second-factor/second-factors.ts';
import { createAccessRequests } from './access-requests/service.ts';
import { createAdministeredGroups } from './administered-groups/service.ts';
import { createAuditList } from './audit-list/service.ts';
import { createAccountThrottle } from './auth/account-throttle.ts';
import { createAuthService } from './auth/service.ts';
import { type BrowserSessions, createBrowserSessions } from './browser-sessions/service.ts';
import { createChildren } from './children/service.ts';
import { type Clients, createClients } from './clients/service.ts';
import { createDecisionQueue } from './decision-queue/service.ts';
import type { IdentityDeps } from './deps.ts';
import { createFhirDirectory } from './fhir/service.ts';
import { createGroupProposals } from './group-proposals/service.ts';
import { createGroups } from './groups/service.ts';
import { createInvites } from './invites/service.ts';
import { createKnownNames } from './known-names/service.ts';
import { createLeaderRequests } from './leader-requests/service.ts';
import { createOrganisations } from './organisations/service.ts';
import { createOwnAccounts } from './own-account/service.ts';
import { createLinkFeed } from './patient-records/feed-service.ts';
import { createPatientLinks } from './patient-records/link-service.ts';
import { createPatientLookup } from './patient-records/lookup-service.ts';
import { createPatientRecords } from './patient-records/service.ts';
import { createRegistries } from './patients/registries.ts';
import { createPatients } from './patients/service.ts';
import { createInvitationMails } from './proxies/invitation-mail.ts';
import { createProxies } from './proxies/service.ts';
import { createRecovery } from './recovery/service.ts';
import { createRegisteredIds } from './registered-ids/service.ts';
import { createRevocations, createTakeEffect } from './revocations/service.ts';
import { createSecondFactorManagement } from './second-factor/management-service.ts';
import { createServiceRegistry } from './service-registry/service.ts';
import { sessionLimits } from './session-limits.ts';
import { createSessions } from './sessions/service.ts';
import { personnummerCipher, secondFactorCipher } from './shared/ciphers.ts';
import { createDecisionMails } from './shared/decisions/decision-mail.ts';
import { createAccountMails } from './shared/mails/account-mails.ts';
import { createPasswordLengthCheck, createPasswordRules } from './shared/password-rules.ts';
import { createTenantRedirects } from './shared/tenants/sign-in-host.ts';
import { createKeyMaterial } from './signing-keys/key-material.ts';
import { createKeyRotation } from './signing-keys/rotation.ts';
import { createSigningKeys } from './signing-keys/service.ts';
import { createTemporaryPassword } from './temporary-password.ts';
import { createMemberships, type Memberships, NO_TENANTS } from './tenants/service.ts';
import { createUserChanges } from './user-administration/change-service.ts';
import { createAccountMerge } from './user-administration/merge-service.ts';
import { createUserAdministration } from './user-administration/service.ts';
import { createUserCsv } from './user-csv/service.ts';
import { createUserList } from './user-list/service.ts';
import { createUsers } from './users/service.ts';

export type Features = ReturnType<typeof createFeatures>;

/**
 * A new feature is added to the part that it belongs to. It takes what it needs from the foundation and the directory.
 */
export function createFeatures(deps: IdentityDeps) {
  const foundation = createFoundation(deps);
  const directory = createDirectory(foundation, deps);
  return {
    ...foundation,
    ...directory,
    ...createRequests(foundation, directory, deps),
    ...createAdministration(foundation, directory, deps),
    fhir: createFhirDirectory({
      ...foundation,
      ...directory,
      baseUrl: `${deps.baseUrl}/fhir`,
      temporaryPassword: (owner) =>
        createTemporaryPassword({ ...foundation, importPassword: deps.config.importPassword }, owner),
    }),
  };
}

type Foundation = ReturnType<typeof createFoundation>;
type Directory = ReturnType<typeof createDirectory>;

/** Sign-in: credentials, tokens, sessions, clients and revocations. */
function createFoundation(deps: IdentityDeps) {
  const { clock } = deps;
  const { tokenTtlSeconds, secondFactor: secondFactorRule } = deps.config;
  const idempotency = createIdempotency({ ...deps, masterKeys: deps.sealingKeys });
  const { database } = idempotency;
  const passwords = deps.passwords ?? createPasswordHasher();
  const audit = createAudit({ database, clock, service: 'identity' });
  const personnummer = personnummerCipher(deps.sealingKeys);
  const passwordRules = createPasswordRules({ staffLength: deps.config.staffPasswordLength, siteUrl: deps.baseUrl });
  const limits = sessionLimits(deps.config);
  const users = createUsers({ database, clock, passwords, secondFactorRule, personnummer, sessionLimits: limits });
  const material = createKeyMaterial(deps.sealingKeys);
  const keys = createSigningKeys({ database, clock, material });
  const revocations = createRevocations({ database, clock });
  const browserSessions = createBrowserSessions({ database, clock, limits, revocations });
  const rotation = createKeyRotation({ database, clock, audit, revocations, material });
  const link = createLink(deps, { keys, revocations });
  const takeEffect = createTakeEffect({ list: link.revocations, onRevoked: deps.onRevoked, log: deps.log });
  const clients = createClients({
    ...deps,
    database,
    audit,
    revocations,
    takeEffect,
    guessesPerMinute: deps.config.rateLimitClient,
    tenantRedirects: createTenantRedirects(deps),
  });
  const memberships = deps.tenants === undefined ? NO_TENANTS : createMemberships({ clock });
  const authenticator = createAdmission(deps, { users, link, clients, browserSessions, memberships });
  const throttle = createAccountThrottle({ database, clock });
  const common = {
    database,
    clock,
    audit,
    users,
    passwords,
    passwordRules,
    keys,
    revocations,
    browserSessions,
    limits,
    takeEffect,
    clients,
    memberships,
  };
  const cipher = secondFactorCipher(deps.sealingKeys);
  const secondFactors = createSecondFactors({
    database,
    clock,
    audit,
    cipher,
    users: 'app_user',
    subjectOf: (subjectGuid) => ({ subjectGuid }),
  });
  const needsLongerPassword = createPasswordLengthCheck(passwordRules, deps.config.renewsShortPasswords);
  const mailer = deps.sendMail && createMailer({ ...deps, keys: deps.sealingKeys, send: deps.sendMail });
  const accountMails = createAccountMails({ ...deps, mailer });
  const decisionMails = createDecisionMails({ ...deps, mailer, memberships });
  const auth = createAuthService({
    ...common,
    accountMails,
    mailer,
    throttle,
    secondFactors,
    tokenTtlSeconds,
    needsLongerPassword,
  });
  const secondFactor = createSecondFactorManagement({ ...common, auth, secondFactors, secondFactorRule, mailer });
  const ownAccounts = createOwnAccounts({ ...common, accountMails, mailer, auth, secondFactors });
  const recovery = createRecovery({ ...deps, ...common, accountMails, mailer, auth });
  return {
    ...common,
    mailer,
    accountMails,
    decisionMails,
    ownAccounts,
    recovery,
    rotation,
    link,
    authenticator,
    auth,
    secondFactor,
    idempotency,
    personnummer,
  };
}

/** The directory: organisations, groups and patients. */
function createDirectory(foundation: Foundation, deps: IdentityDeps) {
  const organisations = createOrganisations(foundation);
  const groups = createGroups(foundation);
  const cipher = foundation.personnummer;
  const links = createPatientLinks(foundation);
  const patients = createPatients({
    ...foundation,
    organisations,
    cipher,
    links,
    isRegistrationOpen: deps.config.patientRegistration !== 'closed',
  });
  const children = createChildren({ ...foundation, organisations, patients });
  const invitationMails = createInvitationMails({ ...deps, ...foundation });
  const proxies = createProxies({ ...foundation, cipher, invitationMails });
  return { organisations, groups, patients, children, cipher, links, proxies, invitationMails };
}

/** Requests that one user submits and another decides. */
function createRequests(foundation: Foundation, { groups, organisations }: Directory, { baseUrl }: IdentityDeps) {
  return {
    accessRequests: createAccessRequests({ ...foundation, groups, organisations }),
    leaderRequests: createLeaderRequests({ ...foundation, groups }),
    groupProposals: createGroupProposals({ ...foundation, groups }),
    invites: createInvites({ ...foundation, groups, baseUrl }),
    administeredGroups: createAdministeredGroups({ ...foundation, groups }),
    decisionQueue: createDecisionQueue(foundation),
  };
}

/** The features for SU admins. */
function createAdministration(foundation: Foundation, { cipher, links }: Directory, { config }: IdentityDeps) {
  const sessions = createSessions(foundation);
  return {
    patientRecords: createPatientRecords({ ...foundation, cipher, links }),
    linkFeed: createLinkFeed(foundation),
    patientLookup: createPatientLookup({ ...foundation, cipher }),
    userAdministration: createUserAdministration(foundation),
    userChanges: createUserChanges(foundation),
    accountMerge: createAccountMerge(foundation),
    registries: createRegistries(foundation),
    serviceRegistry: createServiceRegistry(foundation),
    userList: createUserList({ ...foundation, sessions }),
    userCsv: createUserCsv({ ...foundation, cipher, links, importPassword: config.importPassword }),
    sessions,
    auditList: createAuditList(foundation),
    registeredIds: createRegisteredIds(foundation),
    knownNames: createKnownNames(foundation),
  };
}

function createLink(
  { clock, log }: IdentityDeps,
  {
    keys,
    revocations,
  }: { keys: ReturnType<typeof createSigningKeys>; revocations: ReturnType<typeof createRevocations> },
): IdentityLink {
  return createIdentityLink({ keys, revocationSource: revocations.source, clock, log });
}

/** Identity verifies tokens as every other service does. It asks its own database where they call identity. */
function createAdmission(
  deps: IdentityDeps,
  given: {
    users: ReturnType<typeof createUsers>;
    link: IdentityLink;
    clients: Clients;
    browserSessions: BrowserSessions;
    memberships: Memberships;
  },
) {
  const { users, link, clients, browserSessions, memberships } = given;
  const { database, clock } = deps;
  const blobs = {
    read: async (
      _token: string,
      { userGuid, tokenId, tenant }: Pick<TokenClaims, 'userGuid' | 'tokenId' | 'tenant'>,
    ) => {
      if (!(await memberships.isMember(database, userGuid, tenant))) return undefined;
      const blob = await users.readAccessBlob(database, userGuid, tokenId);
      if (blob === undefined) return undefined;
      browserSessions.used(tokenId);
      const shown = memberships.shownName(tenant);
      return shown === undefined ? blob : { ...blob, tenant: shown };
    },
  };
  const { tokens, revocations } = link;
  // One place checks the credentials of clients of every kind, and records when each was last used.
  const source = { serviceClients: [], clients: clients.source };
  return createAuthenticator({ tokens, revocations, blobs, ...source, clock, everyTenant: true });
}
