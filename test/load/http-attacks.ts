// Attacks on what runs before the rules of any feature: bodies, parameters, and public addresses.
import { newWebhookSecret, signWebhook } from '#lib/webhook/signature.ts';
import { type Attack, fhir, json, listOf, MEBIBYTE } from './attack.ts';

const MEMBERS = Array.from({ length: 60_000 }, (_, index) => `"unknown${index}":1`).join(',');
const COMPONENT = '{"code":{"text":"a"},"valueQuantity":{"value":1.0,"unit":"g"}}';
/** Which no inbox has. */
const SECRET = newWebhookSecret();
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

function unknownTask(body: string) {
  return json('/engine/api/v1/provider-tasks/no-such-token/report', body);
}

export const HTTP_ATTACKS: readonly Attack[] = [
  {
    name: 'a report of 500,000 observations that are numbers, for a token that nobody holds',
    who: 'nobody',
    request: () => unknownTask(`{"status":"final","observations":${listOf('1', 500_000)}}`),
  },
  {
    name: 'the same for a token that is held',
    who: 'holder',
    request: ({ receiptToken }) =>
      json(
        `/engine/api/v1/provider-tasks/${receiptToken}/report`,
        `{"status":"final","observations":${listOf('1', 500_000)}}`,
      ),
  },
  {
    name: 'a report of one observation as large as may be',
    who: 'holder',
    isOfService: true,
    answers: [200, 400],
    request: ({ receiptToken }) =>
      json(
        `/engine/api/v1/provider-tasks/${receiptToken}/report`,
        `{"status":"partial","observations":[{"resourceType":"Observation","status":"final","code":{"text":"a"},"component":${listOf(COMPONENT, 100_000)}}]}`,
      ),
  },
  {
    name: 'a report of 500 observations with errors',
    who: 'holder',
    answers: [400],
    request: ({ receiptToken }) =>
      json(
        `/engine/api/v1/provider-tasks/${receiptToken}/report`,
        `{"status":"partial","observations":${listOf(`{"resourceType":"Observation","component":${listOf('{"a":[]}', 2_000)}}`, 500)}}`,
      ),
  },
  {
    name: 'a webhook of 10 MB without a signature',
    who: 'nobody',
    request: () =>
      json('/engine/api/v1/provider-tasks/inbox?provider_guid=x', `{"type":"ping","data":${listOf('{}', 3_000_000)}}`),
  },
  {
    name: 'a webhook of 10 MB that is signed, by another',
    who: 'nobody',
    answers: [401],
    request: ({ hosted }) => {
      const body = `{"type":"ping","data":${listOf('"åäö"', 1_000_000)}}`;
      const message = { id: 'freeze', timestampSeconds: Math.floor(Date.now() / 1000), body };
      const { headers, ...request } = json(`/engine/api/v1/provider-tasks/inbox?provider_guid=${hosted}`, body);
      return { ...request, headers: { ...headers, ...signWebhook(message, [SECRET]) } };
    },
  },
  {
    name: 'an access request for 100,000 phases',
    who: 'nobody',
    request: () =>
      json('/identity/api/public/access-request', `{"email":"a@b.se","requested_phases":${listOf('"x"', 100_000)}}`),
  },
  ...[
    '/identity/api/auth/login',
    '/identity/api/patient/register',
    '/engine/api/v1/auth/login',
    '/dispatch/api/v1/ServiceRequest/receipt/x/respond',
  ].map(
    (path): Attack => ({
      name: `unknown fields at ${path}`,
      who: 'nobody',
      request: () => json(path, `{${MEMBERS}}`),
    }),
  ),
  {
    name: 'unknown fields of an activity',
    who: 'planner',
    request: () => json('/engine/api/v1/activities', `{${MEMBERS}}`),
  },
  {
    name: 'a search with 300,000 parameters',
    who: 'patient',
    request: () => ({
      method: 'POST',
      path: '/engine/api/v1/Patient/_search',
      headers: FORM,
      body: 'a=1&'.repeat(300_000),
    }),
  },
  {
    name: '_elements of 200,000',
    who: 'patient',
    request: () => ({
      method: 'POST',
      path: '/engine/api/v1/Patient/_search',
      headers: FORM,
      body: `_elements=${'a,'.repeat(200_000)}`,
    }),
  },
  {
    name: 'a search with as many conditions as may be asked',
    who: 'planner',
    answers: [200, 400],
    request: () => ({
      method: 'POST',
      path: '/engine/api/v1/Patient/_search',
      headers: FORM,
      body: Array.from({ length: 500 }, (_, index) => `family=a${index}`).join('&'),
    }),
  },
  {
    name: 'a search for 9,000 alternatives',
    who: 'planner',
    answers: [200, 400],
    request: () => ({
      method: 'POST',
      path: '/engine/api/v1/Observation/_search',
      headers: FORM,
      body: `code=${Array.from({ length: 9000 }, (_, index) => `http://example.org/c|${index}`).join(',')}`,
    }),
  },
  {
    name: 'one member 300,000 times',
    who: 'planner',
    request: () => fhir('/engine/api/v1/Patient', `{"resourceType":"Patient"${',"active":true'.repeat(300_000)}}`),
  },
  {
    name: 'deep nesting',
    who: 'patient',
    request: () => fhir('/engine/api/v1/Patient', '['.repeat(5 * MEBIBYTE)),
  },
];
