// Routes of a form page: the POST of the form, and the confirmation page that it redirects to.
import type { FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { type Page, sendPage } from '#lib/html/html.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import type { Destinations } from './destinations.ts';
import { JOURNEY_FIELDS, type Journey, readJourney } from './journey.ts';

export interface FormRoutes {
  /** The path of the form; the confirmation page is at `…/done`. */
  readonly path: `/${string}`;
  readonly destinations: Destinations;
  readonly handleForm: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;
  readonly confirmationPage: (journey: Journey) => Page;
}

/** `scope` parses forms. */
export function registerFormRoutes(scope: HttpApp, routes: FormRoutes): void {
  const { path, destinations, handleForm, confirmationPage } = routes;
  scope.post(path, { config: { permission: 'public' }, schema: { hide: true } }, async (request, reply) =>
    handleForm(request, reply),
  );
  const querystring = Type.Object(JOURNEY_FIELDS, { additionalProperties: false });
  scope.get(
    `${path}/done`,
    { config: { permission: 'public' }, schema: { hide: true, querystring } },
    async (request, reply) => sendPage(reply, confirmationPage(readJourney(request, request.query, destinations))),
  );
}
