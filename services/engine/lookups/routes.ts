// Routes of the lookup tables (contract: engine, "Lookup tables").
import { checkedBy } from '#lib/http/body-check.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { LIBRARY, registerRecordRoutes, summariesOf } from '../shared/record-routes.ts';
import { LookupQuery } from './schema.ts';
import type { LookupService } from './service.ts';
import type { LookupFields, LookupTable } from './tables.ts';

export function registerLookup(app: HttpApp, spec: LookupTable, service: LookupService): void {
  const { table, what, path, input, output, users, check } = spec;
  registerRecordRoutes(app, {
    path,
    ...LIBRARY,
    schemas: { output, input, query: LookupQuery },
    summaries: { ...summariesOf(what), list: `List ${what} entries` },
    ...(check && { check: checkedBy(check) }),
    service,
    guidOf: (entry: LookupFields) => String(entry[`${table}_guid`]),
    versionOf: (entry: LookupFields) => Number(entry['revision']),
    ...(users && {
      removal: { summary: `Delete a ${what} that nothing uses`, errors: ['conflict'], remove: service.remove },
    }),
  });
}
