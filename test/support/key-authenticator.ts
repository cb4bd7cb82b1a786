// The authenticator of production for callers with API keys; other callers are named as in every test.
import { type Authenticator, createAuthenticator } from '#lib/auth/authenticator.ts';
import { createRevocationList } from '#lib/auth/revocation-list.ts';
import { createTokenVerifier } from '#lib/auth/token-verifier.ts';
import type { Clock } from '#lib/clock.ts';
import type { EngineService } from '#services/engine/plugin.ts';

export function withRealKeys(
  named: Authenticator,
  { engine, clock }: { readonly engine: EngineService; readonly clock: Clock },
): Authenticator {
  const own = createAuthenticator({
    tokens: createTokenVerifier({ keys: { load: async () => ({ keys: [] }) }, clock }),
    revocations: createRevocationList({
      source: { readAfter: async () => ({ events: [], sequence: 0, hasMore: false }) },
      clock,
    }),
    blobs: { read: async () => undefined },
    serviceClients: [],
    clock,
    apiKeys: engine.apiKeys,
  });
  return {
    findCached: own.findCached,
    authenticate: (headers) => (headers['x-api-key'] === undefined ? named : own).authenticate(headers),
  };
}
