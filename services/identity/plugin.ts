// The entry point of identity for the composition root: an authenticator, routes, background work and readiness
// (contract: identity).

import { registerOutboxMetrics } from '#lib/audit/access-metrics.ts';
import { createAudit } from '#lib/audit/audit.ts';
import { createAuditShipper } from '#lib/audit/audit-shipper.ts';
import { registerForms } from '#lib/html/form-post.ts';
import type { WireForm } from '#lib/http/error-handler.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import type { ServiceModule } from '#lib/http/service-module.ts';
import { stopTogether } from '#lib/jobs/stop.ts';
import { registerSettings } from '#lib/metrics/settings-route.ts';
import { createRateLimiter, type RateLimiter } from '#lib/rate-limit/rate-limiter.ts';
import { createRetentionLoop } from '#lib/retention/loop.ts';
import { registerAccessRequestPages } from './access-requests/request-routes.ts';
import { registerAccessRequestRoutes } from './access-requests/routes.ts';
import { registerAdministeredGroupRoutes } from './administered-groups/routes.ts';
import { registerAuditListRoutes } from './audit-list/routes.ts';
import { registerDelegatedRoutes } from './auth/delegated-routes.ts';
import { registerLoginRoutes } from './auth/login-routes.ts';
import { registerChangePasswordPages } from './auth/passwords/change-password-routes.ts';
import { registerRecoveryCodesPage } from './auth/recovery-codes-routes.ts';
import { registerAuthRoutes } from './auth/routes.ts';
import { registerChildrenRoutes } from './children/routes.ts';
import { registerClientRoutes } from './clients/routes.ts';
import { registerDecisionQueueRoutes } from './decision-queue/routes.ts';
import type { IdentityDeps } from './deps.ts';
import { createFeatures, type Features } from './features.ts';
import { registerFhirRoutes } from './fhir/routes.ts';
import { registerGroupProposalRoutes } from './group-proposals/routes.ts';
import { registerGroupAdminRoutes } from './groups/admin-routes.ts';
import { registerGroupRoutes } from './groups/routes.ts';
import { registerHealthRoutes, registerStatusRoute } from './health/routes.ts';
import { registerInviteRoutes } from './invites/routes.ts';
import { registerKnownNameRoutes } from './known-names/routes.ts';
import { registerLeaderRequestRoutes } from './leader-requests/routes.ts';
import { createMaintenance } from './maintenance.ts';
import { registerOrganisationRoutes } from './organisations/routes.ts';
import { registerAccountPages } from './own-account/account-routes.ts';
import { registerOwnAccountRoutes } from './own-account/routes.ts';
import { registerSecondFactorPages } from './own-account/second-factor-routes.ts';
import { registerPatientRecordRoutes } from './patient-records/routes.ts';
import { registerRegistrationPages } from './patients/registration-routes.ts';
import { registerRegistryRoutes } from './patients/registry-routes.ts';
import { registerPatientRoutes } from './patients/routes.ts';
import { registerProxyPages } from './proxies/page-routes.ts';
import { registerProxyRelationRoute } from './proxies/relation-routes.ts';
import { registerProxyRoutes } from './proxies/routes.ts';
import { registerRecoveryPages } from './recovery/forgot-routes.ts';
import { registerRecoveryRoutes } from './recovery/routes.ts';
import { registerRegisteredIdRoutes } from './registered-ids/routes.ts';
import { identityRetention } from './retention.ts';
import { registerRevocationRoutes } from './revocations/routes.ts';
import { registerSecondFactorRoutes } from './second-factor/routes.ts';
import { registerServiceRegistryRoutes } from './service-registry/routes.ts';
import { registerSessionRoutes } from './sessions/routes.ts';
import { createBrowsers } from './shared/browser.ts';
import { createPublishedList, dropAfterWrites } from './shared/routes/published-list.ts';
import { createSignedInPages } from './shared/routes/signed-in-pages.ts';
import { createHomeHref, createSignInHref, leadToPublicOrigin } from './shared/tenants/sign-in-host.ts';
import { registerKeyRoutes } from './signing-keys/routes.ts';
import { registerAccountMergeRoutes } from './user-administration/merge-routes.ts';
import { registerUserAdministrationRoutes } from './user-administration/routes.ts';
import { registerUserCsvRoutes } from './user-csv/routes.ts';
import { registerUserListRoutes } from './user-list/routes.ts';
import { registerUserAccessRoutes } from './users/access-routes.ts';

const MINUTE_SECONDS = 60;

/**
 * Creates the service on a migrated database: the signing key and the first SU admin exist when it resolves.
 * @throws Error when the personnummer in the database were encrypted with another key
 */
export async function createIdentityService(deps: IdentityDeps): Promise<ServiceModule> {
  const { database, clock, log } = deps;
  const features = createFeatures(deps);
  const { link, keys, users, patients, authenticator, idempotency, mailer, recovery, invitationMails } = features;
  const maintenance = createMaintenance({ ...deps, ...features });
  const shipper = deps.auditSink && createAuditShipper({ database, sink: deps.auditSink, log, clock });
  registerOutboxMetrics(deps.metrics, deps);
  const retention = createRetentionLoop(identityRetention(deps.retention ?? {}), {
    ...deps,
    audit: createAudit({ database, clock, service: 'identity' }),
    service: 'identity',
  });
  await patients.checkKey();
  await keys.ensure();
  await keys.refresh();
  if (await users.ensureSuAdmin(deps.administrator)) log.info({ event: 'identity.first-admin-made' });
  return {
    authenticator,
    wireFormOf,
    readiness: [link.readiness],
    plugin: (app) => registerRoutes(app, deps, features),
    async start() {
      link.loop.start();
      await maintenance.start();
      idempotency.loop.start();
      shipper?.start();
      retention.start();
      await mailer?.start();
      await recovery.loop.start();
      await invitationMails.loop.start();
    },
    stop: () => {
      const loops = [link.loop, idempotency.loop, recovery.loop, invitationMails.loop];
      return stopTogether([...loops, maintenance, shipper, mailer, retention]);
    },
  };
}

/** FHIR is under /fhir/, the API under /api/. A browser gets every other path as a page. */
export function wireFormOf(path: string): WireForm {
  if (path === '/fhir' || path.startsWith('/fhir/')) return 'fhir';
  return path.startsWith('/api/') || path.startsWith('/.well-known/') ? 'plain' : 'page';
}

/** Registers the sign-in and the pages; `scope` parses forms. */
function registerPages(
  scope: HttpApp,
  site: {
    deps: IdentityDeps;
    features: Features;
    signInHref: ReturnType<typeof createSignInHref>;
    limits: ReturnType<typeof createLimits>['limits'];
  },
): void {
  const { deps, features, limits, signInHref } = site;
  const { baseUrl } = deps;
  const destinations = features.clients;
  const { auth, patients, organisations, groups, accessRequests: requests } = features;
  const catalogue = limits.organisations;
  const browsers = createBrowsers(baseUrl);
  const { isRegistrationOpen } = patients;
  const staffLength = requests.passwordLength;
  const login = { auth, destinations, browsers, limiter: limits.login, staffLength, isRegistrationOpen };
  registerLoginRoutes(scope, login);
  registerChangePasswordPages(scope, login);
  registerRecoveryCodesPage(scope, login);
  const pages = createSignedInPages(scope, { auth, browsers, signInHref });
  registerAccountPages(pages, {
    accounts: features.ownAccounts,
    limits: recoveryLimits(limits),
    homeHref: createHomeHref(deps),
  });
  registerSecondFactorPages(pages, {
    secondFactor: features.secondFactor,
    auth,
    browsers,
    limits: recoveryLimits(limits),
  });
  registerProxyPages(pages, {
    proxies: features.proxies,
    lookup: features.patientLookup,
    children: features.children,
    organisations,
    limits,
  });
  registerRecoveryPages(scope, {
    ...login,
    recovery: features.recovery,
    limits: recoveryLimits(limits),
    signInHref,
  });
  registerRegistrationPages(scope, {
    patients,
    organisations,
    destinations,
    limits: { register: limits.register, catalogue },
  });
  registerAccessRequestPages(scope, {
    requests,
    organisations,
    groups,
    destinations,
    limits: { submit: limits.accessRequest, catalogue },
  });
}

async function registerRoutes(app: HttpApp, deps: IdentityDeps, features: Features): Promise<void> {
  const { database, version } = deps;
  const { auth, authenticator, organisations, groups } = features;
  features.idempotency.register(app);
  const { limits, catalogues } = createLimits(deps);
  dropAfterWrites(
    app,
    Object.values(catalogues).map(({ list }) => list),
  );
  await registerForms(app, (scope) => {
    leadToPublicOrigin(scope, deps);
    registerPages(scope, { deps, features, limits, signInHref: createSignInHref(deps) });
  });
  registerAuthRoutes(app, { auth, authenticator, clients: features.clients, tokens: features.link.tokens });
  registerOwnAccountRoutes(app, features.ownAccounts, recoveryLimits(limits));
  registerRecoveryRoutes(app, features.recovery, recoveryLimits(limits));
  registerClientRoutes(app, features.clients);
  registerDelegatedRoutes(app, auth.delegated);
  registerSecondFactorRoutes(app, features.secondFactor);
  registerKeyRoutes(app, features.keys);
  registerRevocationRoutes(app, features.revocations);
  registerUserAccessRoutes(app, features.users, database);
  registerProxyRelationRoute(app, features.proxies);
  registerRegisteredIdRoutes(app, features.registeredIds);
  registerKnownNameRoutes(app, features.knownNames);
  registerPatientRoutes(app, features.patients, limits.register);
  registerProxyRoutes(app, { proxies: features.proxies, limiter: limits.invitations });
  registerPatientRecordRoutes(app, {
    records: features.patientRecords,
    feed: features.linkFeed,
    lookup: features.patientLookup,
    limiter: limits.lookup,
  });
  registerOrganisationRoutes(app, organisations, catalogues.organisations);
  registerGroupRoutes(app, groups, catalogues);
  registerGroupAdminRoutes(app, groups);
  registerDecisionQueueRoutes(app, features.decisionQueue);
  registerAdministeredGroupRoutes(app, features.administeredGroups);
  registerGroupProposalRoutes(app, features.groupProposals);
  registerLeaderRequestRoutes(app, features.leaderRequests);
  registerInviteRoutes(app, features.invites);
  registerAccessRequestRoutes(app, features.accessRequests, limits.accessRequest);
  registerRegistryRoutes(app, features.registries);
  registerChildrenRoutes(app, features.children);
  registerServiceRegistryRoutes(app, features.serviceRegistry);
  registerSessionRoutes(app, features.sessions);
  registerAuditListRoutes(app, features.auditList);
  registerUserListRoutes(app, features.userList);
  await registerUserCsvRoutes(app, features.userCsv);
  registerAccountMergeRoutes(app, features.accountMerge);
  registerUserAdministrationRoutes(app, features.userAdministration, features.userChanges);
  registerHealthRoutes(app, { database, version });
  registerStatusRoute(app, deps);
  registerSettings(app, {
    path: '/api/admin/settings',
    tag: 'operations',
    permission: 'settings:read',
    settings: deps.settings ?? [],
  });
  await registerFhirRoutes(app, { baseUrl: `${deps.baseUrl}/fhir`, version, kinds: features.fhir });
}

/** Guesses of links and codes are counted with sign-ins. */
function recoveryLimits({ passwordReset, login }: Readonly<Record<'login' | 'passwordReset', RateLimiter>>) {
  return { request: passwordReset, confirm: login };
}

/** The rate limits (contract: identity, Limits). A page and an endpoint that do the same share one limit. */
function createLimits(deps: IdentityDeps) {
  const { config, clock } = deps;
  const limiter = (scope: string, limit: number) =>
    createRateLimiter({ scope, limit, windowSeconds: MINUTE_SECONDS }, deps);
  const catalogue = (scope: string) => ({
    limiter: limiter(scope, config.rateLimitCatalogue),
    list: createPublishedList(clock),
  });
  const catalogues = {
    organisations: catalogue('organisations'),
    groups: catalogue('groups'),
    leaders: catalogue('group-leaders'),
  };
  const limits = {
    login: limiter('login', config.rateLimitLogin),
    register: limiter('register', config.rateLimitRegister),
    organisations: catalogues.organisations.limiter,
    passwordReset: limiter('password-reset', config.rateLimitPasswordReset),
    accessRequest: limiter('access-request', config.rateLimitAccessRequest),
    lookup: limiter('patient-lookup', config.rateLimitLookup),
    invitations: limiter('proxy-invitation', config.rateLimitLookup),
  };
  return { limits, catalogues };
}
