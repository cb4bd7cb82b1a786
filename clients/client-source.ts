// Checks client credentials at identity, which owns clients on record (docs/adr/0054). Responses are cached so briefly
// that a change takes effect everywhere within two seconds.
import Type from 'typebox';
import { Value } from 'typebox/value';
import type { ClientSource } from '#lib/auth/authenticator.ts';
import { createExpiringCache } from '#lib/auth/expiring-cache.ts';
import type { Principal } from '#lib/auth/principal.ts';
import { clientPrincipal, credentialHeaders, type ServiceCredentials } from '#lib/auth/service-credentials.ts';
import type { Clock } from '#lib/clock.ts';
import { sha256 } from '#lib/crypto/secret.ts';
import { ServiceError } from '#lib/errors.ts';
import { expectJson, type ServiceFetch } from '#lib/http/upstream/service-fetch.ts';

/** The wire form of the request; `address` is the origin of the request that had the credentials. */
export const IntrospectBody = Type.Object(
  {
    client_id: Type.String({ maxLength: 1024 }),
    client_secret: Type.String({ maxLength: 1024 }),
    address: Type.String({ maxLength: 64 }),
  },
  { additionalProperties: false },
);

/** The wire form of the response. */
export const Introspection = Type.Union([
  Type.Object({ active: Type.Literal(false) }),
  Type.Object({
    active: Type.Literal(true),
    client_id: Type.String(),
    kind: Type.Enum(['application', 'service']),
    calls: Type.Array(Type.String()),
  }),
]);

/** Identity's own nodes see a change after about a second. */
const REMEMBER_MS = 500;
const MAX_REMEMBERED = 1_000;
/** Longer credentials belong to no client. */
const LONGEST = 1024;

export function createClientSource(options: {
  fetch: ServiceFetch;
  credentials: ServiceCredentials;
  clock: Clock;
}): ClientSource {
  const { fetch, clock } = options;
  const headers = credentialHeaders(options.credentials);
  const known = createExpiringCache<Principal | undefined>({
    ttlMs: REMEMBER_MS,
    maxEntries: MAX_REMEMBERED,
    clock,
  });

  async function ask({ clientId, clientSecret }: ServiceCredentials, address: string): Promise<Principal | undefined> {
    const json = { client_id: clientId, client_secret: clientSecret, address };
    const answer = await fetch('/api/auth/clients/introspect', { method: 'POST', headers, json });
    // An identity of the previous release has no such address, and no clients on record.
    if (answer.status === 404) return undefined;
    if (answer.status === 429) throw tooMany(Number(answer.headers['retry-after'] ?? 1));
    const body = await expectJson(answer, 200);
    if (!Value.Check(Introspection, body)) {
      throw new ServiceError('upstream_error', 'Identity answered what cannot be read about a client');
    }
    return body.active && body.kind === 'service' ? clientPrincipal(body.client_id, new Set(body.calls)) : undefined;
  }

  return {
    async read(credentials, address = 'unknown') {
      const { clientId, clientSecret } = credentials;
      if (clientId.length > LONGEST || clientSecret.length > LONGEST) return undefined;
      return known.get(digestOf(credentials), () => ask(credentials, address));
    },
  };
}

function digestOf({ clientId, clientSecret }: ServiceCredentials): string {
  return sha256(`${clientId}\n${clientSecret}`).toString('base64url');
}

function tooMany(retryAfterSeconds: number): ServiceError {
  return new ServiceError('rate_limited', 'Too many wrong client secrets; try again later', { retryAfterSeconds });
}
