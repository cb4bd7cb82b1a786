// What the engine's JSON routes share: the base path, and the response of a creation.
import type { FastifyReply } from 'fastify';

export const BASE_PATH = '/api/v1';

/** Sets the status 201 and the `Location` of the created record. */
export function created<T>(reply: FastifyReply, path: string, body: T): T {
  reply.code(201).header('location', `${BASE_PATH}${path}`);
  return body;
}
