// POST /api/admin/patients: registers a child without an account (docs/adr/0157).
import Type from 'typebox';
import { apiRoutes } from '#lib/http/api-routes.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { actorOf } from '../actor.ts';
import { ChildBody } from './schema.ts';
import type { Children } from './service.ts';

const Registered = Type.Object(
  {
    user_guid: Type.String(),
    patient_guid: Type.String(),
    personnummer: Type.String({ description: '12 digits' }),
    first_name: Type.String(),
    last_name: Type.String(),
    organisation_guid: Type.String(),
  },
  { title: 'RegisteredChild' },
);

export function registerChildrenRoutes(app: HttpApp, children: Children): void {
  apiRoutes(app, { tags: ['admin'], permission: 'directory:administer' }).post(
    '/api/admin/patients',
    'Register a child under 13 without an account: guardians act for it',
    {
      config: { idempotent: true, errors: ['not_found', 'conflict', 'unprocessable'] },
      schema: { body: ChildBody, response: { 201: Registered } },
    },
    async (request, reply) => {
      const { personnummer, first_name: firstName, last_name: lastName, organisation_guid: guid } = request.body;
      const child = await children.register(actorOf(request), {
        personnummer,
        firstName,
        lastName,
        organisationGuid: guid,
      });
      return reply.code(201).send({
        user_guid: child.userGuid,
        patient_guid: child.patientGuid,
        personnummer: child.personnummer,
        first_name: child.firstName,
        last_name: child.lastName,
        organisation_guid: child.organisationGuid,
      });
    },
  );
}
