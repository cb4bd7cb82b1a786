// Forms that browsers send to a page's own address (`application/x-www-form-urlencoded`; decision I2). They use only
// their own fields: there is no cookie and no session, so a forged form can do no more than its author. A forged form
// that signs a user in or up as another (login CSRF) is refused. That is decided by Sec-Fetch-Site, which every current
// browser sends over https (w3.org/TR/fetch-metadata). `state` guards the application at the end of the handshake.
import formBody from '@fastify/formbody';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';
import type { TSchema } from 'typebox';
import { type Issue, ServiceError } from '../errors.ts';
import type { HttpApp } from '../http/http-app.ts';
import { issuesOfValidation } from '../http/validation.ts';

const TYPE = 'application/x-www-form-urlencoded';

/** Registers routes that read forms. Every other address accepts only JSON. */
export async function registerForms(app: HttpApp, register: (scope: HttpApp) => void): Promise<void> {
  await app.register(async (scope) => {
    await scope.register(formBody);
    register(scope.withTypeProvider<TypeBoxTypeProvider>());
  });
}

/**
 * A form as a browser sent it; nothing in it has been checked. A line break in a text is `\n`, as its writer's browser
 * counted it.
 */
export interface FormPost {
  /** The field's text, empty when it is missing. */
  text(name: string): string;
  /** The field's text, undefined when it is missing or empty. */
  optional(name: string): string | undefined;
  /** All texts of a field that may be there several times. */
  all(name: string): readonly string[];
  /** All texts of the fields whose names begin so. */
  startingWith(prefix: string): Readonly<Record<string, readonly string[]>>;
}

export function readPost(body: unknown): FormPost {
  const fields = new Map<string, unknown>(typeof body === 'object' && body !== null ? Object.entries(body) : []);
  const texts = (name: string) => [fields.get(name)].flat().filter((value) => typeof value === 'string');
  // A form sends them as two characters (html.spec.whatwg.org: converting to a list of name-value pairs).
  const all = (name: string) => texts(name).map((text) => text.replace(/\r\n?/g, '\n'));
  const optional = (name: string) => all(name)[0] || undefined;
  const startingWith = (prefix: string) =>
    Object.fromEntries([...fields.keys()].filter((name) => name.startsWith(prefix)).map((name) => [name, all(name)]));
  return { all, optional, startingWith, text: (name) => optional(name) ?? '' };
}

/**
 * However the sender spells the type: its case means nothing (RFC 9110 §8.3.1), and a script of another website may
 * choose it.
 */
export function isForm(request: FastifyRequest): boolean {
  return request.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() === TYPE;
}

/** A hook that refuses requests that another website makes a browser send (CSRF). @throws ServiceError `forbidden` */
export async function refuseForeignForms(request: FastifyRequest): Promise<void> {
  const site = request.headers['sec-fetch-site'];
  if (!isForm(request) || site === undefined || site === 'same-origin' || site === 'none') return;
  throw new ServiceError('forbidden', 'A form is accepted from this service’s own pages alone');
}

/** The errors of a form by the schema of the same request in JSON. */
export function issuesBySchema(request: FastifyRequest, schema: TSchema, value: object): Issue[] {
  const validate = request.compileValidationSchema(schema, 'body');
  if (validate(value)) return [];
  return issuesOfValidation((validate.errors ?? []) as Parameters<typeof issuesOfValidation>[0], 'body');
}
