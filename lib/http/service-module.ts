// The interface between a service and the composition root.
import type { Authenticator } from '../auth/authenticator.ts';
import type { WireForm } from './error-handler.ts';
import type { HttpApp } from './http-app.ts';
import type { OperationExamples } from './openapi/openapi-examples.ts';
import type { ReadinessCheck } from './operations.ts';
import type { TenantRequests } from './tenants/tenant-requests.ts';

/** A service: its routes, its background work and its readiness checks. */
export interface ServiceModule {
  readonly authenticator: Authenticator;
  readonly wireFormOf: (path: string) => WireForm;
  /** Until all of them hold for the first time, nothing is served. */
  readonly readiness: readonly ReadinessCheck[];
  /** More conditions of /readyz, without which the module is served nevertheless; none when left out. */
  readonly dependencies?: readonly ReadinessCheck[] | undefined;
  /** Example calls for /openapi.json, by operation; none when left out. */
  readonly examples?: (() => OperationExamples) | undefined;
  /** The tenants besides the default one; none when left out. */
  readonly tenants?: TenantRequests | undefined;
  /** Registers the routes. */
  plugin(app: HttpApp): Promise<void>;
  /** Starts background work, after the application has begun to listen. */
  start(): Promise<void>;
  /** Ends background work, after the last request. */
  stop(): Promise<void>;
}
