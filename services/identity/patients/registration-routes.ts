// GET and POST /register: the pages on which patients register. They use the service and the limits of POST
// /api/patient/register.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FormPost } from '#lib/html/form-post.ts';
import { sendPage } from '#lib/html/html.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { rateLimitHook } from '#lib/rate-limit/hook.ts';
import type { RateLimiter } from '#lib/rate-limit/rate-limiter.ts';
import { originOf } from '../actor.ts';
import type { Organisations } from '../organisations/service.ts';
import { type ChoiceState, findOrganisationChoice, organisationChoice, sendChoices } from '../shared/choice-step.ts';
import type { Destinations } from '../shared/destinations.ts';
import { requireValidAccount } from '../shared/form-problem.ts';
import { carryOut, type PostedForm, registerFormRoutes, registerJourneyPage } from '../shared/form-routes.ts';
import { GUID_PARAMETER, SEARCH_PARAMETER } from '../shared/journey.ts';
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
  registerJourneyPage(scope, {
    path: '/register',
    destinations,
    limiter: limits.catalogue,
    requireOpen: deps.patients.requireOpen,
    query: { organisation_guid: GUID_PARAMETER, search: SEARCH_PARAMETER },
    async show({ reply, journey, query }) {
      const { organisation_guid: guid, search = '' } = query;
      const organisation = guid === undefined ? undefined : await findOrganisationChoice(deps.organisations, guid);
      if (organisation !== undefined) return sendPage(reply, registrationPage({ journey, organisation }));
      return sendUnits(deps, reply, { journey, search, isGone: guid !== undefined });
    },
  });
  registerFormRoutes(scope, {
    path: '/register',
    destinations,
    requireOpen: deps.patients.requireOpen,
    handleForm: (form) => handleForm(deps, form),
    confirmationPage: registeredPage,
  });
}

async function handleForm(deps: RegistrationPageDeps, form: PostedForm) {
  const { request, reply, post, journey } = form;
  const organisation = await findOrganisationChoice(deps.organisations, post.text('organisation_guid'));
  if (organisation === undefined) {
    await rateLimitHook(deps.limits.catalogue)(request, reply);
    return sendUnits(deps, reply, { journey, search: '', isGone: true });
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
  await requireValidAccount({ request, post }, body, { schema: RegisterBody, issuesOf: patients.issuesOf });
  await patients.register({ email, password, personnummer, organisationGuid }, originOf(request));
}

function sendUnits({ organisations }: RegistrationPageDeps, reply: FastifyReply, state: ChoiceState) {
  const step = { find: organisations.search, toChoice: organisationChoice, page: chooseUnitPage };
  return sendChoices(reply, state, step);
}
