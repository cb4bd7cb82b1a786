// The engine with a real identity, both in process, each on its own database. Tokens, addresses and revocations pass
// between them as in a deployment.
import { createAccountClient } from '#clients/account-client.ts';
import { createIdentityClient } from '#clients/identity-client.ts';
import { createIdentityNames } from '#clients/identity-names.ts';
import { createIdentityProxies } from '#clients/identity-proxies.ts';
import { createPatientReporter } from '#fhir/store/patient-reports.ts';
import { createAuthenticator } from '#lib/auth/authenticator.ts';
import { createIdentityLink } from '#lib/auth/identity-link.ts';
import type { ServiceClient } from '#lib/auth/service-credentials.ts';
import { injectFetch, type ServiceFetch } from '#lib/http/upstream/service-fetch.ts';
import type { WorkerLoop } from '#lib/jobs/worker-loop.ts';
import { type Hooks, lastFirst } from '../hooks.ts';
import { makeTestLogger } from '../http-app.ts';
import { type HandClock, handClock, type Identity, SERVICE, startIdentity } from '../identity/identity.ts';
import { startTestEngine, type TestEngine } from './engine.ts';

export interface EngineWithIdentity {
  readonly identity: Identity;
  readonly engine: TestEngine;
  readonly clock: HandClock;
  /** Reads the revocation feed, as a node does every second. */
  follow(): Promise<void>;
  /** Reports the Patients of the engine to identity; a step of the worker that does it. */
  readonly reporter: WorkerLoop;
  /** Whether identity responds to the engine; true at first. */
  readonly line: { isCut: boolean };
}

export async function startEngineWithIdentity(
  hooks: Hooks,
  changes: Parameters<typeof startTestEngine>[1] = {},
  serviceClients: readonly ServiceClient[] = [SERVICE],
): Promise<EngineWithIdentity> {
  const ordered = lastFirst(hooks);
  const clock = handClock();
  const identity = await startIdentity(ordered, { clock, serviceClients });
  const line = { isCut: false };
  const plain = injectFetch(() => identity.app);
  const fetch: ServiceFetch = async (path, request) =>
    line.isCut ? { status: 503, headers: {}, text: '' } : plain(path, request);
  const client = createIdentityClient({ fetch, credentials: SERVICE });
  const link = createIdentityLink({
    keys: client.keys,
    revocationSource: client.revocations,
    clock,
    log: makeTestLogger([]),
  });
  await link.tokens.refreshKeys();
  await link.revocations.refresh();
  const engine = await startTestEngine(ordered, {
    clock,
    identityAccounts: createAccountClient({ fetch, credentials: SERVICE }),
    identityNames: createIdentityNames({ fetch, credentials: SERVICE }),
    readAccess: client.readAccess,
    readProxies: createIdentityProxies({ fetch, credentials: SERVICE, service: 'engine' }),
    authenticatorOf: (named, site) => {
      const real = createAuthenticator({
        tokens: link.tokens,
        revocations: link.revocations,
        blobs: client.blobs,
        serviceClients: [],
        clock,
        foreignTokens: site.engine.userTokens,
      });
      const isToken = (text: unknown) => typeof text === 'string' && text.split('.').length === 3;
      return {
        findCached: () => undefined,
        authenticate: (headers) => (isToken(headers['authorization']) ? real : named).authenticate(headers),
      };
    },
    ...changes,
  });
  const reporter = createPatientReporter({
    database: engine.database,
    log: makeTestLogger([]),
    sink: client.reportPatients,
  });
  ordered.after(() => reporter.stop());
  return { identity, engine, clock, line, reporter, follow: () => link.revocations.refresh() };
}
