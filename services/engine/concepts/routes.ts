// Routes of concepts (contract: engine, "Concepts"; decision E6).
import type { HttpApp } from '#lib/http/http-app.ts';
import { registerLibraryRoutes, summariesOf } from '../shared/record-routes.ts';
import { Concept, ConceptInput, ConceptQuery } from './schema.ts';
import type { ConceptService } from './service.ts';

export function registerConcepts(app: HttpApp, service: ConceptService): void {
  registerLibraryRoutes(app, service, {
    path: '/concepts',
    schemas: { output: Concept, input: ConceptInput, query: ConceptQuery },
    summaries: summariesOf('concept'),
    guidOf: ({ concept_guid: guid }) => guid,
    versionOf: ({ version }) => version,
    removal: { summary: 'Delete a concept that nothing uses' },
  });
}
