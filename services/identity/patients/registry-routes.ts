// PUT /api/admin/patients/{patient_guid}/registries (decision I7).
import Type from 'typebox';
import { apiRoutes } from '#lib/http/api-routes.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { actorOf } from '../actor.ts';
import { closed } from '../shared/routes/schema.ts';
import { nameText } from '../text.ts';
import type { Registries } from './registries.ts';

const Body = Type.Object({ registries: Type.Array(nameText(200), { maxItems: 100 }) }, closed);
const Answer = Type.Object(
  {
    user_guid: Type.String(),
    patient_guid: Type.String(),
    in_registry: Type.Boolean(),
    registries: Type.Array(Type.String()),
  },
  { title: 'PatientRegistries' },
);

export function registerRegistryRoutes(app: HttpApp, registries: Registries): void {
  const routes = apiRoutes(app, { tags: ['admin'], permission: 'directory:administer' });
  routes.put(
    '/api/admin/patients/:patient_guid/registries',
    'Set the registries that a patient is in',
    { schema: { params: Type.Object({ patient_guid: Type.String() }, closed), body: Body, response: { 200: Answer } } },
    async (request) => {
      const { patient_guid } = request.params;
      const set = await registries.replace(actorOf(request), patient_guid, request.body.registries);
      return {
        user_guid: set.userGuid,
        patient_guid,
        in_registry: set.registries.length > 0,
        registries: [...set.registries],
      };
    },
  );
}
