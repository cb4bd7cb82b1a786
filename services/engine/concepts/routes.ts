// Routes of concepts (contract: engine, "Concepts"; decision E6).
import { checkedOnSchemaError } from '#lib/http/body-check.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { registerRecordRoutes, summariesOf } from '../shared/record-routes.ts';
import { Concept, ConceptInput, ConceptQuery } from './schema.ts';
import type { ConceptService } from './service.ts';

export function registerConcepts(app: HttpApp, service: ConceptService): void {
  registerRecordRoutes(app, {
    path: '/concepts',
    tags: ['library'],
    permissions: { read: 'library:read', write: 'library:write' },
    schemas: { output: Concept, input: ConceptInput, query: ConceptQuery },
    summaries: summariesOf('concept'),
    check: checkedOnSchemaError(service.issuesOf),
    service,
    guidOf: ({ concept_guid: guid }) => guid,
    removal: { summary: 'Delete a concept that nothing uses', remove: service.remove },
  });
}
