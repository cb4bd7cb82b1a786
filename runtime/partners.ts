// Which plan and contract service dispatch calls, and with which credentials (docs/adr/0044). It calls the engine with
// its own credentials. A service outside of this system gets the credentials configured for it, or none, and never a
// secret of ours.
import type { ServiceCredentials } from '#lib/auth/service-credentials.ts';
import type { ClientCredentials } from '#lib/config/network-types.ts';
import { networkFetch, type ServiceFetch } from '#lib/http/upstream/service-fetch.ts';

export interface Partner {
  readonly fetch: ServiceFetch;
  readonly credentials: ServiceCredentials | undefined;
}

export interface PartnerSettings {
  /** Undefined for the engine. */
  readonly url: string | undefined;
  readonly client: ClientCredentials | undefined;
}

/** `engine`: the fetch, address and credentials of this system's engine. */
export function partnerOf({ url, client }: PartnerSettings, engine: Partner & { readonly url: string }): Partner {
  if (url === undefined) return engine;
  const fetch = networkFetch(url);
  if (new URL(url).origin === new URL(engine.url).origin) return { fetch, credentials: engine.credentials };
  if (client === undefined) return { fetch, credentials: undefined };
  return { fetch, credentials: { clientId: client.clientId, clientSecret: client.clientSecret.reveal() } };
}
