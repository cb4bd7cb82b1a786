// `GET /metadata`: a CapabilityStatement from memory, which a client that has it already is not sent again
// (hl7.org/fhir/R5/http.html#capabilities, #cread).
import type { FastifyReply, FastifyRequest } from 'fastify';
import { r5Definitions } from '#fhir/definitions/definitions.ts';
import { contentTag } from '#lib/http/response/entity-tag.ts';
import { readSubset, subsetText } from '../subset.ts';
import { queryOf, responseType } from './content.ts';
import { hasEntityTag } from './entity-tags.ts';
import { sendFormatted } from './http-call.ts';

/** A statement as it is sent. */
export interface StatementText {
  readonly text: string;
  /** By which the text is distinguished from others. */
  readonly digest: string;
}

export function statementText(statement: object): StatementText {
  const text = JSON.stringify(statement);
  return { text, digest: digestOf(text) };
}

/**
 * Sends the statement, or the parts of it that are asked for, with its entity tag; 304 to who has it.
 * @throws ServiceError `validation_error`, `invalid_request`, `not_acceptable`
 */
export function sendStatement(request: FastifyRequest, reply: FastifyReply, statement: StatementText): FastifyReply {
  const query = queryOf(request);
  const subset = readSubset(query);
  responseType(request, query);
  // Each form of it is another text.
  const tag = query.size === 0 ? statement.digest : digestOf(`${statement.digest}?${query}`);
  reply.header('etag', `W/"${tag}"`);
  if (hasEntityTag(request.headers['if-none-match'], tag)) return reply.code(304).send();
  return sendFormatted(request, reply, subsetText(statement.text, subset, r5Definitions()), query);
}

function digestOf(text: string): string {
  return contentTag(text);
}
