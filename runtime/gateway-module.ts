// The gateway as a module of the process. It has no database and authenticates nobody, as every service checks its own
// callers.

import type { WireForm } from '#lib/http/error-handler.ts';
import type { ServiceModule } from '#lib/http/service-module.ts';
import { wireFormOf as dispatchWireForm } from '#services/dispatch/plugin.ts';
import { wireFormOf as engineWireForm } from '#services/engine/wire-form.ts';
import { wireFormOf as identityWireForm } from '#services/identity/plugin.ts';
import { type GatewayOptions, registerGateway } from '../gateway/plugin.ts';
import { createServiceStatuses } from '../gateway/service-status.ts';
import type { ConsoleBuild } from './console-build.ts';

interface GatewayModuleOptions extends Omit<GatewayOptions, 'statuses' | 'consoleFiles'> {
  readonly consoleBuild: ConsoleBuild;
}

export function gatewayModule({ consoleBuild, ...options }: GatewayModuleOptions): ServiceModule {
  const statuses = createServiceStatuses(options.upstreams, options.clock);
  return {
    authenticator: { findCached: () => undefined, authenticate: async () => undefined },
    wireFormOf,
    readiness: [],
    dependencies: statuses.readiness,
    plugin: (app) => registerGateway(app, { ...options, statuses, consoleFiles: consoleBuild.files }),
    start: async () => consoleBuild.start(),
    stop: () => consoleBuild.stop(),
  };
}

const WIRE_FORMS: ReadonlyMap<string, (path: string) => WireForm> = new Map([
  ['identity', identityWireForm],
  ['dispatch', dispatchWireForm],
  ['engine', engineWireForm],
]);

/** The gateway's own errors have the wire form of the service at that address (decision G3), else that of a page. */
function wireFormOf(path: string): WireForm {
  const [, name = '', rest = ''] = /^\/(\w+)(\/.*)$/.exec(path) ?? [];
  return WIRE_FORMS.get(name)?.(rest) ?? 'page';
}
