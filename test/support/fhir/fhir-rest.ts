// The FHIR routes on a separate store with the real validator, for tests of interactions.

import { entriesOfAccess } from '#fhir/rest/interactions/access-records.ts';
import { type FhirRestOptions, INTERACTIONS } from '#fhir/rest/options.ts';
import { fhirRestPlugin } from '#fhir/rest/plugin.ts';
import { loadSearchParameters } from '#fhir/search/parameters/definitions.ts';
import { fhirStoreMigrations } from '#fhir/store/migrations.ts';
import { createFhirStore } from '#fhir/store/store.ts';
import { validateResource } from '#fhir/validation/validate.ts';
import { createAccessLog } from '#lib/audit/access-log.ts';
import { createAccessUnpacker } from '#lib/audit/access-unpacker.ts';
import { auditMigrations } from '#lib/audit/migrations.ts';
import { dataScopeOf, ownerOrganisation } from '#lib/auth/data-scope.ts';
import { systemClock } from '#lib/clock.ts';
import type { Database } from '#lib/db/database.ts';
import { createTestDatabase } from '../database/database.ts';
import { type Hooks, lastFirst } from '../hooks.ts';
import { makePrincipal, makeTestApp, makeTestLogger } from '../http-app.ts';

export const BASE = 'https://example.org/api/v1';
const ORGANISATION = '019a0000-0000-7000-8000-00000000000a';
const OTHER = '019a0000-0000-7000-8000-00000000000b';

export interface FhirCallOptions {
  readonly as?: 'admin' | 'anna' | 'bo' | 'pat';
  readonly body?: string | object;
  readonly headers?: Readonly<Record<string, string>>;
  readonly contentType?: string;
}

export interface FhirResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses of any shape
  readonly body: any;
}

export interface FhirRest {
  readonly database: Database;
  /** The audit events whose text holds this, including those of the access log. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read events of any shape
  auditEvents(words: string): Promise<any[]>;
  call(
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    options?: FhirCallOptions,
  ): Promise<FhirResponse>;
}

/** Serves the types with every interaction: to an admin, to Anna and Bo of two organisations, to the patient `pat`. */
export async function startFhirRest(
  hooks: Hooks,
  types: readonly string[],
  /** The database of the routes, for instance through a proxy that the test cuts. */
  lineTo?: (databaseUrl: string) => Promise<string>,
  settings: Partial<FhirRestOptions> = {},
): Promise<FhirRest> {
  const ordered = lastFirst(hooks);
  const schemas = [{ schema: 'fhir', migrations: [auditMigrations, fhirStoreMigrations] }];
  const own = await createTestDatabase(ordered, { schemas });
  const database = own.database('fhir');
  const used = lineTo === undefined ? database : own.database('fhir', { url: await lineTo(own.url) });
  const store = createFhirStore({
    parameters: loadSearchParameters(BASE),
    clock: systemClock,
    validate: validateResource,
  });
  const staff = (organisation: string) =>
    makePrincipal(['professional', 'clinician'], { phases: new Set(['planning']), organisationGuids: [organisation] });
  const callers = {
    admin: makePrincipal(['admin']),
    anna: staff(ORGANISATION),
    bo: staff(OTHER),
    pat: makePrincipal(['patient'], { patientGuid: 'pat' }),
  };
  const app = await makeTestApp(callers, { wireFormOf: () => 'fhir' });
  ordered.after(() => app.close());
  const permissions = { read: 'patient-record:read', write: 'patient-record:write' } as const;
  await app.register(fhirRestPlugin, {
    prefix: '/api/v1',
    database: used,
    store,
    accessLog: createAccessLog({ database: used, clock: systemClock }),
    baseUrl: BASE,
    types: types.map((type) => ({ type, interactions: INTERACTIONS, hasConditional: true, ...permissions })),
    hasRight: () => true,
    system: {
      permission: 'fhir:operate',
      validate: (resource, follows = []) => validateResource(resource, { follows }),
    },
    access: (principal) => () => dataScopeOf(principal, 'engine'),
    ownerOrganisation: (_resource, principal) => ownerOrganisation(principal, undefined),
    ...settings,
  });
  const unpacker = createAccessUnpacker({
    database,
    service: 'test',
    entriesOf: entriesOfAccess(store.parameters),
    log: makeTestLogger(),
  });
  return {
    database,
    async auditEvents(words) {
      await unpacker.unpackAll();
      const text = 'SELECT resource FROM audit_event WHERE resource LIKE $1 ORDER BY event_guid';
      const { rows } = await database.query<{ resource: string }>(text, [`%${words}%`]);
      return rows.map(({ resource }) => JSON.parse(resource));
    },
    call: async (method, path, { as = 'admin', body, headers = {}, contentType = 'application/fhir+json' } = {}) => {
      const type = body === undefined ? {} : { 'content-type': contentType };
      const response = await app.inject({
        method,
        url: `/api/v1${path}`,
        headers: { authorization: `Bearer ${as}`, ...type, ...headers },
        ...(body === undefined ? {} : { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      const text = response.body;
      const isJson = String(response.headers['content-type']).includes('json');
      return {
        status: response.statusCode,
        headers: response.headers,
        text,
        body: isJson ? JSON.parse(text) : undefined,
      };
    },
  };
}
