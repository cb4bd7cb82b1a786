// Connects the services of this process: by `app.inject` when both run here, else over the network.

import type { HttpApp } from '#lib/http/http-app.ts';
import { injectFetch, nodesFetch, type ServiceFetch } from '#lib/http/upstream/service-fetch.ts';
import type { Upstream } from '#lib/http/upstream/upstream.ts';
import type { PeerName } from './upstreams.ts';

export interface Peers {
  /** The fetch by which other services call this one; adds `prefix` to every path. */
  fetchOf(name: PeerName, prefix?: string): ServiceFetch;
  /** Makes an application of this process reachable for the others. */
  add(name: PeerName, app: HttpApp): void;
}

export function createPeers(local: ReadonlySet<PeerName>, upstreams: Readonly<Record<PeerName, Upstream>>): Peers {
  const apps = new Map<PeerName, HttpApp>();
  return {
    add: (name, app) => void apps.set(name, app),
    fetchOf(name, prefix = '') {
      if (!local.has(name)) return nodesFetch(upstreams[name], prefix);
      const carrier = injectFetch(() => apps.get(name));
      return prefix === '' ? carrier : (path, request) => carrier(prefix + path, request);
    },
  };
}
