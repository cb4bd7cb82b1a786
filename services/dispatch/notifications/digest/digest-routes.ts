// HTTP of the settings of notifications: /api/v1/notifications/settings (docs/reference/notifications.md).
import Type, { type Static } from 'typebox';
import { apiRoutes } from '#lib/http/api-routes.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { readOnly } from '#lib/http/response/read-back.ts';
import { actorOf } from '../../shared/actor.ts';
import type { DigestService, DigestSettings } from './digest-service.ts';
import { FREQUENCIES } from './digest-time.ts';

const PATH = '/notifications/settings';

const Digest = Type.Enum(['off', ...FREQUENCIES], { description: 'How often a digest is mailed; `off` at first' });
const Language = Type.Enum(['sv', 'en'], { default: 'sv', description: 'Of the mail' });
const SettingsInput = Type.Object(
  { digest: Digest, language: Type.Optional(Language) },
  { additionalProperties: false },
);
const SettingsView = Type.Object(
  {
    digest: Digest,
    language: Language,
    is_available: readOnly(Type.Boolean({ description: 'Whether a digest can be had: there is a mail server' })),
  },
  { title: 'NotificationSettings' },
);

export function registerDigestRoutes(app: HttpApp, digests: DigestService): void {
  const routes = apiRoutes(app, { tags: ['notifications'], permission: 'notification:read-own' });
  routes.get(
    PATH,
    'The caller’s settings of notifications',
    { schema: { response: { 200: SettingsView } } },
    async (request) => toView(await digests.read(actorOf(request))),
  );
  routes.put(
    PATH,
    'Set how often a digest of unread notifications is mailed to the caller',
    { config: { errors: ['unprocessable'] }, schema: { body: SettingsInput, response: { 200: SettingsView } } },
    async (request) => {
      const { digest, language = 'sv' } = request.body;
      return toView(await digests.put(actorOf(request), { digest, language }));
    },
  );
}

function toView({ digest, language, isAvailable }: DigestSettings): Static<typeof SettingsView> {
  return { digest, language, is_available: isAvailable };
}
