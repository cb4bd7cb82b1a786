// The gateway as a module of this process: it has no database and admits everyone, since every service judges its own
// callers.

import type { WireForm } from '#lib/http/error-handler.ts';
import type { ServiceModule } from '#lib/http/service-module.ts';
import { wireFormOf as dispatchWireForm } from '#services/dispatch/plugin.ts';
import { wireFormOf as engineWireForm } from '#services/engine/wire-form.ts';
import { wireFormOf as identityWireForm } from '#services/identity/plugin.ts';
import { type GatewayOptions, registerGateway } from '../gateway/plugin.ts';

export function gatewayModule(options: GatewayOptions): ServiceModule {
  return {
    authenticator: { recall: () => undefined, authenticate: async () => undefined },
    wireFormOf,
    readiness: [],
    plugin: (app) => registerGateway(app, options),
    start: async () => undefined,
    stop: async () => undefined,
  };
}

const WIRE_FORMS: Readonly<Record<string, (path: string) => WireForm>> = {
  identity: identityWireForm,
  dispatch: dispatchWireForm,
  engine: engineWireForm,
};

/**
 * The gateway's own errors at a service's address have the form that the service would use (decision G3), else that of
 * a page.
 */
function wireFormOf(path: string): WireForm {
  const [, name = '', rest = ''] = /^\/(\w+)(\/.*)$/.exec(path) ?? [];
  return WIRE_FORMS[name]?.(rest) ?? 'page';
}
