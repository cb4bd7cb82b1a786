// HTTP of a patient's own consents outside FHIR: /api/v1/own-consents (docs/reference/own-consents.md).
import type { Static } from 'typebox';
import { validationError } from '#lib/errors.ts';
import { chooseLanguage } from '#lib/html/html.ts';
import { translator } from '#lib/html/messages.ts';
import { apiRoutes } from '#lib/http/api-routes.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { limitOf, makePage, sendPage } from '#lib/http/response/page.ts';
import { actorOf } from '../shared/actor.ts';
import type { Decision } from './content.ts';
import messages from './preview.messages.json' with { type: 'json' };
import type { Change, Effect, PreviewService } from './preview-service.ts';
import {
  DecisionInput,
  OwnConsentPage,
  OwnConsentParams,
  OwnConsentQuery,
  OwnConsentView,
  PreviewInput,
  PreviewView,
} from './schema.ts';
import type { OwnConsent, OwnConsents } from './service.ts';

export interface OwnConsentRoutes {
  readonly ownConsents: OwnConsents;
  readonly previews: PreviewService;
}

export function registerOwnConsentRoutes(app: HttpApp, { ownConsents, previews }: OwnConsentRoutes): void {
  const routes = apiRoutes(app, { tags: ['Own consents'], permission: 'consent:decide-own' });
  routes.get(
    '/own-consents',
    'What the patient has decided, what is in force first',
    { schema: { querystring: OwnConsentQuery, response: { 200: OwnConsentPage } } },
    async (request, reply) => {
      const { consents, total } = await ownConsents.list(actorOf(request), limitOf(request.query));
      return sendPage(request, reply, makePage(consents.map(toView), total, request.query));
    },
  );
  routes.post(
    '/own-consents',
    'Permit or deny: in force from the next question to the consent gate',
    {
      config: { idempotent: true, errors: ['unprocessable'] },
      schema: { body: DecisionInput, response: { 201: OwnConsentView } },
    },
    async (request, reply) => {
      const given = await ownConsents.give(actorOf(request), toDecision(request.body));
      return reply.code(201).send(toView(given));
    },
  );
  routes.post(
    '/own-consents/preview',
    'What a decision, or the end of one, would change; nothing is stored',
    { config: { errors: ['not_found'] }, schema: { body: PreviewInput, response: { 200: PreviewView } } },
    async (request) => {
      const { at, affected, unaffected, hasMore } = await previews.preview(actorOf(request), toChange(request.body));
      const text = translator(messages.effect, chooseLanguage(undefined, request.headers['accept-language']));
      const words = (effect: Effect) => text(effect.text, { provider: effect.providerName });
      return {
        at: at.toISOString(),
        affected: affected.map((effect) => ({ ...toEffectView(effect), text: words(effect) })),
        unaffected,
        has_more: hasMore,
      };
    },
  );
  routes.post(
    '/own-consents/:consent_guid/end',
    'End a decision; again changes nothing',
    { config: { errors: ['not_found'] }, schema: { params: OwnConsentParams, response: { 200: OwnConsentView } } },
    async (request) => toView(await ownConsents.end(actorOf(request), request.params.consent_guid)),
  );
}

function toDecision(body: Static<typeof DecisionInput>): Decision {
  const { decision, organisation_guid: organisationGuid, starts_on: startsOn, ends_on: endsOn } = body;
  return { decision, organisationGuid, startsOn, endsOn };
}

/** @throws ServiceError `validation_error` unless it is either a decision or an end */
function toChange({ ends, decision, ...rest }: Static<typeof PreviewInput>): Change {
  if (ends !== undefined && decision === undefined && Object.keys(rest).length === 0) return { ends };
  if (ends === undefined && decision !== undefined) return toDecision({ decision, ...rest });
  throw validationError([{ field: 'decision', message: "Give either 'decision', with what belongs to it, or 'ends'" }]);
}

function toView(own: OwnConsent): Static<typeof OwnConsentView> {
  return {
    consent_guid: own.id,
    status: own.isActive ? 'active' : 'ended',
    decision: own.decision ?? null,
    organisation_guid: own.organisationGuid ?? null,
    starts_on: own.startsOn ?? null,
    ends_on: own.endsOn ?? null,
    is_simple: own.isSimple,
    updated_at: own.updatedAt.toISOString(),
  };
}

function toEffectView(effect: Effect) {
  return {
    service_request_id: effect.serviceRequestId,
    request_guid: effect.requestGuid ?? null,
    title: effect.title === undefined ? null : titleOf(effect.title),
    provider_guid: effect.providerGuid,
    provider_name: effect.providerName,
    match_status: effect.status,
    before: effect.before,
    after: effect.after,
  };
}

/** The title of a plan from its JSON text. */
function titleOf(json: string): string | null {
  const title: unknown = JSON.parse(json);
  return typeof title === 'string' ? title : null;
}
