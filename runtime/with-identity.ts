// Connects a service to identity: its tokens and revocations, and the sign-in of browsers.
import { createClientSource } from '#clients/client-source.ts';
import { createIdentityClient, type IdentityClient } from '#clients/identity-client.ts';
import { createSignInClient } from '#clients/sign-in-client.ts';
import {
  type ApiKeySource,
  type Authenticator,
  createAuthenticator,
  type ForeignTokens,
  type TokenAuthenticator,
} from '#lib/auth/authenticator.ts';
import { createIdentityLink, type IdentityLink } from '#lib/auth/identity-link.ts';
import type { ClientService } from '#lib/auth/principal.ts';
import { systemClock } from '#lib/clock.ts';
import type { ReadinessCheck } from '#lib/http/operations.ts';
import type { ServiceModule } from '#lib/http/service-module.ts';
import { stopInTurn } from '#lib/jobs/stop.ts';
import type { Logger } from '#lib/log/logger.ts';
import type { KeySet } from '#lib/secrets/key-set.ts';
import { createSignIn } from '#lib/sign-in/sign-in.ts';
import { rootOf } from '../config.ts';
import { credentialsOf, type ProcessContext } from './process-context.ts';

/** The result of the factory of a service that authenticates by identity. */
export interface ConsumerService extends Pick<ServiceModule, 'wireFormOf' | 'examples' | 'plugin' | 'start' | 'stop'> {
  readonly apiKeys: ApiKeySource;
  readonly userTokens?: ForeignTokens;
  readonly readiness?: readonly ReadinessCheck[];
}

/** The connection of a service to identity, which all its tenants share. */
export interface SharedIdentity {
  readonly link: IdentityLink;
  readonly authenticator: TokenAuthenticator;
}

/** Adds the connection to identity, and the authenticator that uses it. */
export function withIdentity(around: ProcessContext, site: ConsumerSite): ServiceModule & { shared: SharedIdentity } {
  const { name, log, service } = site;
  const client = identityClient(around, name);
  const link = createIdentityLink({ keys: client.keys, revocationSource: client.revocations, clock: systemClock, log });
  around.links.push(link);
  const authenticator = createAuthenticator({
    tokens: link.tokens,
    revocations: link.revocations,
    blobs: client.blobs,
    serviceClients: around.serviceClients,
    clients: createClientSource({
      fetch: around.peers.fetchOf('identity'),
      credentials: credentialsOf(around, name),
      clock: systemClock,
    }),
    clock: systemClock,
    ...ownCredentials(service),
  });
  const module = withSignIn(around, { ...site, link, authenticator });
  return {
    ...module,
    shared: { link, authenticator },
    start: async () => {
      link.loop.start();
      await module.start();
    },
    stop: () => stopInTurn([module.stop, link.loop.stop]),
  };
}

/** The same for a tenant: it takes tokens of identity for this tenant, and keys of its own. */
export function withSharedIdentity(
  around: ProcessContext,
  site: ConsumerSite,
  { link, authenticator }: SharedIdentity,
): ServiceModule {
  if (around.tenant === undefined) throw new Error('The default tenant has the connection of its own');
  const own = authenticator.forTenant(around.tenant.name, ownCredentials(site.service));
  return withSignIn(around, { ...site, link, authenticator: own });
}

interface ConsumerSite {
  readonly name: 'dispatch' | 'engine';
  readonly log: Logger;
  readonly service: ConsumerService;
  readonly sessionKeys: KeySet;
}

function ownCredentials({ apiKeys, userTokens }: ConsumerService) {
  return { apiKeys, ...(userTokens === undefined ? {} : { foreignTokens: userTokens }) };
}

function withSignIn(
  around: ProcessContext,
  site: ConsumerSite & { readonly link: IdentityLink; readonly authenticator: Authenticator },
): ServiceModule {
  const { name, service, sessionKeys, link, authenticator } = site;
  const signIn = createSignIn({
    // By path, tenants are one origin to a browser: each has a cookie of its own, or one sign-in would end the other.
    service: around.tenant === undefined ? name : `${name}.${around.tenant.name}`,
    rootUrl: rootOf(name, around.addresses),
    identityUrl: around.addresses.signInRoot ?? rootOf('identity', around.addresses),
    keys: sessionKeys,
    clock: systemClock,
    source: createSignInClient(around.peers.fetchOf('identity')),
    authenticator,
    onSignedOut: () => link.revocations.refresh(),
  });
  return {
    authenticator: signIn.authenticator,
    wireFormOf: service.wireFormOf,
    examples: service.examples,
    readiness: [link.readiness, ...(service.readiness ?? [])],
    plugin: async (app) => {
      await signIn.register(app);
      await service.plugin(app);
    },
    start: service.start,
    stop: service.stop,
  };
}

export function identityClient(around: ProcessContext, name: ClientService): IdentityClient {
  return createIdentityClient({ fetch: around.peers.fetchOf('identity'), credentials: credentialsOf(around, name) });
}
