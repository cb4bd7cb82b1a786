// Calls of identity about clients on record: an application that is made, changed, given another secret, disabled and
// deleted, and whose credentials were shown.
import { asService } from '#test/support/identity/identity.ts';
import type { SignedIn } from './identity.ts';
import type { Recorder } from './recorder.ts';

const TIME = '2026-03-02T08:00:00.000';
const UNTIL = '2026-03-03T08:00:00.000+00:00';
const [FIRST, SECOND] = [
  'Zm9yIG9uZSBjbGllbnQgb25seSwgYW5kIG9ubHkgb25j',
  'YW5vdGhlciBvbmUgYWZ0ZXIgYSByb3RhdGlvbiwgb25j',
].map((text) => `kedja_client_${text.slice(0, 43)}`);

export async function clientsOnRecord({ example, show }: Recorder, { su }: SignedIn): Promise<void> {
  // Whether a use has been written down yet is a matter of seconds.
  const varies = { created_at: TIME, last_rotated_at: TIME, last_used_at: null };
  const [all, one] = ['//api/admin/clients', '//api/admin/clients/{client_id}'];
  const settings = {
    name: 'The region’s journal',
    audience: 'kedja',
    calls: ['user:read'],
    redirects: ['https://records.example.org/sign-in/callback'],
  };
  const body = { client_id: 'records', kind: 'application', ...settings };
  await example(`POST ${all}`, { as: su, body, status: 201, varies: { ...varies, client_secret: FIRST } });
  const service = { client_id: 'planning', name: 'Planning', kind: 'service', calls: ['contract:match'] };
  const calling = { summary: 'a service', varies: { ...varies, client_secret: SECOND } };
  const called = await example(`POST ${all}`, { as: su, body: service, status: 201, ...calling });
  const secret = String(called.body.client_secret);
  show(secret, String(SECOND));
  await example(`GET ${all}`, { as: su, varies });
  const parameters = { client_id: 'records' };
  await example(`GET ${one}`, { as: su, parameters, varies });
  const changed = { ...settings, audience: 'https://records.example.org' };
  await example(`PUT ${one}`, { as: su, parameters, body: changed, varies });
  const rotated = { as: su, parameters, body: { grace_hours: 24 } };
  const hidden = { ...varies, previous_secret_valid_until: UNTIL, client_secret: SECOND };
  await example(`POST ${one}/rotate-secret`, { ...rotated, varies: hidden });
  const shown = { client_id: 'planning', client_secret: secret, address: '192.0.2.7' };
  await example('POST //api/auth/clients/introspect', { headers: asService, body: shown });
  await example(`POST ${one}/disable`, { as: su, parameters, varies: hidden });
  await example(`POST ${one}/enable`, { as: su, parameters, varies: hidden });
  await example(`DELETE ${one}`, { as: su, parameters });
}
