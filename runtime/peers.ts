// Connects the services of this process: by `app.inject` when both run here, else over the network. The gateway hands
// its requests over to them.

import type { HttpApp } from '#lib/http/http-app.ts';
import type { ServingGate } from '#lib/http/serving-gate.ts';
import { injectFetch, nodesFetch, type ServiceFetch } from '#lib/http/upstream/service-fetch.ts';
import type { Upstream } from '#lib/http/upstream/upstream.ts';
import type { LocalServices, Serve } from '../gateway/hand-over.ts';
import type { PeerName } from './upstreams.ts';

export interface Peers {
  /** The fetch by which other services call this one; adds `prefix` to every path. */
  fetchOf(name: PeerName, prefix?: string): ServiceFetch;
  /** Makes an application of this process reachable for the others, and for the gateway once its gate is open. */
  add(name: PeerName, app: HttpApp, gate: Pick<ServingGate, 'isOpen'>): void;
  readonly local: LocalServices;
}

export function createPeers(local: ReadonlySet<PeerName>, upstreams: Readonly<Record<PeerName, Upstream>>): Peers {
  const apps = new Map<PeerName, HttpApp>();
  const served = new Map<string, { readonly gate: Pick<ServingGate, 'isOpen'>; readonly serve: Serve }>();
  return {
    add: (name, app, gate) => {
      apps.set(name, app);
      served.set(name, { gate, serve: (request, response) => void app.server.emit('request', request, response) });
    },
    local: {
      find: (name) => {
        const found = served.get(name);
        return found?.gate.isOpen() === true ? found.serve : undefined;
      },
    },
    fetchOf(name, prefix = '') {
      if (!local.has(name)) return nodesFetch(upstreams[name], prefix);
      const carrier = injectFetch(() => apps.get(name));
      return prefix === '' ? carrier : (path, request) => carrier(prefix + path, request);
    },
  };
}
