// Holds back the response to a write of a StructureDefinition, CodeSystem, ValueSet, ConceptMap or library concept
// until this node uses what was written. Other nodes follow within two seconds (docs/adr/0014, docs/adr/0017). Concepts
// of a large library follow within two seconds on this node, too.
import type { FastifyRequest } from 'fastify';
import type { HttpApp } from '#lib/http/http-app.ts';

const TYPES = ['StructureDefinition', 'CodeSystem', 'ValueSet', 'ConceptMap'] as const;

interface Follower {
  /** Reads what has been written until now. */
  refresh(): Promise<void>;
}

export interface Followers {
  readonly definitions: readonly Follower[];
  /** The followers of concepts and their libraries. */
  readonly concepts: readonly Follower[];
}

/** Call it before the routes are registered. */
export function registerFreshness(app: HttpApp, { definitions, concepts }: Followers): void {
  // Nearly every request writes none of these types. It continues without the cost of a promise.
  app.addHook('onSend', (request, reply, _payload, done) => {
    const { method, body } = request;
    if ((method === 'GET' || method === 'HEAD') && body === undefined) return done();
    const followers = [
      ...(reply.statusCode < 400 && mayWriteDefinition(request) ? definitions : []),
      ...(reply.statusCode < 400 && mayWriteConcept(request) ? concepts : []),
    ];
    if (followers.length === 0) done();
    else void refreshAll(request, followers).then(() => done());
  });
}

async function refreshAll(request: FastifyRequest, followers: readonly Follower[]): Promise<void> {
  try {
    for (const follower of followers) await follower.refresh();
  } catch (err) {
    // The write has committed. The node reads it as soon as the database answers again.
    request.log.warn({ event: 'definitions.refresh_failed', err });
  }
}

function mayWriteConcept({ method, url }: FastifyRequest): boolean {
  return method !== 'GET' && method !== 'HEAD' && /\/(concepts|canonical-libs)(\/|\?|$)/.test(url);
}

/** Whether the request may have written a definition, by its URL or within a Bundle. A false positive is harmless. */
function mayWriteDefinition({ method, url, body }: FastifyRequest): boolean {
  if (method === 'GET' || method === 'HEAD' || /\/\$[\w-]+(\?|$)/.test(url))
    return isBundle(url) && containsDefinition(body);
  if (TYPES.some((type) => url.includes(`/${type}`))) return true;
  return containsDefinition(body);
}

/** Bundles have their own URLs. */
function isBundle(url: string): boolean {
  return /\/\$(batch|transaction|import)(\?|$)/.test(url);
}

/** In bytes. To search a longer body takes longer than to poll the database. */
const LONG_BODY = 256 * 1024;

/** Matches the names as types only. Urls of code systems, which nearly every resource contains, are longer texts. */
function containsDefinition(body: unknown): boolean {
  return Buffer.isBuffer(body) && (body.length > LONG_BODY || TYPES.some((type) => body.includes(`"${type}"`)));
}
