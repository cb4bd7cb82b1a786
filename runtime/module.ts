// What a service passes to the composition root, and how it becomes a listening application.
import type { AddressInfo } from 'node:net';
import { fhirWire } from '#fhir/resources/wire.ts';
import type { Database } from '#lib/db/database.ts';
import { hasPendingMigrations } from '#lib/db/schema/migrate.ts';
import type { MigrationSource } from '#lib/db/schema/migration-files.ts';
import { createHttpApp } from '#lib/http/app.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import type { ReadinessCheck } from '#lib/http/operations.ts';
import type { ServiceModule } from '#lib/http/service-module.ts';
import type { ServingGate } from '#lib/http/serving-gate.ts';
import type { Logger } from '#lib/log/logger.ts';
import type { Metrics } from '#lib/metrics/metrics.ts';
import type { Tracer } from '#lib/traces/tracer.ts';

export interface ModuleSite {
  readonly name: string;
  readonly title: string;
  readonly version: string;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly tracer: Tracer;
  readonly trustProxy: readonly string[];
  /** The gateway's proof to the services. */
  readonly gatewayProof?: string;
  readonly corsOrigins: readonly string[];
  readonly gate: ServingGate;
  readonly drainMs: number;
  readonly stopping: AbortSignal;
  /** The time limit of a request after its arrival, in milliseconds. */
  readonly limitMs: number;
}

/** Builds the application of a module, ready to listen. */
export async function buildApp(module: ServiceModule, site: ModuleSite): Promise<HttpApp> {
  const { name, ...rest } = site;
  const app = await createHttpApp({
    service: name,
    ...rest,
    authenticator: module.authenticator,
    readiness: [...module.readiness, ...(module.dependencies ?? [])],
    wireFormOf: module.wireFormOf,
    fhir: fhirWire,
    examples: module.examples,
    tenants: module.tenants,
  });
  await module.plugin(app);
  await app.ready();
  return app;
}

/** Binds the application and returns its port. @throws Error of one line when the port is in use */
export async function listen(app: HttpApp, address: { host: string; port: number; name: string }): Promise<number> {
  const { host, port, name } = address;
  try {
    await app.listen({ host, port });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    const reason = code === 'EADDRINUSE' ? 'another program uses it' : code;
    throw new Error(`${name} cannot listen on ${host}:${port}: ${reason}`, { cause: error });
  }
  return (app.server.address() as AddressInfo).port;
}

/** Ready when the database responds and all migrations are applied. Once true, the migrations are not checked again. */
export function databaseReadiness(database: Database, migrations: readonly MigrationSource[]): ReadinessCheck {
  let isMigrated = false;
  return {
    name: 'database',
    check: async () => {
      try {
        if (isMigrated) await database.query('SELECT 1');
        else isMigrated = !(await hasPendingMigrations(database, migrations));
        return isMigrated ? undefined : 'migrations are still to be applied';
      } catch {
        return 'it cannot be reached, or does not fit this version';
      }
    },
  };
}
