// Introspects an API key at the engine, which owns API keys (decision G8).
import Type from 'typebox';
import { Value } from 'typebox/value';
import { principalOfKey } from '#lib/auth/api-key-principal.ts';
import type { ApiKeySource } from '#lib/auth/authenticator.ts';
import type { Principal } from '#lib/auth/principal.ts';
import { credentialHeaders, type ServiceCredentials } from '#lib/auth/service-credentials.ts';
import { ServiceError } from '#lib/errors.ts';
import { expectJson, type ServiceFetch } from '#lib/http/upstream/service-fetch.ts';

/** The wire form of the response to `POST /api/v1/api-keys/introspect`. */
const KeyIntrospection = Type.Union([
  Type.Object({ active: Type.Literal(false) }),
  Type.Object({
    active: Type.Literal(true),
    key_guid: Type.String(),
    scopes: Type.Array(Type.String()),
    provider_guid: Type.Optional(Type.Union([Type.String(), Type.Null()])),
    organisation_guid: Type.Optional(Type.String()),
  }),
]);

export interface ApiKeyClient extends ApiKeySource {
  /**
   * The principal of the key of this guid; undefined when none is valid.
   * @throws ServiceError `upstream_unavailable`, `upstream_error`
   */
  readByGuid(guid: string): Promise<Principal | undefined>;
}

export function createApiKeyClient(options: { fetch: ServiceFetch; credentials: ServiceCredentials }): ApiKeyClient {
  const headers = credentialHeaders(options.credentials);
  const introspect = async (json: { readonly key: string } | { readonly key_guid: string }) => {
    const answer = await options.fetch('/api/v1/api-keys/introspect', { method: 'POST', headers, json });
    const body = await expectJson(answer, 200);
    if (!Value.Check(KeyIntrospection, body)) {
      throw new ServiceError('upstream_error', 'The engine answered what cannot be read about an API key');
    }
    if (!body.active) return undefined;
    const { key_guid: keyGuid, scopes, provider_guid: providerGuid, organisation_guid: organisationGuid } = body;
    return principalOfKey({ keyGuid, scopes, providerGuid: providerGuid ?? undefined, organisationGuid });
  };
  return { read: (key) => introspect({ key }), readByGuid: (guid) => introspect({ key_guid: guid }) };
}
