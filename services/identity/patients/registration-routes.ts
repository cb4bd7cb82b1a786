// GET and POST /register: the pages on which patients register. They use the service and the limits of POST
// /api/patient/register.
import type { FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { validationError } from '#lib/errors.ts';
import { type FormPost, issuesBySchema } from '#lib/html/form-post.ts';
import { sendPage } from '#lib/html/html.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { rateLimitHook } from '#lib/rate-limit/hook.ts';
import type { RateLimiter } from '#lib/rate-limit/rate-limiter.ts';
import { originOf } from '../actor.ts';
import type { Organisations } from '../organisations/service.ts';
import { type Choice, findChoices, organisationChoice } from '../shared/choice-step.ts';
import type { Destinations } from '../shared/destinations.ts';
import { repetitionIssues } from '../shared/form-problem.ts';
import { carryOut, type PostedForm, registerFormRoutes } from '../shared/form-routes.ts';
import { GUID_PARAMETER, JOURNEY_FIELDS, type Journey, readJourney, SEARCH_PARAMETER } from '../shared/journey.ts';
import { chooseUnitPage, REGISTRATION_FIELDS, registeredPage, registrationPage } from './registration-page.ts';
import { RegisterBody } from './schema.ts';
import type { Patients } from './service.ts';

export interface RegistrationPageDeps {
  readonly patients: Patients;
  readonly organisations: Organisations;
  readonly destinations: Destinations;
  /** The limits of the JSON endpoints; pages and endpoints count together. */
  readonly limits: { readonly register: RateLimiter; readonly catalogue: RateLimiter };
}

/** `scope` parses forms. */
export function registerRegistrationPages(scope: HttpApp, deps: RegistrationPageDeps): void {
  const { destinations, limits } = deps;
  const querystring = Type.Object(
    { ...JOURNEY_FIELDS, organisation_guid: GUID_PARAMETER, search: SEARCH_PARAMETER },
    { additionalProperties: false },
  );
  scope.get(
    '/register',
    {
      config: { permission: 'public' },
      onRequest: rateLimitHook(limits.catalogue),
      schema: { hide: true, querystring },
    },
    async (request, reply) => {
      deps.patients.requireOpen();
      const { organisation_guid: guid, search = '' } = request.query;
      const journey = readJourney(request, request.query, destinations);
      const organisation = guid === undefined ? undefined : await findUnit(deps, guid);
      if (organisation !== undefined) return sendPage(reply, registrationPage({ journey, organisation }));
      return sendChoice(deps, reply, { journey, search, isGone: guid !== undefined });
    },
  );
  registerFormRoutes(scope, {
    path: '/register',
    destinations,
    handleForm: (form) => handleForm(deps, form),
    confirmationPage: registeredPage,
  });
}

async function handleForm(deps: RegistrationPageDeps, form: PostedForm) {
  const { request, reply, post, journey } = form;
  deps.patients.requireOpen();
  const organisation = await findUnit(deps, post.text('organisation_guid'));
  if (organisation === undefined) {
    await rateLimitHook(deps.limits.catalogue)(request, reply);
    return sendChoice(deps, reply, { journey, search: '', isGone: true });
  }
  const typed = { email: post.text('email'), personnummer: post.text('personnummer') };
  return carryOut(form, {
    limiter: deps.limits.register,
    fields: REGISTRATION_FIELDS,
    done: '/register/done',
    submit: () => register(deps, request, post),
    problemPage: (problem) => registrationPage({ journey, organisation, ...typed, problem }),
  });
}

async function register({ patients }: RegistrationPageDeps, request: FastifyRequest, post: FormPost): Promise<void> {
  const [email, password, personnummer] = [post.text('email'), post.text('password'), post.text('personnummer')];
  const organisationGuid = post.text('organisation_guid');
  const body = { email, password, personnummer, organisation_guid: organisationGuid };
  const issues = [
    ...issuesBySchema(request, RegisterBody, body),
    ...(await patients.issuesOf(body)),
    ...repetitionIssues(post, { password: 'password', again: 'password_again' }),
  ];
  if (issues.length > 0) throw validationError(issues);
  await patients.register({ email, password, personnummer, organisationGuid }, originOf(request));
}

async function findUnit({ organisations }: RegistrationPageDeps, guid: string): Promise<Choice | undefined> {
  const found = await organisations.find(guid);
  return found === null ? undefined : { guid: found.organisationGuid, name: found.name };
}

async function sendChoice(
  { organisations }: RegistrationPageDeps,
  reply: FastifyReply,
  choice: { journey: Journey; search: string; isGone: boolean },
) {
  const choices = await findChoices(choice.search, organisations.search, organisationChoice);
  return sendPage(reply.code(choice.isGone ? 404 : 200), chooseUnitPage({ ...choice, choices }));
}
