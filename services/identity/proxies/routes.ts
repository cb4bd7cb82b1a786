// HTTP of proxies: /api/patient/proxies for both sides, /api/admin/patients/{patient_guid}/guardians (decision L5,
// docs/reference/proxies.md).
import Type, { type Static } from 'typebox';
import { Email } from '#lib/auth/email.ts';
import { PROXY_RIGHTS } from '#lib/auth/principal.ts';
import { validationError } from '#lib/errors.ts';
import { apiRoutes } from '#lib/http/api-routes.ts';
import { requirePrincipal } from '#lib/http/app.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { rateLimitHook } from '#lib/rate-limit/hook.ts';
import type { RateLimiter } from '#lib/rate-limit/rate-limiter.ts';
import { actorOf } from '../actor.ts';
import { closed } from '../shared/routes/schema.ts';
import type { Naming, PatientProxy, Proxies } from './service.ts';
import { ProxyView, type Side, toView } from './view.ts';

export const InviteBody = Type.Object(
  {
    personnummer: Type.Optional(Type.String({ maxLength: 20, description: 'Either this or `email`' })),
    email: Type.Optional(Type.String({ ...Email })),
    may: Type.Enum([...PROXY_RIGHTS], { description: '`act`: read, and report forms and observations' }),
    until: Type.String({ format: 'date', description: 'The last day, within two years' }),
  },
  { ...closed, title: 'ProxyInvitation' },
);
const GuardianBody = Type.Object({ guardian_patient_guid: Type.String({ format: 'uuid' }) }, closed);

const ProxyLists = Type.Object(
  { given: Type.Array(ProxyView), received: Type.Array(ProxyView) },
  { title: 'ProxyLists' },
);
const ProxyParams = Type.Object({ proxy_guid: Type.String() }, closed);
const PatientParams = Type.Object({ patient_guid: Type.String() }, closed);
const GuardianParams = Type.Object({ patient_guid: Type.String(), proxy_guid: Type.String() }, closed);

export interface ProxyRoutes {
  readonly proxies: Proxies;
  /** The limit of invitations, for each caller: nobody finds out addresses by trying. */
  readonly limiter: RateLimiter;
}

export function registerProxyRoutes(app: HttpApp, { proxies, limiter }: ProxyRoutes): void {
  const routes = apiRoutes(app, { tags: ['patient'], permission: 'proxy:manage-own' });
  const view = (proxy: PatientProxy, side: Side) => toView(proxy, side, proxies.isPast(proxy));
  routes.get(
    '/api/patient/proxies',
    'One’s proxies, and those whose proxy one is',
    { schema: { response: { 200: ProxyLists } } },
    async (request) => {
      const { given, received } = await proxies.list(actorOf(request));
      return {
        given: given.map((proxy) => view(proxy, 'patient')),
        received: received.map((proxy) => view(proxy, 'delegate')),
      };
    },
  );
  routes.post(
    '/api/patient/proxies',
    'Name another adult as a proxy; whether there is such a person is not disclosed',
    {
      config: { idempotent: true, errors: ['conflict', 'rate_limited'] },
      preValidation: rateLimitHook(limiter, (request) => requirePrincipal(request).id),
      schema: { body: InviteBody, response: { 201: ProxyView } },
    },
    async (request, reply) => {
      const invited = await proxies.invite(actorOf(request), toNaming(request.body));
      return reply.code(201).send(view(invited, 'patient'));
    },
  );
  const schema = { params: ProxyParams, response: { 200: ProxyView } };
  routes.post(
    '/api/patient/proxies/:proxy_guid/accept',
    'Accept to be a proxy',
    { config: { errors: ['not_found', 'conflict', 'expired'] }, schema },
    async (request) => view(await proxies.accept(actorOf(request), request.params.proxy_guid), 'delegate'),
  );
  routes.delete(
    '/api/patient/proxies/:proxy_guid',
    'End a proxy, withdraw or decline an invitation; again changes nothing',
    { config: { errors: ['not_found'] }, schema },
    async (request) => {
      const actor = actorOf(request);
      const ended = await proxies.end(actor, request.params.proxy_guid);
      return view(ended, ended.patientGuid === actor.principal.patientGuid ? 'patient' : 'delegate');
    },
  );
  registerGuardians(app, proxies);
}

function registerGuardians(app: HttpApp, proxies: Proxies): void {
  const routes = apiRoutes(app, { tags: ['admin'], permission: 'directory:administer' });
  const path = '/api/admin/patients/:patient_guid/guardians';
  const view = (proxy: PatientProxy) => toView(proxy, 'administrator', proxies.isPast(proxy));
  routes.get(
    path,
    'The guardians of a child',
    { config: { errors: ['not_found'] }, schema: { params: PatientParams, response: { 200: Type.Array(ProxyView) } } },
    async (request) => (await proxies.listGuardians(actorOf(request), request.params.patient_guid)).guardians.map(view),
  );
  routes.post(
    path,
    'Set a guardian of a child; the right ends on the thirteenth birthday',
    {
      config: { idempotent: true, errors: ['not_found', 'conflict', 'unprocessable'] },
      schema: { params: PatientParams, body: GuardianBody, response: { 201: ProxyView } },
    },
    async (request, reply) => {
      const { guardian_patient_guid: guardian } = request.body;
      const set = await proxies.setGuardian(actorOf(request), request.params.patient_guid, guardian);
      return reply.code(201).send(view(set));
    },
  );
  routes.delete(
    `${path}/:proxy_guid`,
    'End a guardian’s right',
    { config: { errors: ['not_found'] }, schema: { params: GuardianParams, response: { 200: ProxyView } } },
    async (request) => {
      const { patient_guid: child, proxy_guid: proxy } = request.params;
      return view(await proxies.endGuardian(actorOf(request), child, proxy));
    },
  );
}

/** @throws ServiceError `validation_error` */
function toNaming({ personnummer, email, may, until }: Static<typeof InviteBody>): Naming {
  if (personnummer !== undefined && email === undefined) return { whom: { personnummer }, may, until };
  if (email !== undefined && personnummer === undefined) return { whom: { email }, may, until };
  throw validationError([{ field: 'email', message: "Give either 'personnummer' or 'email'" }]);
}
