// The state that a visitor carries from page to page: the language, and the redirect address of the sign-in (decision
// I3). URLs of pages are relative, so that they work behind the gateway's prefix too.
import type { FastifyRequest } from 'fastify';
import Type from 'typebox';
import { ServiceError } from '#lib/errors.ts';
import { hiddenField } from '#lib/html/form.ts';
import type { FormPost } from '#lib/html/form-post.ts';
import { chooseLanguage, type Language, type Markup } from '#lib/html/html.ts';
import { other } from '#lib/html/layout.ts';
import { CHALLENGE_FIELDS, challengeFields, isChallenge, readChallenge } from './code-challenge.ts';
import type { Destinations } from './destinations.ts';

const STATE_LENGTH = 1024;

/** What a sign-in page is asked for: the password in any case, or which account (OpenID Connect Core §3.1.2.1). */
export const PROMPTS = ['login', 'select_account'] as const;
export type Prompt = (typeof PROMPTS)[number];

/** The query parameters and form fields of a journey. */
export const JOURNEY_FIELDS = {
  next: Type.Optional(Type.String()),
  client_id: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
  state: Type.Optional(Type.String({ maxLength: STATE_LENGTH })),
  response_mode: Type.Optional(Type.Enum(['token', 'code'])),
  prompt: Type.Optional(Type.Enum([...PROMPTS])),
  ...CHALLENGE_FIELDS,
  lang: Type.Optional(Type.String()),
};

/** A guid in a query; it may be unknown. */
export const GUID_PARAMETER = Type.Optional(Type.String({ minLength: 1, maxLength: 64 }));
/** A search text; no name contains a control character. */
export const SEARCH_PARAMETER = Type.Optional(Type.String({ maxLength: 200, pattern: '^[^\\p{Cc}\\p{Cs}]*$' }));

export interface Journey {
  readonly language: Language;
  /** `next` as it was sent, and parsed; undefined when the visitor has no redirect address. */
  readonly goal?: { readonly next: string; readonly target: URL } | undefined;
  /** The client of the sign-in; undefined when none was named. */
  readonly clientId: string | undefined;
  readonly state?: string | undefined;
  readonly responseMode?: string | undefined;
  readonly prompt?: Prompt | undefined;
  /** The code challenge of the one-time code. */
  readonly codeChallenge?: string | undefined;
}

/** The fields of a query or form, validated or not. */
export interface JourneyFields {
  readonly next?: string | undefined;
  readonly client_id?: string | undefined;
  readonly state?: string | undefined;
  readonly response_mode?: string | undefined;
  readonly prompt?: string | undefined;
  readonly code_challenge?: string | undefined;
  readonly code_challenge_method?: string | undefined;
  readonly lang?: string | undefined;
}

/**
 * @throws ServiceError `invalid_redirect` when `next` is present and not allowed; `invalid_request` for an invalid code
 * challenge, and for a client without one
 */
export function readJourney(request: FastifyRequest, fields: JourneyFields, destinations: Destinations): Journey {
  const { next, client_id: clientId, state, response_mode: responseMode, lang } = fields;
  const language = chooseLanguage(lang, request.headers['accept-language']);
  const target = next === undefined ? undefined : destinations.targetOf(next, clientId);
  if (next !== undefined && target === undefined) throw invalidRedirect();
  return {
    language,
    state,
    responseMode,
    prompt: PROMPTS.find((each) => each === fields.prompt),
    clientId,
    codeChallenge: readChallenge(fields),
    goal: next && target ? { next, target } : undefined,
  };
}

/**
 * Reads the journey of a form. @throws ServiceError `invalid_redirect`, and `invalid_request` for a `state` that is too
 * long
 */
export function journeyOfPost(request: FastifyRequest, post: FormPost, destinations: Destinations): Journey {
  const [next, clientId, state, lang] = ['next', 'client_id', 'state', 'lang'].map(post.optional);
  if (state !== undefined && state.length > STATE_LENGTH)
    throw new ServiceError('invalid_request', "'state' is too long");
  const mode = post.optional('response_mode') === 'code' ? 'code' : undefined;
  const [challenge, method] = ['code_challenge', 'code_challenge_method'].map(post.optional);
  if (challenge !== undefined && !isChallenge(challenge))
    throw new ServiceError('invalid_request', "'code_challenge' is no challenge");
  const asked = { response_mode: mode, code_challenge: challenge, code_challenge_method: method };
  const prompt = post.optional('prompt');
  return readJourney(request, { next, client_id: clientId, state, lang, prompt, ...asked }, destinations);
}

export function invalidRedirect(): ServiceError {
  return new ServiceError('invalid_redirect', "'next' is not an address that a sign-in may lead to");
}

/** The URL of another page in the same journey: `page`, with the parameters of the journey and the added ones. */
export function journeyHref(page: string, journey: Journey, added: Readonly<Record<string, string>> = {}): string {
  const { language, goal, clientId, state, responseMode, prompt, codeChallenge } = journey;
  const query = new URLSearchParams({ lang: language });
  if (goal !== undefined) query.set('next', goal.next);
  if (clientId !== undefined) query.set('client_id', clientId);
  if (state !== undefined) query.set('state', state);
  if (responseMode !== undefined) query.set('response_mode', responseMode);
  if (prompt !== undefined) query.set('prompt', prompt);
  for (const [name, value] of challengeFields(codeChallenge)) query.set(name, value);
  for (const [name, value] of Object.entries(added)) query.set(name, value);
  return `${page}?${query.toString()}`;
}

/** The journey in the other language. */
export function inOtherLanguage(journey: Journey): Journey {
  return { ...journey, language: other(journey.language) };
}

/** The hidden form fields of a journey. */
export function journeyInputs({
  language,
  goal,
  clientId,
  state,
  responseMode,
  prompt,
  codeChallenge,
}: Journey): readonly (Markup | undefined)[] {
  return [
    hiddenField('lang', language),
    hiddenField('next', goal?.next),
    hiddenField('client_id', clientId),
    hiddenField('state', state),
    hiddenField('response_mode', responseMode),
    hiddenField('prompt', prompt),
    ...challengeFields(codeChallenge).map(([name, value]) => hiddenField(name, value)),
  ];
}

/** The origins for `form-action`: browsers apply it to the redirect after a form, too. */
export function formTargets({ goal }: Journey): readonly string[] | undefined {
  return goal && [goal.target.origin];
}
