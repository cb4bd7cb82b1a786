// Attacks on what comes before the rules of any feature: bodies, parameters, and addresses that are open to anybody.
import { type Attack, fhir, json, listOf } from './attack.ts';

const MEBIBYTE = 1024 * 1024;
const MEMBERS = Array.from({ length: 60_000 }, (_, index) => `"unknown${index}":1`).join(',');
export const HTTP_ATTACKS: readonly Attack[] = [
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
    name: 'deep nesting',
    who: 'patient',
    request: () => fhir('/engine/api/v1/Patient', '['.repeat(5 * MEBIBYTE)),
  },
];
