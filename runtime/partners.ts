// Where dispatch asks for plans and contracts, and as whom (docs/adr/0044). The engine is asked with dispatch's own
// credentials; a service outside this system gets the pair that is meant for it, or none, and never the secret of one
// of ours.
import type { ServiceCredentials } from '#lib/auth/service-credentials.ts';
import type { ClientCredentials } from '#lib/config/network-types.ts';
import { networkFetch, type ServiceFetch } from '#lib/http/upstream/service-fetch.ts';

export interface Partner {
  readonly fetch: ServiceFetch;
  readonly credentials: ServiceCredentials | undefined;
}

export interface PartnerSettings {
  /** Undefined: the engine. */
  readonly url: string | undefined;
  readonly client: ClientCredentials | undefined;
}

/** `engine`: how the engine of this system is asked, at what address, and as whom. */
export function partnerOf({ url, client }: PartnerSettings, engine: Partner & { readonly url: string }): Partner {
  if (url === undefined) return engine;
  const fetch = networkFetch(url);
  if (new URL(url).origin === new URL(engine.url).origin) return { fetch, credentials: engine.credentials };
  if (client === undefined) return { fetch, credentials: undefined };
  return { fetch, credentials: { clientId: client.clientId, clientSecret: client.clientSecret.reveal() } };
}
