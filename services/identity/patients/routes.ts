// POST /api/patient/register and GET /api/patient/registry-status (contract: identity, Patient).
import Type from 'typebox';
import { apiRoutes } from '#lib/http/api-routes.ts';
import { bodyCheckHook } from '#lib/http/body-check.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { rateLimitHook } from '#lib/rate-limit/hook.ts';
import type { RateLimiter } from '#lib/rate-limit/rate-limiter.ts';
import { actorOf, originOf } from '../actor.ts';
import { RegisterBody } from './schema.ts';
import type { Patient, Patients } from './service.ts';

const status = {
  resourceType: Type.Literal('Patient'),
  user_guid: Type.String(),
  patient_guid: Type.String(),
  personnummer: Type.String({ description: '12 digits' }),
  organisation_guid: Type.String(),
  in_registry: Type.Boolean(),
  registries: Type.Array(Type.String()),
};
const RegistryStatus = Type.Object(status, { title: 'RegistryStatus' });
const Registration = Type.Object({ ...status, email: Type.String() }, { title: 'RegisteredPatient' });

export function registerPatientRoutes(app: HttpApp, patients: Patients, limiter: RateLimiter): void {
  const routes = apiRoutes(app, { tags: ['patient'] });
  routes.post(
    '/api/patient/register',
    'Register as a patient of an organisation',
    {
      config: { permission: 'public', idempotent: true, errors: ['forbidden', 'not_found', 'rate_limited'] },
      onRequest: [rateLimitHook(limiter), async () => patients.requireOpen()],
      attachValidation: true,
      preHandler: bodyCheckHook(patients.issuesOf),
      schema: { body: RegisterBody, response: { 201: Registration } },
    },
    async (request, reply) => {
      const { email, password, personnummer, organisation_guid: organisationGuid } = request.body;
      const form = { email, password, personnummer, organisationGuid };
      const patient = await patients.register(form, originOf(request));
      return reply.code(201).send({ ...toStatus(patient), email });
    },
  );
  routes.get(
    '/api/patient/registry-status',
    'The caller’s own registries',
    { config: { permission: 'registry:read-own' }, schema: { response: { 200: RegistryStatus } } },
    async (request) => {
      return toStatus(await patients.readOwn(actorOf(request)));
    },
  );
}

function toStatus(patient: Patient) {
  return {
    resourceType: 'Patient' as const,
    user_guid: patient.userGuid,
    patient_guid: patient.patientGuid,
    personnummer: patient.personnummer,
    organisation_guid: patient.organisationGuid,
    in_registry: patient.registries.length > 0,
    registries: [...patient.registries],
  };
}
