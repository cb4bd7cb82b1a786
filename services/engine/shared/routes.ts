// What the engine's JSON routes share: the base path, the response of a list, and that of a creation.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { linkHeader, type Page } from '#lib/http/response/page.ts';

export const BASE_PATH = '/api/v1';

/** Adds the `Link` header of the page (decision G5). */
export function sendPage<T>(request: FastifyRequest, reply: FastifyReply, page: Page<T>): Page<T> {
  reply.header('link', linkHeader(request.url, page, page.total));
  return page;
}

/** Sets the status 201 and the `Location` of the created record. */
export function created<T>(reply: FastifyReply, path: string, body: T): T {
  reply.code(201).header('location', `${BASE_PATH}${path}`);
  return body;
}
