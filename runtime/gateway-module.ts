// The gateway as a module of this process: it has no database and admits everyone, since every service judges its own callers.

import { systemClock } from '#lib/clock.ts';
import type { WireForm } from '#lib/http/error-handler.ts';
import type { ServiceModule } from '#lib/http/service-module.ts';
import { wireFormOf as dispatchWireForm } from '#services/dispatch/plugin.ts';
import { wireFormOf as engineWireForm } from '#services/engine/wire-form.ts';
import { wireFormOf as identityWireForm } from '#services/identity/plugin.ts';
import type { Addresses } from '../config.ts';
import { registerGateway } from '../gateway/plugin.ts';
import type { StartPageContent } from '../gateway/start-page.ts';

type GatewayAddresses = Pick<Addresses, 'publicUrl' | 'identityUrl' | 'dispatchUrl' | 'engineUrl'>;

export function gatewayModule(
  { addresses, gatewayProof: proof }: { addresses: GatewayAddresses; gatewayProof: string },
  startPage: () => StartPageContent,
): ServiceModule {
  const upstreams = {
    identity: addresses.identityUrl,
    dispatch: addresses.dispatchUrl,
    engine: addresses.engineUrl,
  };
  return {
    authenticator: { recall: () => undefined, authenticate: async () => undefined },
    wireFormOf,
    readiness: [],
    plugin: (app) =>
      registerGateway(app, { upstreams, publicUrl: addresses.publicUrl, proof, startPage, clock: systemClock }),
    start: async () => undefined,
    stop: async () => undefined,
  };
}

const WIRE_FORMS: Readonly<Record<string, (path: string) => WireForm>> = {
  identity: identityWireForm,
  dispatch: dispatchWireForm,
  engine: engineWireForm,
};

/** The gateway's own errors at a service's address have the form that the service would use (decision G3), else that of a page. */
function wireFormOf(path: string): WireForm {
  const [, name = '', rest = ''] = /^\/(\w+)(\/.*)$/.exec(path) ?? [];
  return WIRE_FORMS[name]?.(rest) ?? 'page';
}
