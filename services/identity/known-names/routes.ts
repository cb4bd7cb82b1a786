// POST /api/auth/names and GET /api/auth/records/{record_id}: what the engine's access log asks (docs/adr/0075), and
// dispatch about the unit that asks for something (decision L8).
import Type from 'typebox';
import { KnownNames as KnownNamesBody, PersonOfRecord } from '#clients/identity-names.ts';
import { notFound } from '#lib/errors.ts';
import { apiRoutes } from '#lib/http/api-routes.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { closed, GuidsBody } from '../shared/routes/schema.ts';
import type { KnownNames } from './service.ts';

const Params = Type.Object({ record_id: Type.String({ pattern: '^[A-Za-z0-9.-]{1,64}$' }) }, closed);

export function registerKnownNameRoutes(app: HttpApp, known: KnownNames): void {
  const routes = apiRoutes(app, { tags: ['auth'], permission: 'directory:resolve' });
  apiRoutes(app, { tags: ['auth'], permission: 'name:resolve' }).post(
    '/api/auth/names',
    'What users and organisations were called, and since when, for services',
    { schema: { body: GuidsBody, response: { 200: KnownNamesBody } } },
    async (request) => ({
      names: (await known.names(request.body.guids)).map(
        ({ asked, valid_from: from, name, role, proxy_name: proxyName }) => ({
          guid: asked,
          valid_from: from.toISOString(),
          name,
          role,
          ...(proxyName === null ? {} : { proxy_name: proxyName }),
        }),
      ),
    }),
  );
  routes.get(
    '/api/auth/records/:record_id',
    'The registered patient whose record it is, and their other records, for services',
    { config: { errors: ['not_found'] }, schema: { params: Params, response: { 200: PersonOfRecord } } },
    async (request) => {
      const person = await known.personOf(request.params.record_id);
      if (person === undefined) throw notFound('Patient');
      const { engine, dispatch } = person.linked;
      return {
        patient_guid: person.patientGuid,
        linked_records: { engine: [...engine], dispatch: [...dispatch] },
        ...(person.shownTo.length === 0 ? {} : { shown_to: person.shownTo.map((guids) => [...guids]) }),
      };
    },
  );
}
