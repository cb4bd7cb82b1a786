// The engine's calls to identity about accounts (docs/adr/0046). They say whether an e-mail address has an account at
// identity, sign in with it, and report the outcomes of other sign-ins.
import Type, { type Static } from 'typebox';
import { Value } from 'typebox/value';
import { credentialHeaders, type ServiceCredentials } from '#lib/auth/service-credentials.ts';
import { type ErrorCode, ServiceError } from '#lib/errors.ts';
import { expectJson, type ServiceFetch, type ServiceResponse } from '#lib/http/upstream/service-fetch.ts';

const closed = { additionalProperties: false };
const Place = { address: Type.String({ maxLength: 64 }), request_id: Type.String({ maxLength: 256 }) };
const Address = Type.String({ minLength: 1, maxLength: 254 });
export const MAX_ADDRESSES = 500;

/** The client of the person who signs in. */
export interface SignInOrigin {
  readonly address: string;
  readonly requestId: string;
}

export interface DelegatedAttempt {
  readonly email: string;
  readonly password: string;
  /** The code of the second factor. */
  readonly code?: string | undefined;
}

export const DelegatedSignInBody = Type.Object(
  {
    email: Address,
    password: Type.String({ minLength: 1, maxLength: 1024 }),
    code: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
    ...Place,
  },
  closed,
);

const Unknown = Type.Object({ outcome: Type.Literal('unknown_address') }, closed);
const SecondFactorRequired = Type.Object({ outcome: Type.Literal('second_factor_required') }, closed);
const SignedIn = Type.Object(
  {
    outcome: Type.Literal('signed_in'),
    token: Type.String(),
    user_guid: Type.String(),
    expires_at: Type.String(),
    must_change_password: Type.Optional(Type.Boolean()),
    password_change_reason: Type.Optional(Type.Enum(['temporary', 'too_short'])),
    must_set_up_second_factor: Type.Optional(Type.Boolean()),
  },
  closed,
);
export const DelegatedSignInResponse = Type.Union([Unknown, SecondFactorRequired, SignedIn]);
export type DelegatedSignInResponse = Static<typeof DelegatedSignInResponse>;

export const AddressesBody = Type.Object({ emails: Type.Array(Address, { maxItems: MAX_ADDRESSES }) }, closed);
export const AddressesResponse = Type.Object({ known: Type.Array(Type.String()) });

export const OutcomeBody = Type.Object({ email: Address, outcome: Type.Enum(['success', 'failure']) }, closed);

const Refusal = Type.Object({ error: Type.String(), message: Type.String() }, { additionalProperties: true });
/** Refusals that concern the person, not the engine. */
const REFUSALS: Readonly<Record<number, ErrorCode>> = { 401: 'authentication_failed', 429: 'rate_limited' };

export interface AccountClient {
  /** @throws ServiceError `authentication_failed`, `rate_limited`, `upstream_unavailable` */
  signIn(attempt: DelegatedAttempt, origin: SignInOrigin): Promise<DelegatedSignInResponse>;
  /**
   * Which of at most `MAX_ADDRESSES` addresses belong to accounts of identity.
   * @throws ServiceError `upstream_unavailable`
   */
  knownAmong(emails: readonly string[]): Promise<ReadonlySet<string>>;
  /** Ends the session of an identity token. @throws ServiceError `upstream_unavailable` */
  signOut(token: string): Promise<void>;
  /**
   * Reports the outcome of a sign-in with an address that identity does not know, so that both kinds count alike.
   * @throws ServiceError `upstream_unavailable`
   */
  recordOutcome(email: string, outcome: 'success' | 'failure'): Promise<void>;
}

export function createAccountClient(options: { fetch: ServiceFetch; credentials: ServiceCredentials }): AccountClient {
  const headers = credentialHeaders(options.credentials);
  const post = (path: string, json: unknown) =>
    options.fetch(`/api/auth/accounts/${path}`, { method: 'POST', headers, json });
  return {
    async signIn({ email, password, code }, { address, requestId }) {
      const given = code === undefined ? {} : { code };
      const answer = await post('sign-in', { email, password, ...given, address, request_id: requestId });
      const refusal = REFUSALS[answer.status];
      if (refusal !== undefined) throw refused(refusal, answer);
      const body = await expectJson(admitted(answer), 200);
      if (!Value.Check(DelegatedSignInResponse, body)) throw malformed();
      return body;
    },
    async knownAmong(emails) {
      if (emails.length === 0) return new Set();
      const body = await expectJson(admitted(await post('known', { emails })), 200);
      if (!Value.Check(AddressesResponse, body)) throw malformed();
      return new Set(body.known);
    },
    async signOut(token) {
      const answer = await options.fetch('/api/auth/logout', {
        method: 'POST',
        headers: { authorization: `Bearer ${token}` },
      });
      // An expired token counts as signed out.
      await expectJson(answer, 200, 401);
    },
    async recordOutcome(email, outcome) {
      // A lock caused by others meanwhile counts as one more failure.
      await expectJson(admitted(await post('outcomes', { email, outcome })), 204, 429);
    },
  };
}

/** The refusal as identity sent it, with its Retry-After. */
function refused(code: ErrorCode, { text, headers }: ServiceResponse): ServiceError {
  const body: unknown = JSON.parse(text);
  if (!Value.Check(Refusal, body) || body.error !== code) {
    throw new ServiceError('upstream_unavailable', 'Identity cannot be asked about the account');
  }
  const limits = Object.entries(headers).filter(([name]) => name.startsWith('ratelimit-'));
  const wait = Number(headers['retry-after']);
  return new ServiceError(code, body.message, {
    headers: Object.fromEntries(limits),
    ...(Number.isFinite(wait) ? { retryAfterSeconds: wait } : {}),
  });
}

/** A refusal of the service's own credentials says nothing about the person. */
function admitted(answer: ServiceResponse): ServiceResponse {
  if (answer.status !== 403) return answer;
  throw new ServiceError('upstream_unavailable', 'Identity refuses the credentials of this service');
}

function malformed(): ServiceError {
  return new ServiceError('upstream_error', 'Identity answered something about an account that cannot be read');
}
