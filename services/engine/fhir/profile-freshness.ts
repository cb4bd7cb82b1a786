// Who writes a StructureDefinition, or what its value sets are made of, finds it in force with the answer, on the node that was asked; the
// others follow within two seconds (docs/adr/0014).
import type { FastifyRequest } from 'fastify';
import type { ProfileNode } from '#lib/fhir-store/profile-node.ts';
import type { HttpApp } from '#lib/http/http-app.ts';

const NAMES = ['StructureDefinition', 'ValueSet', 'CodeSystem'];

/** To be called before the routes are registered. */
export function registerProfileFreshness(app: HttpApp, { refresh }: Pick<ProfileNode, 'refresh'>): void {
  app.addHook('onSend', async (request, reply) => {
    if (reply.statusCode >= 400 || !mayWriteProfile(request)) return;
    try {
      await refresh();
    } catch (err) {
      // It is written: the node takes it up as soon as it can read again.
      request.log.warn({ event: 'profiles.refresh_failed', err });
    }
  });
}

/** By its address, or within a bundle: more than are written may seem to be. */
function mayWriteProfile({ method, url, body }: FastifyRequest): boolean {
  if (method === 'GET' || method === 'HEAD') return false;
  return NAMES.some((name) => url.includes(`/${name}`) || (Buffer.isBuffer(body) && body.includes(name)));
}
