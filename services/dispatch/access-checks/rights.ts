// Whose rights an access check reads: those of a user of identity, or of a key of the engine, as they are now.
import { createApiKeyClient } from '#clients/api-key-client.ts';
import type { AccessCheckOptions } from '#fhir/rest/access-check/service.ts';
import type { Principal } from '#lib/auth/principal.ts';
import type { ServiceCredentials } from '#lib/auth/service-credentials.ts';
import type { ServiceFetch } from '#lib/http/upstream/service-fetch.ts';

interface RightsDeps {
  readonly readContact?: ((userGuid: string) => Promise<{ readonly principal: Principal } | undefined>) | undefined;
  readonly engineFetch: ServiceFetch;
  readonly serviceCredentials: ServiceCredentials;
}

export function rightsFrom({
  readContact,
  engineFetch,
  serviceCredentials,
}: RightsDeps): AccessCheckOptions['rightsOf'] {
  const keys = createApiKeyClient({ fetch: engineFetch, credentials: serviceCredentials });
  return async (kind, guid) => (kind === 'api_key' ? keys.readByGuid(guid) : (await readContact?.(guid))?.principal);
}
