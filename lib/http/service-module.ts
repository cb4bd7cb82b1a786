// What every service's factory answers to the composition root.
import type { Authenticator } from '../auth/authenticator.ts';
import type { WireForm } from './error-handler.ts';
import type { HttpApp } from './http-app.ts';
import type { OperationExamples } from './openapi/openapi-examples.ts';
import type { ReadinessCheck } from './operations.ts';

/** A service as its factory makes it: routes, background work and what it needs to be ready. */
export interface ServiceModule {
  readonly authenticator: Authenticator;
  readonly wireFormOf: (path: string) => WireForm;
  readonly readiness: readonly ReadinessCheck[];
  /** Of the calls in /openapi.json, by operation; none when left out. */
  readonly examples?: (() => OperationExamples) | undefined;
  /** Registers the routes. */
  plugin(app: HttpApp): Promise<void>;
  /** Starts background work; the application listens already. */
  start(): Promise<void>;
  /** Ends background work; requests have been served. */
  stop(): Promise<void>;
}
