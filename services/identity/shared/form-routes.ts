// Form pages: the POST of a form, what it does with errors, and the confirmation page that it redirects to.
import type { FastifyReply, FastifyRequest } from 'fastify';
import Type, { type Static, type TObject, type TProperties } from 'typebox';
import { type FormPost, readPost, refuseForeignForms } from '#lib/html/form-post.ts';
import { type Page, sendPage } from '#lib/html/html.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { rateLimitHook } from '#lib/rate-limit/hook.ts';
import type { RateLimiter } from '#lib/rate-limit/rate-limiter.ts';
import type { Destinations } from './destinations.ts';
import { type FieldTexts, type FormProblem, problemOf, statusOfProblem } from './form-problem.ts';
import {
  JOURNEY_FIELDS,
  type Journey,
  type JourneyFields,
  journeyHref,
  journeyOfPost,
  readJourney,
} from './journey.ts';

/** A form as it came. */
export interface PostedForm {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly post: FormPost;
  readonly journey: Journey;
}

export interface FormRoutes {
  /** The path of the form; the confirmation page is at `…/done`. */
  readonly path: `/${string}`;
  readonly destinations: Destinations;
  /** Refuses the form by throwing, whatever is in it. */
  readonly requireOpen?: () => void;
  readonly handleForm: (form: PostedForm) => Promise<FastifyReply>;
  readonly confirmationPage: (journey: Journey) => Page;
}

/** A page that anybody may open. */
interface JourneyVisit<Query extends TProperties> {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly journey: Journey;
  readonly query: Static<TObject<Query>>;
}

interface JourneyPage<Query extends TProperties> {
  readonly path: `/${string}`;
  readonly destinations: Destinations;
  /** Query parameters beside those of the journey. */
  readonly query: Query;
  readonly limiter?: RateLimiter;
  /** Refuses the page by throwing, whatever is asked for. */
  readonly requireOpen?: (() => void) | undefined;
  readonly show: (visit: JourneyVisit<Query>) => FastifyReply | Promise<FastifyReply>;
}

/** Registers a page that anybody may open, such as the first step to a form. */
export function registerJourneyPage<Query extends TProperties>(scope: HttpApp, page: JourneyPage<Query>): void {
  const { path, destinations, limiter, requireOpen, show } = page;
  const querystring = Type.Object({ ...JOURNEY_FIELDS, ...page.query }, { additionalProperties: false });
  const onRequest = [...(limiter === undefined ? [] : [rateLimitHook(limiter)]), async () => requireOpen?.()];
  const options = { config: { permission: 'public' }, onRequest, schema: { hide: true, querystring } } as const;
  scope.get(path, options, async (request, reply) => {
    const query = request.query as Static<TObject<Query>> & JourneyFields;
    return show({ request, reply, journey: readJourney(request, query, destinations), query });
  });
}

/** `scope` parses forms. */
export function registerFormRoutes(scope: HttpApp, routes: FormRoutes): void {
  const { path, destinations, requireOpen, handleForm, confirmationPage } = routes;
  const onRequest = async () => requireOpen?.();
  scope.post(path, { config: { permission: 'public' }, onRequest, schema: { hide: true } }, async (request, reply) => {
    const post = readPost(request.body);
    return handleForm({ request, reply, post, journey: journeyOfPost(request, post, destinations) });
  });
  registerJourneyPage(scope, {
    path: `${path}/done`,
    destinations,
    query: {},
    show: ({ reply, journey }) => sendPage(reply, confirmationPage(journey)),
  });
}

/** What a form does. */
export interface FormWork {
  /** Pages and JSON endpoints count together. */
  readonly limiter: RateLimiter;
  readonly fields: Readonly<Record<string, FieldTexts>>;
  /** Where the confirmation page is. */
  readonly done: string;
  submit(): Promise<void>;
  /** The form again, with the problem. */
  problemPage(problem: FormProblem): Page | Promise<Page>;
  /** Another page for some errors; undefined for the form again. */
  endPage?(error: unknown): Page | undefined;
}

/** Submits the form, then redirects to the confirmation page. @throws what no form can show */
export async function carryOut({ request, reply, post, journey }: PostedForm, work: FormWork): Promise<FastifyReply> {
  try {
    await refuseForeignForms(request);
    await rateLimitHook(work.limiter)(request, reply);
    await work.submit();
  } catch (error) {
    const end = work.endPage?.(error);
    if (end !== undefined) return sendPage(statusOfProblem(error, reply), end);
    const problem = problemOf(error, { language: journey.language, post, fields: work.fields });
    const page = await work.problemPage(problem);
    return sendPage(statusOfProblem(error, reply), page);
  }
  return reply.redirect(journeyHref(work.done, journey), 303);
}
