// Who writes a StructureDefinition, CodeSystem, ValueSet or ConceptMap, or a concept of a canonical library, finds it
// in force with the answer, on the node that was asked; the others follow within two seconds (docs/adr/0014,
// docs/adr/0017). Concepts of a large library follow within two seconds there, too.
import type { FastifyRequest } from 'fastify';
import type { HttpApp } from '#lib/http/http-app.ts';

const TYPES = ['StructureDefinition', 'CodeSystem', 'ValueSet', 'ConceptMap'] as const;

interface Follower {
  /** Takes up what has been written until now. */
  refresh(): Promise<void>;
}

export interface Followers {
  readonly definitions: readonly Follower[];
  /** Of concepts and their libraries. */
  readonly concepts: readonly Follower[];
}

/** To be called before the routes are registered. */
export function registerFreshness(app: HttpApp, { definitions, concepts }: Followers): void {
  // Nearly every request writes none of them, and goes on without the cost of a promise.
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
    // It is written: the node takes it up as soon as it can read again.
    request.log.warn({ event: 'definitions.refresh_failed', err });
  }
}

function mayWriteConcept({ method, url }: FastifyRequest): boolean {
  return method !== 'GET' && method !== 'HEAD' && /\/(concepts|canonical-libs)(\/|\?|$)/.test(url);
}

/** By its address, or within a bundle: more than are written may seem to be. */
function mayWriteDefinition({ method, url, body }: FastifyRequest): boolean {
  if (method === 'GET' || method === 'HEAD' || /\/\$[\w-]+(\?|$)/.test(url))
    return isBundle(url) && holdsDefinition(body);
  if (TYPES.some((type) => url.includes(`/${type}`))) return true;
  return holdsDefinition(body);
}

/** Bundles have addresses of their own. */
function isBundle(url: string): boolean {
  return /\/\$(batch|transaction|import)(\?|$)/.test(url);
}

/** Bytes. To look through a longer body takes longer than to look what has been written. */
const LONG_BODY = 256 * 1024;

/** Named as a type: the addresses of code systems, which nearly every resource holds, are longer texts. */
function holdsDefinition(body: unknown): boolean {
  return Buffer.isBuffer(body) && (body.length > LONG_BODY || TYPES.some((type) => body.includes(`"${type}"`)));
}
