// The routes of the browser session (decision L11). They are for a sign-in that passes by it, POST /login/session of
// the page that asks first, and GET /session. POST /sign-out ends it everywhere.
import type { FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { ServiceError } from '#lib/errors.ts';
import { readPost } from '#lib/html/form-post.ts';
import { chooseLanguage, sendPage } from '#lib/html/html.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { rateLimitHook } from '#lib/rate-limit/hook.ts';
import { originOf } from '../../actor.ts';
import { type Journey, journeyHref, journeyOfPost } from '../../shared/journey.ts';
import type { LoginRoutesDeps } from '../login-deps.ts';
import { redirectOn } from '../login-response.ts';
import type { Handshake } from '../second-step/challenges.ts';
import { handshakeOf } from './handshake.ts';
import { continuePage, sessionPage, signedOutPage } from './session-page.ts';
import type { SignedInUser } from './single-sign-on.ts';

const PAGE = { config: { permission: 'public' } } as const;
const LANGUAGE = Type.Object({ lang: Type.Optional(Type.String()) }, { additionalProperties: false });

interface Visit {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly journey: Journey;
  readonly handshake: Handshake;
  /** The address of who is to sign in, where the visit names it. */
  readonly email: string | undefined;
}

/**
 * `isSent`: a response has been sent. Otherwise the password is asked for. `user` has a session that is not enough,
 * `refused` one that may not go there.
 */
interface Passed {
  readonly isSent: boolean;
  readonly user?: SignedInUser | undefined;
  readonly refused?: { readonly email: string; readonly place: string };
}

/** Passes a visit of the sign-in page by the browser's session, or asks whether to. */
export async function passBySession(deps: LoginRoutesDeps, visit: Visit): Promise<Passed> {
  const { auth, browsers, limiter } = deps;
  const { request, reply, journey, handshake, email } = visit;
  const secret = browsers.secretOf(request);
  if (secret === undefined || request.method !== 'GET') return { isSent: false };
  const step = await auth.nextStep({ secret, handshake, prompt: journey.prompt });
  if (email !== undefined && !isAddressOf(step.user, email)) return { isSent: false };
  if (step.kind === 'ask') return { isSent: false, user: step.user };
  // Other websites may open this address in the browser as often as they like.
  await rateLimitHook(limiter, () => `session ${step.user.userGuid}`)(request, reply);
  if (step.kind === 'refuse') {
    await auth.recordRefusal(step.user.userGuid, originOf(request));
    return { isSent: false, refused: { email: step.user.email, place: placeOf(deps, handshake) } };
  }
  if (step.kind === 'confirm') {
    sendPage(reply, continuePage({ journey, user: step.user, place: placeOf(deps, handshake), root: '' }));
    return { isSent: true };
  }
  const granted = await auth.pass({ secret, handshake, isConfirmed: false, origin: originOf(request) });
  if (granted?.kind !== 'handshake') return { isSent: false };
  redirectOn(reply, granted, deps);
  return { isSent: true };
}

/** Another person's session is no sign-in of who was named. */
function isAddressOf(user: SignedInUser | undefined, email: string): boolean {
  return user?.email.toLowerCase() === email.trim().toLowerCase();
}

/** `scope` parses forms. */
export function registerSessionPages(scope: HttpApp, deps: LoginRoutesDeps): void {
  const { auth, browsers } = deps;
  scope.post('/login/session', { ...PAGE, schema: { hide: true } }, (request, reply) => goOn(deps, request, reply));
  scope.get('/session', { ...PAGE, schema: { hide: true, querystring: LANGUAGE } }, async (request, reply) => {
    const user = await auth.readSignedIn(browsers.secretOf(request));
    return sendPage(reply, sessionPage(chooseLanguage(request.query.lang, request.headers['accept-language']), user));
  });
  scope.post('/sign-out', { ...PAGE, schema: { hide: true } }, async (request, reply) => {
    requireOwnPage(deps, request);
    const secret = browsers.secretOf(request);
    if (secret !== undefined) await auth.signOutBrowser(secret, originOf(request));
    reply.headers({ 'cache-control': 'no-store', 'set-cookie': browsers.cookie.end });
    const language = chooseLanguage(readPost(request.body).optional('lang'), request.headers['accept-language']);
    return reply.redirect(`sign-out/done?lang=${language}`, 303);
  });
  scope.get('/sign-out/done', { ...PAGE, schema: { hide: true, querystring: LANGUAGE } }, async (request, reply) =>
    sendPage(reply, signedOutPage(chooseLanguage(request.query.lang, request.headers['accept-language']))),
  );
}

/** The user has chosen to continue. In another tab somebody else may have signed in meanwhile: then it asks again. */
async function goOn(deps: LoginRoutesDeps, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { auth, browsers } = deps;
  requireOwnPage(deps, request);
  const post = readPost(request.body);
  const journey = journeyOfPost(request, post, deps.destinations);
  const handshake = handshakeOf(journey);
  const secret = browsers.secretOf(request);
  const user = await auth.readSignedIn(secret);
  if (user !== undefined && user.userGuid !== post.text('user')) {
    return sendPage(reply, continuePage({ journey, user, place: placeOf(deps, handshake), root: '../' }));
  }
  const origin = originOf(request);
  const granted = secret && user && (await auth.pass({ secret, handshake, isConfirmed: true, origin }));
  if (typeof granted === 'object' && granted.kind === 'handshake')
    return redirectOn(reply, granted, { ...deps, journey });
  return reply.redirect(journeyHref('../login', journey), 303);
}

function placeOf({ destinations }: LoginRoutesDeps, { next, clientId }: Handshake): string {
  return clientId === undefined ? new URL(next).host : destinations.nameOf(clientId);
}

/** @throws ServiceError `forbidden` */
function requireOwnPage({ browsers }: LoginRoutesDeps, request: FastifyRequest): void {
  if (!browsers.isOwnPage(request))
    throw new ServiceError('forbidden', 'A form is accepted from this service’s own pages alone');
}
