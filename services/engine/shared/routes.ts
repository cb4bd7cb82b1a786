// What the engine's plain routes share: the base path, how a list is answered, and what a change tells the audit record
// of its request.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { linkHeader, type Page, type PageRequest } from '#lib/http/response/page.ts';

export const BASE_PATH = '/api/v1';

/** Adds the `Link` header of the page (decision G5). */
export function sendPage<T>(request: FastifyRequest, reply: FastifyReply, page: Page<T>): Page<T> {
  const asked: PageRequest = { page: page.page, per_page: page.per_page };
  reply.header('link', linkHeader(request.url, asked, page.total));
  return page;
}

/** Answers 201 with the address of what was made. */
export function created<T>(reply: FastifyReply, path: string, body: T): T {
  reply.code(201).header('location', `${BASE_PATH}${path}`);
  return body;
}
