// The wire shapes of a patient's own consents outside FHIR (docs/adr/0073).
import Type from 'typebox';
import { PageQuery, pageOf } from '#lib/http/response/page.ts';
import { nullable, ProviderGuid } from '../shared/wire.ts';

const closed = { additionalProperties: false };
const Day = Type.String({ format: 'date', description: 'YYYY-MM-DD, included' });
const Choice = Type.Enum(['permit', 'deny']);
const Organisation = Type.String({
  ...ProviderGuid,
  description: 'An organisation, with all below it, or a provider; everybody when left out',
});

export const DecisionInput = Type.Object(
  {
    decision: Choice,
    organisation_guid: Type.Optional(Organisation),
    starts_on: Type.Optional(Day),
    ends_on: Type.Optional(Day),
  },
  { ...closed, title: 'OwnConsentInput' },
);

export const PreviewInput = Type.Object(
  {
    decision: Type.Optional(Choice),
    organisation_guid: Type.Optional(Organisation),
    starts_on: Type.Optional(Day),
    ends_on: Type.Optional(Day),
    ends: Type.Optional(
      Type.String({
        ...ProviderGuid,
        description: 'Instead of a new decision: the `consent_guid` that would be ended',
      }),
    ),
  },
  { ...closed, title: 'OwnConsentPreviewInput' },
);

export const OwnConsentParams = Type.Object({ consent_guid: Type.String() });

export const OwnConsentView = Type.Object(
  {
    consent_guid: Type.String({ description: 'The id of the FHIR Consent' }),
    status: Type.Enum(['active', 'ended']),
    decision: nullable(Choice),
    organisation_guid: nullable(Type.String()),
    starts_on: nullable(Type.String()),
    ends_on: nullable(Type.String()),
    is_simple: Type.Boolean({ description: 'False when the FHIR Consent says more than is shown here' }),
    updated_at: Type.String({ format: 'date-time' }),
  },
  { title: 'OwnConsent' },
);

export const OwnConsentQuery = Type.Object(PageQuery, closed);
export const OwnConsentPage = pageOf(OwnConsentView);

const Answer = Type.Enum(['permitted', 'consent_denied', 'consent_cannot_be_evaluated', 'consent_missing']);

export const PreviewView = Type.Object(
  {
    at: Type.String({
      format: 'date-time',
      description: 'The moment that is looked at: now, or when the decision begins',
    }),
    affected: Type.Array(
      Type.Object({
        service_request_id: Type.String(),
        request_guid: nullable(Type.String()),
        title: nullable(Type.String()),
        provider_guid: Type.String(),
        provider_name: Type.String(),
        match_status: Type.Enum(['pending', 'pushed', 'accepted']),
        before: Answer,
        after: Answer,
        text: Type.String({ description: 'The effect in words, in the language of Accept-Language (sv or en)' }),
      }),
    ),
    unaffected: Type.Integer({ description: 'Open requests to providers for which nothing changes' }),
    has_more: Type.Boolean({ description: 'Whether there are more open requests than were looked at' }),
  },
  { title: 'OwnConsentPreview' },
);
