// GET and POST /access-request: the pages on which professionals request an account. They use the service and the
// limits of POST /api/public/access-request.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FormPost } from '#lib/html/form-post.ts';
import { sendPage } from '#lib/html/html.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { rateLimitHook } from '#lib/rate-limit/hook.ts';
import type { RateLimiter } from '#lib/rate-limit/rate-limiter.ts';
import { originOf } from '../actor.ts';
import type { Groups } from '../groups/service.ts';
import type { Organisations } from '../organisations/service.ts';
import { isProfessionalRole } from '../professional-role.ts';
import {
  type Choice,
  type ChoiceState,
  findOrganisationChoice,
  organisationChoice,
  sendChoices,
} from '../shared/choice-step.ts';
import type { Destinations } from '../shared/destinations.ts';
import { requireValidAccount } from '../shared/form-problem.ts';
import { carryOut, type PostedForm, registerFormRoutes, registerJourneyPage } from '../shared/form-routes.ts';
import { GUID_PARAMETER, SEARCH_PARAMETER } from '../shared/journey.ts';
import { REQUEST_FIELDS } from './request-fields.ts';
import { chooseLeaderPage, chooseOrganisationPage, requestedPage, requestPage } from './request-page.ts';
import { formOf, SubmitBody } from './schema.ts';
import type { AccessRequests } from './service.ts';

export interface RequestPageDeps {
  readonly requests: AccessRequests;
  readonly organisations: Organisations;
  readonly groups: Groups;
  readonly destinations: Destinations;
  /** The limits of the JSON endpoints; pages and endpoints count together. */
  readonly limits: { readonly submit: RateLimiter; readonly catalogue: RateLimiter };
}

/** The organisation and the leader that the steps before the form have chosen; undefined where none is found. */
interface Chosen {
  readonly organisation: Choice | undefined;
  readonly leader: Choice | undefined;
}

/** `scope` parses forms. */
export function registerAccessRequestPages(scope: HttpApp, deps: RequestPageDeps): void {
  const { destinations, limits } = deps;
  registerJourneyPage(scope, {
    path: '/access-request',
    destinations,
    limiter: limits.catalogue,
    query: { organisation_guid: GUID_PARAMETER, chosen_leader_guid: GUID_PARAMETER, search: SEARCH_PARAMETER },
    async show({ reply, journey, query }) {
      const { organisation_guid: organisationGuid, chosen_leader_guid: leaderGuid, search = '' } = query;
      const { organisation, leader } = await findChosen(deps, { organisationGuid, leaderGuid });
      if (organisation === undefined) {
        return sendOrganisations(deps, reply, { journey, search, isGone: organisationGuid !== undefined });
      }
      if (leader === undefined) {
        return sendLeaders(deps, reply, { journey, search, organisation, isGone: leaderGuid !== undefined });
      }
      return sendPage(reply, requestPage({ journey, organisation, leader, ...(await offeredBy(deps)) }));
    },
  });
  registerFormRoutes(scope, {
    path: '/access-request',
    destinations,
    handleForm: (form) => handleForm(deps, form),
    confirmationPage: requestedPage,
  });
}

async function handleForm(deps: RequestPageDeps, form: PostedForm) {
  const { request, reply, post, journey } = form;
  const { organisation, leader } = await findChosen(deps, {
    organisationGuid: post.text('organisation_guid'),
    leaderGuid: post.text('chosen_leader_guid'),
  });
  if (organisation === undefined || leader === undefined) await rateLimitHook(deps.limits.catalogue)(request, reply);
  if (organisation === undefined) return sendOrganisations(deps, reply, { journey, search: '', isGone: true });
  if (leader === undefined) return sendLeaders(deps, reply, { journey, search: '', organisation, isGone: true });
  return carryOut(form, {
    limiter: deps.limits.submit,
    fields: REQUEST_FIELDS,
    done: '/access-request/done',
    submit: () => submit(deps, request, post),
    problemPage: async (problem) =>
      requestPage({ journey, organisation, leader, ...(await offeredBy(deps)), ...typedIn(post), problem }),
  });
}

/** The phases that the form offers and the minimum length of its password. */
async function offeredBy({ groups, requests }: RequestPageDeps) {
  return { phases: await groups.phases(), passwordLength: requests.passwordLength };
}

function typedIn(post: FormPost) {
  const typed = {
    first_name: post.text('first_name'),
    last_name: post.text('last_name'),
    email: post.text('email'),
    professional_role: post.text('professional_role'),
  };
  return { typed, chosenPhases: post.all('requested_phases') };
}

async function submit({ requests }: RequestPageDeps, request: FastifyRequest, post: FormPost): Promise<void> {
  const { typed, chosenPhases } = typedIn(post);
  const role = typed.professional_role;
  const body = {
    ...typed,
    password: post.text('password'),
    organisation_guid: post.text('organisation_guid'),
    requested_phases: [...new Set(chosenPhases)],
    chosen_leader_guid: post.text('chosen_leader_guid'),
  };
  // The schema reports an invalid role. The rest is validated all the same, so that every error is reported at once.
  const form = formOf({ ...body, professional_role: isProfessionalRole(role) ? role : 'other' });
  await requireValidAccount({ request, post }, body, { schema: SubmitBody, issuesOf: requests.issuesOf });
  await requests.submit(form, originOf(request));
}

async function findChosen(
  { organisations, groups }: RequestPageDeps,
  guids: { organisationGuid: string | undefined; leaderGuid: string | undefined },
): Promise<Chosen> {
  const { organisationGuid = '', leaderGuid = '' } = guids;
  const [organisation, leader] = await Promise.all([
    findOrganisationChoice(organisations, organisationGuid),
    groups.findLeader(leaderGuid),
  ]);
  return {
    organisation,
    leader: leader === null ? undefined : { guid: leaderGuid, name: nameOf(leader) },
  };
}

function sendOrganisations({ organisations }: RequestPageDeps, reply: FastifyReply, state: ChoiceState) {
  const step = { find: organisations.search, toChoice: organisationChoice, page: chooseOrganisationPage };
  return sendChoices(reply, state, step);
}

function sendLeaders(
  { groups }: RequestPageDeps,
  reply: FastifyReply,
  state: ChoiceState & { readonly organisation: Choice },
) {
  return sendChoices(reply, state, { find: groups.searchLeaders, toChoice: leaderChoice, page: chooseLeaderPage });
}

interface LeaderName {
  readonly first_name: string;
  readonly last_name: string;
}

function leaderChoice(leader: LeaderName & { readonly user_guid: string }): Choice {
  return { guid: leader.user_guid, name: nameOf(leader) };
}

function nameOf(leader: LeaderName): string {
  return `${leader.first_name} ${leader.last_name}`.trim();
}
