// Registered clients, for tests of identity: created as by an administrator, and signed in to as by a browser and an
// application.
import { createHash } from 'node:crypto';
import { ADMIN, type Identity } from './identity.ts';

const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';

export const PROOF = { code_challenge: challengeOf(VERIFIER), code_challenge_method: 'S256' };

export interface CreatedClient {
  readonly id: string;
  readonly secret: string;
  /** Its credentials. */
  readonly headers: Readonly<Record<string, string>>;
}

function challengeOf(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url');
}

export function credentialsOf(id: string, secret: string): Record<string, string> {
  return { 'x-sso-client-id': id, 'x-sso-client-secret': secret };
}

/** What an administrator does at `/api/admin/clients`. */
export async function administer(
  { app, asAdmin }: Pick<Identity, 'app' | 'asAdmin'>,
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path = '',
  body?: object,
) {
  const headers = await asAdmin();
  const payload = body === undefined ? {} : { payload: body };
  return app.inject({ method, url: `/api/admin/clients${path}`, headers, ...payload });
}

export async function makeClient(
  identity: Pick<Identity, 'app' | 'asAdmin'>,
  client: { client_id: string } & Record<string, unknown>,
): Promise<CreatedClient> {
  const body = { name: `Client ${client.client_id}`, kind: 'application', ...client };
  const answer = await administer(identity, 'POST', '', body);
  if (answer.statusCode !== 201) throw new Error(`A client was answered ${answer.statusCode}: ${answer.body}`);
  const { client_id: id, client_secret: secret = '' } = answer.json();
  return { id, secret, headers: credentialsOf(id, secret) };
}

/** The response of a sign-in for the client. */
export function signInFor(
  { app }: Pick<Identity, 'app'>,
  wanted: { client_id?: string; next: string } & Record<string, unknown>,
) {
  const payload = { ...ADMIN, state: 's', response_mode: 'code', ...PROOF, ...wanted };
  return app.inject({ method: 'POST', url: '/api/auth/login', payload });
}

/** The code of a sign-in for the client. */
export async function codeFor(
  identity: Pick<Identity, 'app'>,
  wanted: { client_id?: string; next: string } & Record<string, unknown>,
) {
  const answer = await signInFor(identity, wanted);
  if (answer.statusCode !== 302) throw new Error(`A sign-in was answered ${answer.statusCode}: ${answer.body}`);
  return String(new URL(String(answer.headers.location)).searchParams.get('code'));
}

/** The response of the exchange, with the right verifier when none is given. */
export function exchange(
  { app }: Pick<Identity, 'app'>,
  exchanged: { code: string; next: string } & Record<string, unknown>,
  headers: Readonly<Record<string, string>> = {},
) {
  return app.inject({
    method: 'POST',
    url: '/api/auth/token',
    headers,
    payload: { code_verifier: VERIFIER, ...exchanged },
  });
}
