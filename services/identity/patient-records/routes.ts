// The routes of a patient's records (decision L1, docs/adr/0068): POST /api/patients/lookup for staff, and the links of
// the records for SU admins. Engine and dispatch report their Patients by POST /api/auth/patient-records.
import type { FastifyReply, FastifyRequest } from 'fastify';
import Type, { type Static } from 'typebox';
import { PatientLinks, PatientReports } from '#clients/identity-client.ts';
import { RECORD_SERVICES, type RecordService } from '#lib/auth/principal.ts';
import { ServiceError } from '#lib/errors.ts';
import { apiRoutes } from '#lib/http/api-routes.ts';
import { requirePrincipal } from '#lib/http/app.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { rateLimitHook } from '#lib/rate-limit/hook.ts';
import type { RateLimiter } from '#lib/rate-limit/rate-limiter.ts';
import { type Actor, actorOf } from '../actor.ts';
import { closed, OptionalText } from '../shared/routes/schema.ts';
import { optionalTimestamp, plainTimestamp } from '../time.ts';
import type { LinkFeed } from './feed-service.ts';
import type { PatientLookup } from './lookup-service.ts';
import type { PatientLink, PatientRecords } from './service.ts';

const Service = Type.Enum([...RECORD_SERVICES]);

const LookupBody = Type.Object(
  { personnummer: Type.String({ maxLength: 20, description: 'Personal or coordination number, 10 or 12 digits' }) },
  closed,
);
const Found = Type.Object({
  patient_guid: Type.String({
    description: 'Of the registered patient; where there is none, the id of the first of the records',
  }),
  is_registered: Type.Boolean(),
  records: Type.Array(Type.Object({ service: Service, id: Type.String({ description: 'FHIR id of a Patient' }) }), {
    description: 'Patients with the number that belong to the caller’s organisations',
  }),
});

const Link = Type.Object(
  {
    service: Service,
    record_id: Type.String({ description: 'FHIR id of a Patient' }),
    organisation_guid: Type.Union([Type.String(), Type.Null()], {
      description: 'Null for who may not see where a protected identity receives care, too',
    }),
    linked_at: Type.String(),
    undone_at: OptionalText,
    undone_by_guid: OptionalText,
  },
  { title: 'RecordLink' },
);
const PatientParams = Type.Object({ patient_guid: Type.String() }, closed);
const LinkParams = Type.Object(
  { patient_guid: Type.String(), service: Service, record_id: Type.String({ pattern: '^[A-Za-z0-9.-]{1,64}$' }) },
  closed,
);
const Changed = Type.Object(
  { message: Type.String(), patient_guid: Type.String(), record_id: Type.String() },
  { title: 'RecordLinkChange' },
);

export interface PatientRecordRoutes {
  readonly records: PatientRecords;
  readonly feed: LinkFeed;
  readonly lookup: PatientLookup;
  readonly limiter: RateLimiter;
}

const FeedQuery = Type.Object(
  {
    after: Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      default: 0,
      description: 'The `sequence` of the page before; 0 begins with all patients',
    }),
  },
  closed,
);

export function registerPatientRecordRoutes(app: HttpApp, given: PatientRecordRoutes): void {
  const { records, feed, lookup, limiter } = given;
  apiRoutes(app, { tags: ['patient'], permission: 'patient:look-up' }).post(
    '/api/patients/lookup',
    'Find a patient by personnummer',
    {
      // A refusal waits for the body: who looked for whom without the right to it is on record.
      config: { refusesAfterBody: true, errors: ['not_found', 'rate_limited'] },
      onSend: recordRefusal(lookup),
      // Counted for each user: a whole unit has one address.
      preValidation: rateLimitHook(limiter, (request) => requirePrincipal(request).id),
      schema: { body: LookupBody, response: { 200: Found } },
    },
    async (request, reply) => {
      reply.header('cache-control', 'private, no-store');
      const found = await lookup.find(actorOf(request), request.body.personnummer);
      return {
        patient_guid: found.patientGuid,
        is_registered: found.isRegistered,
        records: found.records.map(({ service, recordId }) => ({ service, id: recordId })),
      };
    },
  );
  registerForServices(app, { records, feed });
  registerAdministration(app, records);
}

function registerForServices(app: HttpApp, { records, feed }: Pick<PatientRecordRoutes, 'records' | 'feed'>): void {
  const routes = apiRoutes(app, { tags: ['auth'] });
  routes.post(
    '/api/auth/patient-records',
    'Patients that were written, with their personnummer, for services',
    {
      config: { permission: 'patient-record:report' },
      schema: { body: PatientReports, response: { 204: Type.Null() } },
    },
    async (request, reply) => {
      const actor = actorOf(request);
      const reports = request.body.records.map(
        ({
          record_id: recordId,
          organisation_guid: organisationGuid,
          protected_for: protectedFor,
          change,
          numbers,
        }) => {
          return { recordId, organisationGuid, change, numbers, protectedFor };
        },
      );
      await records.report(actor, serviceOf(actor), reports);
      return reply.code(204).send(null);
    },
  );
  routes.get(
    '/api/auth/patient-links',
    'Registered patients whose access has changed, with their records at the calling service, for services',
    {
      config: { permission: 'patient-link:follow' },
      schema: { querystring: FeedQuery, response: { 200: PatientLinks } },
    },
    async (request) => {
      const page = await feed.readAfter(serviceOf(actorOf(request)), request.query.after);
      return {
        patients: page.patients.map(({ patientGuid, records: ids }) => ({
          patient_guid: patientGuid,
          records: [...ids],
        })),
        sequence: page.sequence,
        has_more: page.hasMore,
      };
    },
  );
}

/** Records a look-up that the caller had no right to. */
function recordRefusal(lookup: PatientLookup) {
  return async (request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<unknown> => {
    const { body, principal } = request;
    if (reply.statusCode !== 403 || principal === undefined) return payload;
    const number: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, 'personnummer') : undefined;
    await lookup.recordRefusal(actorOf(request), typeof number === 'string' ? number : '');
    return payload;
  };
}

function registerAdministration(app: HttpApp, records: PatientRecords): void {
  const routes = apiRoutes(app, { tags: ['admin'], permission: 'directory:administer' });
  routes.get(
    '/api/admin/patients/:patient_guid/records',
    'The records at engine and dispatch that are linked to a patient, and those whose link was undone',
    { config: { errors: ['not_found'] }, schema: { params: PatientParams, response: { 200: Type.Array(Link) } } },
    async (request) => (await records.list(actorOf(request), request.params.patient_guid)).map(toWire),
  );
  const register = (method: 'delete' | 'put', summary: string, message: string, run: PatientRecords['undo']) =>
    routes[method](
      '/api/admin/patients/:patient_guid/records/:service/:record_id',
      summary,
      {
        config: { errors: ['not_found', 'conflict', 'validation_error'] },
        schema: { params: LinkParams, response: { 200: Changed } },
      },
      async (request) => {
        const { patient_guid, service, record_id } = request.params;
        await run(actorOf(request), patient_guid, { service, recordId: record_id });
        return { message, patient_guid, record_id };
      },
    );
  const undo = 'Undo the link of a record with a patient; no later write makes it again';
  register('delete', undo, 'The link is undone', records.undo);
  register('put', 'Restore a link that was undone', 'The link is restored', records.restore);
}

/** The calling service: each reports its own Patients alone. */
function serviceOf({ principal }: Actor): RecordService {
  const service = RECORD_SERVICES.find((name) => principal.roles.has(`service:${name}`));
  if (service === undefined) throw new ServiceError('forbidden', 'Only engine and dispatch report Patients');
  return service;
}

function toWire(link: PatientLink): Static<typeof Link> {
  return { ...link, linked_at: plainTimestamp(link.linked_at), undone_at: optionalTimestamp(link.undone_at) };
}
