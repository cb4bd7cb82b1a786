// Addresses of concepts (contract: engine, "Concepts"; decision E6).
import Type from 'typebox';
import { requirePrincipal } from '#lib/http/app.ts';
import { judgedBesides } from '#lib/http/fitness.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { pageOf } from '#lib/http/response/page.ts';
import { IdParams } from '../shared/fields.ts';
import { BASE_PATH, created, sendPage } from '../shared/routes.ts';
import { Concept, ConceptInput, ConceptQuery } from './schema.ts';
import type { ConceptService } from './service.ts';

const ALL = `${BASE_PATH}/concepts`;
const ONE = `${ALL}/:id`;
const READ = { permission: 'library:read' } as const;
const WRITE = { permission: 'library:write' } as const;
const CREATE = { ...WRITE, idempotent: true } as const;
const tags = ['library'];

export function registerConcepts(app: HttpApp, service: ConceptService): void {
  app.get(
    ALL,
    {
      config: READ,
      schema: { tags, summary: 'List concepts', querystring: ConceptQuery, response: { 200: pageOf(Concept) } },
    },
    async (request, reply) => sendPage(request, reply, await service.list(request.query)),
  );
  app.post(
    ALL,
    {
      config: CREATE,
      ...judgedBesides(service.issuesOf),
      schema: { tags, summary: 'Add a concept', body: ConceptInput, response: { 201: Concept } },
    },
    async (request, reply) => {
      const concept = await service.create(request.body, requirePrincipal(request));
      return created(reply, `/concepts/${concept.concept_guid}`, concept);
    },
  );
  registerConcept(app, service);
}

function registerConcept(app: HttpApp, service: ConceptService): void {
  app.get(
    ONE,
    { config: READ, schema: { tags, summary: 'Read a concept', params: IdParams, response: { 200: Concept } } },
    async (request) => service.get(request.params.id),
  );
  app.put(
    ONE,
    {
      config: WRITE,
      ...judgedBesides(service.issuesOf),
      schema: { tags, summary: 'Replace a concept', params: IdParams, body: ConceptInput, response: { 200: Concept } },
    },
    async (request) => service.replace(request.params.id, request.body, requirePrincipal(request)),
  );
  app.delete(
    ONE,
    {
      config: WRITE,
      schema: { tags, summary: 'Delete a concept that nothing uses', params: IdParams, response: { 204: Type.Null() } },
    },
    async (request, reply) => {
      await service.remove(request.params.id, requirePrincipal(request));
      return reply.code(204).send(null);
    },
  );
}
