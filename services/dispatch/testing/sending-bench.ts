// The delivery side of dispatch behind its HTTP routes, for tests: finalized requests with matches, callers of every
// kind, and an injected clock.
import { randomBytes } from 'node:crypto';
import { createCalendar } from '#fhir/primitives/calendar.ts';
import { readResourceText } from '#fhir/resources/resource-text.ts';
import { loadSearchParameters } from '#fhir/search/parameters/definitions.ts';
import { ALL_ACCESS } from '#fhir/store/access.ts';
import { createFhirStore } from '#fhir/store/store.ts';
import { validateResource } from '#fhir/validation/validate.ts';
import { createAudit } from '#lib/audit/audit.ts';
import { servicePrincipal } from '#lib/auth/service-credentials.ts';
import type { Database } from '#lib/db/database.ts';
import { newGuid } from '#lib/guid.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { createMailer, type Mailer } from '#lib/mail/mailer.ts';
import type { SendMail } from '#lib/mail/smtp-sender.ts';
import { createMetrics } from '#lib/metrics/metrics.ts';
import type { Resolver } from '#lib/net/address-guard.ts';
import { fixedKeys } from '#lib/secrets/key-set.ts';
import { createTestDatabase } from '#test/support/database/database.ts';
import type { Hooks } from '#test/support/hooks.ts';
import { makePrincipal, makeTestApp, makeTestLogger } from '#test/support/http-app.ts';
import { migrations } from '../migrations.ts';
import { createPreviewService } from '../own-consents/preview-service.ts';
import { registerOwnConsentRoutes } from '../own-consents/routes.ts';
import { createOwnConsents } from '../own-consents/service.ts';
import { createPersons } from '../persons/service.ts';
import { createSendingHalf, type SendingHalf, type SendingHalfOptions } from '../sending-half.ts';
import { createCompletion } from '../service-requests/completion-service.ts';
import { registerRawBody } from '../shared/json-body.ts';
import { insertMatches, listMatches, type Match } from '../shared/match-store.ts';
import { createRecords } from '../shared/records.ts';
import { createRequestContext } from '../shared/request-context.ts';
import {
  insertServiceRequest,
  lockServiceRequest,
  type ServiceRequestRecord,
  updateServiceRequest,
} from '../shared/service-request-store.ts';
import { createTextWork } from '../shared/text-tasks.ts';

export const ORGANISATION = '01900000-0000-7000-8000-0000000000aa';

export interface SendingBench {
  readonly db: Database;
  readonly clock: { time: number; now(): number };
  readonly app: HttpApp;
  readonly sending: SendingHalf;
  readonly mailer: Mailer | undefined;
  readonly logLines: string[];
  /** The callers by name; a test adds providers. */
  readonly callers: Record<string, ReturnType<typeof makePrincipal>>;
  /** Stores a resource under its id. */
  put(resource: Readonly<Record<string, unknown>>): Promise<void>;
  /**
   * An active request with one pending match for each provider. The patient permits unless `consent` says otherwise.
   */
  request(providers: readonly string[], consent?: 'permit' | 'deny' | 'none'): Promise<ActiveRequest>;
  /** A provider's answer to a request, by its receipt token alone. */
  respond(token: string, decision?: string, more?: object): Promise<Answer>;
  matches(id: string): Promise<Match[]>;
  record(id: string): Promise<ServiceRequestRecord>;
  call(
    caller: string | undefined,
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    url: string,
    body?: unknown,
  ): Promise<Answer>;
}

export interface ActiveRequest {
  readonly id: string;
  readonly patientGuid: string;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses of every shape
  readonly body: any;
}

const SCHEMAS = [{ schema: 'dispatch', migrations }];

export interface BenchOptions {
  /** The address at which providers respond. */
  readonly baseUrl?: string;
  /** Resolves host names; the system's resolver when left out. */
  readonly resolve?: Resolver;
  readonly timeZone?: string;
  /** Users as identity has them. */
  readonly readContact?: SendingHalfOptions['readContact'];
  /** Sends mail; none is sent when left out. */
  readonly sendMail?: SendMail;
  /** The engine that stores results; it accepts all when left out. */
  readonly results?: SendingHalfOptions['results'];
  /** The engine's origin; none when left out. */
  readonly trustedOrigins?: readonly string[];
}

export async function createSendingBench(hooks: Hooks, options: BenchOptions = {}): Promise<SendingBench> {
  const { baseUrl = 'https://dispatch.example.org/api/v1', resolve, timeZone = 'Europe/Stockholm' } = options;
  const { trustedOrigins = [], sendMail, readContact } = options;
  const db = (await createTestDatabase(hooks, { schemas: SCHEMAS })).database('dispatch');
  const clock = { time: Date.parse('2026-06-15T12:00:00Z'), now: () => clock.time };
  const logLines: string[] = [];
  const log = makeTestLogger(logLines);
  const audit = createAudit({ database: db, clock, service: 'dispatch' });
  const store = createFhirStore({ parameters: loadSearchParameters(), clock, validate: validateResource });
  const texts = createTextWork();
  const records = createRecords(store, texts);
  const requestContext = createRequestContext({ database: db, records, audit });
  const keys = fixedKeys(randomBytes(32));
  const metrics = createMetrics('dispatch');
  const mailer = sendMail && createMailer({ database: db, clock, log, metrics, keys, send: sendMail });
  const persons = createPersons({ database: db, log });
  const calendar = createCalendar(timeZone);
  const sending = createSendingHalf({
    mailer,
    readContact,
    database: db,
    clock,
    log,
    metrics,
    store,
    texts,
    records,
    requestContext,
    persons,
    applyProgress: createCompletion({ records, texts, audit, clock }),
    masterKeys: keys,
    baseUrl,
    consentPolicy: 'required',
    timeZone,
    webhookAllowPrivate: ['127.0.0.0/8'],
    trustedOrigins,
    results: options.results ?? { store: async () => undefined },
    engineFhirUrl: 'https://engine.example.org/api/v1',
    random: () => 0.5,
    ...(resolve === undefined ? {} : { resolve }),
  });
  const callers: SendingBench['callers'] = {
    admin: makePrincipal(['admin']),
    planner: makePrincipal(['clinician'], { organisationGuids: [ORGANISATION], phases: new Set(['planning']) }),
    service: servicePrincipal('engine'),
    patient: makePrincipal(['patient'], { patientGuid: newGuid() }),
  };
  const app = await makeTestApp(callers, {
    logger: log,
    wireFormOf: (path) => (/^\/api\/v1\/ServiceRequest\/[^/]+\/push/.test(path) ? 'fhir' : 'plain'),
  });
  await app.register(
    async (scope: HttpApp) => {
      const bodyText = registerRawBody(scope);
      sending.registerRoutes(scope, bodyText);
      registerOwnConsentRoutes(scope, {
        ownConsents: createOwnConsents({ database: db, clock, calendar, log, audit, store, records, persons }),
        previews: createPreviewService({ database: db, clock, calendar, audit, gate: sending.previewGate }),
      });
    },
    { prefix: '/api/v1' },
  );
  await sending.registerPages(app);
  hooks.after(async () => {
    await sending.stop();
    await app.close();
  });

  async function put(resource: Readonly<Record<string, unknown>>): Promise<void> {
    const source = readResourceText(JSON.stringify(resource));
    const { resourceType } = source;
    const input = { resourceType, id: String(resource['id']), source, organisation: ORGANISATION, access: ALL_ACCESS };
    await db.transaction((transaction) => store.update(transaction, input));
  }

  async function request(providers: readonly string[], consent = 'permit'): Promise<ActiveRequest> {
    const [id, patientGuid, careplanGuid] = [newGuid(), newGuid(), newGuid()];
    for (const resource of resourcesOf({ id, patientGuid, careplanGuid, consent })) await put(resource);
    await db.transaction(async (transaction) => {
      const now = new Date(clock.time);
      const row = { id, organisationGuid: ORGANISATION, patientGuid, careplanGuid, snapshot: '{}', now };
      await insertServiceRequest(transaction, row);
      const locked = await lockServiceRequest(transaction, id);
      if (locked !== undefined) await updateServiceRequest(transaction, locked, { status: 'active' }, now);
      const matches = providers.map((providerGuid) => ({
        matchGuid: newGuid(),
        providerGuid,
        providerName: `Provider ${providerGuid.slice(-4)}`,
        contractGuid: newGuid(),
        providerOrganisationGuid: undefined,
      }));
      await insertMatches(transaction, id, matches, now);
    });
    return { id, patientGuid };
  }

  const call: SendingBench['call'] = async (caller, method, url, body) => {
    const response = await app.inject({
      method,
      url,
      ...(caller === undefined ? {} : { headers: { authorization: `Bearer ${caller}` } }),
      ...(body === undefined ? {} : { payload: body as object }),
    });
    const text = response.payload;
    return {
      status: response.statusCode,
      headers: response.headers,
      body: text === '' ? undefined : JSON.parse(text),
    };
  };

  return {
    db,
    clock,
    app,
    sending,
    mailer,
    logLines,
    callers,
    put,
    request,
    matches: (id) => listMatches(db, id),
    record: async (id) => {
      const record = await db.transaction((transaction) => lockServiceRequest(transaction, id));
      if (record === undefined) throw new Error('There is no such request');
      return record;
    },
    call,
    respond: (token, decision = 'accepted', more = {}) =>
      call(undefined, 'POST', `/api/v1/ServiceRequest/receipt/${token}/respond`, { decision, ...more }),
  };
}

function resourcesOf(given: { id: string; patientGuid: string; careplanGuid: string; consent: string }) {
  const { id, patientGuid, careplanGuid, consent } = given;
  const subject = { reference: `Patient/${patientGuid}` };
  const carePlan = { resourceType: 'CarePlan', status: 'active', intent: 'plan', subject };
  const consents =
    consent === 'none'
      ? []
      : [{ resourceType: 'Consent', id: newGuid(), status: 'active', subject, decision: consent }];
  return [
    {
      resourceType: 'Patient',
      id: patientGuid,
      name: [{ family: 'Öberg', given: ['Åsa'] }],
      gender: 'female',
      birthDate: '1950-01-02',
      photo: [{ title: 'not needed by a caregiver' }],
      managingOrganization: { reference: `Organization/${ORGANISATION}` },
    },
    { ...carePlan, id: careplanGuid },
    {
      resourceType: 'ServiceRequest',
      id,
      status: 'active',
      intent: 'order',
      subject,
      basedOn: [{ reference: '#careplan' }],
      contained: [{ ...carePlan, id: 'careplan' }],
      quantityQuantity: { value: 2, unit: 'visits' },
    },
    ...consents,
  ];
}
