// Routes of the user's own account (decision L12): GET and PATCH /api/auth/account, POST /api/auth/account/email and
// …/email/confirm.
import Type, { type Static } from 'typebox';
import { Email } from '#lib/auth/email.ts';
import { chooseLanguage } from '#lib/html/html.ts';
import { apiRoutes } from '#lib/http/api-routes.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { rateLimitHook } from '#lib/rate-limit/hook.ts';
import type { RateLimiter } from '#lib/rate-limit/rate-limiter.ts';
import { actorOf } from '../actor.ts';
import { closed, OptionalText } from '../shared/routes/schema.ts';
import { nameText } from '../text.ts';
import { offsetTimestamp } from '../time.ts';
import type { OwnAccount, OwnAccounts } from './service.ts';

const NAME_LENGTH = 100;
const Lang = Type.Optional(Type.Enum(['sv', 'en'], { description: 'Language of the mail; otherwise Accept-Language' }));

export const NamesBody = Type.Object(
  { first_name: Type.Optional(nameText(NAME_LENGTH)), last_name: Type.Optional(nameText(NAME_LENGTH)) },
  { ...closed, minProperties: 1 },
);

export const EmailBody = Type.Object(
  {
    new_email: Email,
    current_password: Type.String({ minLength: 1, maxLength: 1024 }),
    code: Type.Optional(
      Type.String({ minLength: 1, maxLength: 64, description: 'Of the second factor, for users who have one' }),
    ),
    lang: Lang,
  },
  closed,
);

export const EmailConfirmBody = Type.Object(
  { email_code: Type.String({ minLength: 1, maxLength: 64, description: 'From the mail' }), lang: Lang },
  closed,
);

const Account = Type.Object(
  {
    user_guid: Type.String(),
    email: Type.String(),
    user_type: Type.Enum(['professional', 'patient']),
    first_name: OptionalText,
    last_name: OptionalText,
    pending_email: Type.Union([Type.String(), Type.Null()], { description: 'The address that waits for its code' }),
  },
  { title: 'OwnAccount' },
);

export interface AccountLimits {
  /** Of requests for a mail. */
  readonly request: RateLimiter;
  /** Of codes, counted with sign-ins. */
  readonly confirm: RateLimiter;
}

export function registerOwnAccountRoutes(app: HttpApp, accounts: OwnAccounts, limits: AccountLimits): void {
  const routes = apiRoutes(app, { tags: ['auth'], permission: 'account:correct-own' });
  const path = '/api/auth/account';
  routes.get(path, 'One’s own name and e-mail address', { schema: { response: { 200: Account } } }, async (request) =>
    toWire(await accounts.read(actorOf(request))),
  );
  app.patch(
    path,
    {
      config: { permission: 'account:correct-own' },
      schema: { tags: ['auth'], summary: 'Correct one’s own name', body: NamesBody, response: { 200: Account } },
    },
    async (request) => {
      const { first_name: first, last_name: last } = request.body;
      return toWire(await accounts.changeNames(actorOf(request), { first, last }));
    },
  );
  routes.post(
    `${path}/email`,
    'Ask for another e-mail address: a code is sent there',
    {
      config: { errors: ['authentication_failed', 'conflict', 'rate_limited'] },
      preHandler: rateLimitHook(limits.request),
      schema: {
        body: EmailBody,
        response: { 202: Type.Object({ message: Type.String(), expires_at: Type.String() }) },
      },
    },
    async (request, reply) => {
      const { new_email: email, current_password: password, code, lang } = request.body;
      const language = chooseLanguage(lang, request.headers['accept-language']);
      const expiresAt = await accounts.requestEmail(actorOf(request), { email, password, code, language });
      return reply.code(202).send({
        message: 'A mail is on its way to the new address',
        expires_at: offsetTimestamp(expiresAt),
      });
    },
  );
  routes.post(
    `${path}/email/confirm`,
    'Change the e-mail address by the code that was sent there; the former address is notified',
    {
      config: { errors: ['authentication_failed', 'conflict', 'rate_limited'] },
      preHandler: rateLimitHook(limits.confirm),
      schema: { body: EmailConfirmBody, response: { 200: Account } },
    },
    async (request) => {
      const { email_code: code, lang } = request.body;
      const language = chooseLanguage(lang, request.headers['accept-language']);
      return toWire(await accounts.confirmEmail(actorOf(request), code, language));
    },
  );
}

function toWire(account: OwnAccount): Static<typeof Account> {
  const { user_guid, email, user_type, first_name, last_name, pending_email } = account;
  return { user_guid, email, user_type, first_name, last_name, pending_email };
}
