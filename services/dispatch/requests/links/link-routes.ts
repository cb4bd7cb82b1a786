// HTTP of the link to the receipt page: /api/v1/ServiceRequest/{id}/matches/{match_guid}/link (docs/adr/0071).
import type { FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import { apiRoutes } from '#lib/http/api-routes.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { rateLimitHook } from '#lib/rate-limit/hook.ts';
import type { RateLimiter } from '#lib/rate-limit/rate-limiter.ts';
import { actorOf } from '../../shared/actor.ts';
import { toLinkMailWire } from '../../shared/link-mail.ts';
import { MatchParams } from '../../shared/wire.ts';
import { LinkInput, LinkStateView, NewLinkView } from './link-schema.ts';
import type { LinkService, ReceiptLink } from './link-service.ts';

const PATH = '/ServiceRequest/:id/matches/:match_guid/link';
const TAGS = ['Matches'];

export interface LinkFeatures {
  readonly links: LinkService;
  /** The limit of new links, for each caller. */
  readonly linkLimiter: RateLimiter;
  /** The limit of mails, for each caller. */
  readonly mailLimiter: RateLimiter;
}

export function registerLinkRoutes(app: HttpApp, { links, linkLimiter, mailLimiter }: LinkFeatures): void {
  const routes = apiRoutes(app, { tags: TAGS, permission: 'request:plan' });
  const limitMails = rateLimitHook(mailLimiter, callerOf);
  routes.post(
    PATH,
    'A new link to the page for a provider without a system; the one before it ends',
    {
      config: {
        idempotent: true,
        errors: ['not_found', 'conflict', 'unprocessable', 'rate_limited'],
      },
      preValidation: rateLimitHook(linkLimiter, callerOf),
      // Only what would be sent is counted.
      preHandler: async (request, reply) => {
        if (request.body.email !== undefined) await limitMails(request, reply);
      },
      schema: {
        params: MatchParams,
        body: LinkInput,
        response: { 200: NewLinkView },
      },
    },
    async (request, reply) => {
      const { email, language = 'sv', qr = false } = request.body;
      const made = await links.renew(actorOf(request), addressOf(request.params), { email, language, withQr: qr });
      reply.headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
      return {
        link: made.link,
        is_mailed: made.isMailed,
        ...(made.qr === undefined ? {} : { qr_svg: made.qr }),
      };
    },
  );
  routes.get(
    PATH,
    'Whether there is a link that works; never the link itself',
    { config: { errors: ['not_found'] }, schema: { params: MatchParams, response: { 200: LinkStateView } } },
    async (request) => toState(await links.read(actorOf(request), addressOf(request.params))),
  );
  routes.remove(PATH, 'Withdraw the link: it answers 410 from then on', {
    config: { errors: ['not_found', 'conflict'] },
    params: MatchParams,
    run: (request) => links.withdraw(actorOf(request), addressOf(request.params)),
  });
}

function callerOf({ principal, ip }: FastifyRequest): string {
  return principal?.id ?? ip;
}

function addressOf(params: Static<typeof MatchParams>) {
  return { serviceRequestId: params.id, matchGuid: params.match_guid };
}

function toState(link: ReceiptLink | undefined): Static<typeof LinkStateView> {
  if (link === undefined) return { state: 'none', created_at: null, is_mailed: false, mail: null, ended_at: null };
  return {
    state: link.endedAt === undefined ? 'works' : 'withdrawn',
    created_at: link.createdAt.toISOString(),
    is_mailed: link.isMailed,
    mail: link.mail === undefined ? null : toLinkMailWire(link.mail),
    ended_at: link.endedAt?.toISOString() ?? null,
  };
}
