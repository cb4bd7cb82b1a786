// The clients of identity (docs/adr/0054): who they are, which calls they may make, their redirect URIs, and their
// administration.
import type { Audit } from '#lib/audit/audit.ts';
import type { ServiceClient } from '#lib/auth/service-credentials.ts';
import { TOKEN_AUDIENCE } from '#lib/auth/token-verifier.ts';
import type { Database, Transaction } from '#lib/db/database.ts';
import { createRateLimiter } from '#lib/rate-limit/rate-limiter.ts';
import type { Revocations } from '../revocations/service.ts';
import { type ClientAdministration, createClientAdministration } from './administration.ts';
import { type Client, callsOfService } from './client.ts';
import { type ClientDirectory, createClientDirectory, type DirectoryDeps } from './directory.ts';
import * as store from './store.ts';

export type { Client, KnownClient, NewClient } from './client.ts';

const WINDOW_SECONDS = 60;

export interface Clients extends ClientDirectory, ClientAdministration {
  /** PostgreSQL's notification channel: a hint that clients have changed. */
  readonly channel: string;
  /**
   * The audience of the client's tokens; undefined when the client is unknown or disabled. Nobody can disable or delete
   * it until the transaction ends.
   */
  lockAudience(tx: Transaction, clientId: string): Promise<string | undefined>;
}

/** The clients of the configuration, without their secrets. */
export interface ConfiguredClients {
  readonly serviceClients: readonly Pick<ServiceClient, 'clientId'>[];
  readonly applications: readonly { readonly clientId: string }[];
  readonly redirects: readonly string[];
}

export interface ClientsDeps extends Omit<DirectoryDeps, 'guesses' | 'configuredNames'> {
  readonly audit: Audit;
  readonly revocations: Revocations;
  /** Makes revoked tokens ineffective on this node. */
  readonly takeEffect: () => Promise<void>;
  /** Wrong secrets per minute and address. */
  readonly guessesPerMinute: number;
}

/** The administration alone, for a command that runs beside the nodes; they are notified of each change. */
export function openClientAdministration(
  deps: Pick<ClientsDeps, 'database' | 'clock' | 'audit' | 'revocations'> & ConfiguredClients,
): ClientAdministration {
  const channel = channelOf(deps.database);
  const takeEffect = async () => undefined;
  return createClientAdministration({ ...deps, channel, configured: configuredClients(deps), takeEffect });
}

function channelOf({ schema }: Database): string {
  return `${schema}_clients`;
}

export function createClients(deps: ClientsDeps): Clients {
  const { database, takeEffect } = deps;
  const channel = channelOf(database);
  const rule = { scope: 'client-secret', limit: deps.guessesPerMinute, windowSeconds: WINDOW_SECONDS };
  const configured = configuredClients(deps);
  const configuredNames = new Map(configured.map(({ clientId, name }) => [clientId, name]));
  const directory = createClientDirectory({ ...deps, configuredNames, guesses: createRateLimiter(rule, deps) });
  const administration = createClientAdministration({
    ...deps,
    channel,
    configured,
    takeEffect: () => Promise.all([directory.follower.refresh(), takeEffect()]),
  });
  return {
    ...directory,
    ...administration,
    channel,
    lockAudience: async (tx, clientId) =>
      directory.isConfigured(clientId) ? TOKEN_AUDIENCE : store.lockAudience(tx, clientId),
  };
}

/** The clients of the configuration, as the list shows them. */
function configuredClients({ serviceClients, applications, redirects }: ConfiguredClients): Client[] {
  const common = {
    isPublic: false,
    audience: TOKEN_AUDIENCE,
    managedBy: 'configuration',
    disabledAt: null,
    createdAt: null,
    createdBy: null,
    rotatedAt: null,
    previousSecretUntil: null,
    lastUsedAt: null,
  } as const;
  return [
    ...serviceClients.map(({ clientId }): Client => {
      return {
        ...common,
        clientId,
        name: `Kedja ${clientId}`,
        kind: 'service',
        calls: callsOfService(clientId),
        redirects: [],
      };
    }),
    ...applications.map(({ clientId }): Client => {
      return { ...common, clientId, name: clientId, kind: 'application', calls: ['user:read'], redirects };
    }),
  ];
}
