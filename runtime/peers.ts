// How the services of this process reach each other: through `app.inject` when both run here, else over the network.

import type { HttpApp } from '#lib/http/http-app.ts';
import { injectFetch, networkFetch, type ServiceFetch } from '#lib/http/service-fetch.ts';

export type PeerName = 'identity' | 'dispatch' | 'engine';

export interface Peers {
  /** The fetch by which others call the service; `prefix` is put before every path. */
  fetchOf(name: PeerName, prefix?: string): ServiceFetch;
  /** Makes an application of this process reachable. */
  add(name: PeerName, app: HttpApp): void;
}

export function createPeers(local: ReadonlySet<PeerName>, urls: Readonly<Record<PeerName, string>>): Peers {
  const apps = new Map<PeerName, HttpApp>();
  return {
    add: (name, app) => void apps.set(name, app),
    fetchOf(name, prefix = '') {
      const carrier = local.has(name) ? injectFetch(() => apps.get(name)) : networkFetch(urls[name]);
      return prefix === '' ? carrier : (path, request) => carrier(prefix + path, request);
    },
  };
}
