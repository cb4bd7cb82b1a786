// The gateway as a module of this process: it has no database and admits everyone, since every service judges its own callers.

import type { Addresses } from '../config.ts';
import { registerGateway } from '../gateway/plugin.ts';
import type { StartPageContent } from '../gateway/start-page.ts';
import type { ServiceModule } from './module.ts';

export function gatewayModule(addresses: Addresses, startPage: () => StartPageContent): ServiceModule {
  const upstreams = {
    identity: addresses.identityUrl,
    dispatch: addresses.dispatchUrl,
    engine: addresses.engineUrl,
  };
  return {
    authenticator: { authenticate: async () => undefined, authenticateToken: refuse },
    wireFormOf: () => 'plain',
    readiness: [],
    plugin: (app) => registerGateway(app, { upstreams, startPage }),
    start: async () => undefined,
    stop: async () => undefined,
  };
}

function refuse(): never {
  throw new Error('The gateway authenticates nobody');
}
