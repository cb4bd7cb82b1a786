// Checks the definition of an external server, and splits it into the stored part and the secret.
import type { Issue } from '#lib/errors.ts';
import { type BodyFields, isFields } from '#lib/http/body-check.ts';
import type { ServerAuth } from '../shared/upstream/server-definition.ts';
import type { AuthInput, ServerChange, ServerView } from './schema.ts';

/** The authentication of a server without the secret. It is stored unsealed and shown. */
export type OpenAuth = ServerView['auth'];

const SECRET_FIELD = {
  none: undefined,
  basic: 'password',
  bearer: 'token',
  client_credentials: 'client_secret',
} as const;
const REQUIRED = {
  none: [],
  basic: ['username'],
  bearer: [],
  client_credentials: ['token_url', 'client_id'],
} as const satisfies Record<AuthInput['type'], readonly (keyof AuthInput)[]>;
const OPTIONAL: Partial<Record<AuthInput['type'], readonly (keyof AuthInput)[]>> = { client_credentials: ['scope'] };

/** Splits a valid input into the part to store and the secret. */
export function partsOf({ auth }: Pick<ServerChange, 'auth'>): { open: OpenAuth; secret: string | undefined } {
  const { password, token, client_secret: clientSecret, ...open } = auth ?? { type: 'none' as const };
  return { open, secret: password ?? token ?? clientSecret };
}

/**
 * Returns the issues of an input that its schema does not find. Fields that fail the schema are skipped. `hasSecret`: a
 * secret is stored, so the input may leave it out.
 */
export function issuesOfInput({ url, auth }: BodyFields, hasSecret: boolean): Issue[] {
  return [
    ...(typeof url === 'string' ? urlIssues('url', url) : []),
    ...(isAuth(auth) ? issuesOfAuth(auth, hasSecret) : []),
  ];
}

function isAuth(auth: unknown): auth is BodyFields & Pick<AuthInput, 'type'> {
  return isFields(auth) && typeof auth['type'] === 'string' && Object.hasOwn(SECRET_FIELD, auth['type']);
}

function issuesOfAuth(auth: BodyFields & Pick<AuthInput, 'type'>, hasSecret: boolean): Issue[] {
  const issues: Issue[] = [];
  const secret = SECRET_FIELD[auth.type];
  const required: readonly string[] = REQUIRED[auth.type];
  const allowed = new Set<string>(['type', ...required, ...(OPTIONAL[auth.type] ?? []), ...(secret ? [secret] : [])]);
  const needed = secret === undefined || hasSecret ? required : [...required, secret];
  for (const field of needed) {
    if (auth[field] !== undefined) continue;
    issues.push({ field: `auth.${field}`, message: `'auth.${field}' is required with '${auth.type}'` });
  }
  for (const field of Object.keys(auth)) {
    if (allowed.has(field)) continue;
    issues.push({ field: `auth.${field}`, message: `'auth.${field}' does not belong to '${auth.type}'` });
  }
  const tokenUrl = auth['token_url'];
  if (typeof tokenUrl === 'string' && auth.type === 'client_credentials')
    issues.push(...urlIssues('auth.token_url', tokenUrl));
  return issues;
}

function urlIssues(field: string, value: string): Issue[] {
  const url = URL.parse(value);
  if (url === null || !/^https?:\/\/[^/\\]/i.test(value))
    return [{ field, message: `'${field}' must be an http or https URL` }];
  if (/[?#]/.test(value)) return [{ field, message: `'${field}' must hold no query and no fragment` }];
  return [];
}

/** Returns the base URL without slashes at its end. */
export function withoutSlash(url: string): string {
  return new URL(url).href.replace(/\/+$/, '');
}

/** @throws Error when a secret is missing, because the input was not checked */
export function toAuth(open: OpenAuth, secret: string | undefined): ServerAuth {
  const { type, username, token_url: tokenUrl, client_id: clientId, scope } = open;
  if (type === 'none') return { type };
  if (secret === undefined) throw new Error('An external server has no secret');
  if (type === 'bearer') return { type, secret };
  if (type === 'basic' && username !== undefined) return { type, username, secret };
  if (type === 'client_credentials' && tokenUrl !== undefined && clientId !== undefined)
    return { type, tokenUrl, clientId, scope, secret };
  throw new Error(`An external server lacks what '${type}' needs`);
}
