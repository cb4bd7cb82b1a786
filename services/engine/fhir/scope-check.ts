// Holds API keys to their SMART v2 scopes on FHIR addresses (decision E8): a key without the scope is told which one it lacks.
import type { FastifyRequest } from 'fastify';
import type { ScopeAction } from '#lib/auth/scopes.ts';
import { ServiceError } from '#lib/errors.ts';
import { hasRight } from './policies.ts';

const ROUTE = /\/([A-Z][A-Za-z]+)(\/.*)?$/;

/** A hook for FHIR routes. @throws ServiceError `forbidden` */
export async function checkScope(request: FastifyRequest): Promise<void> {
  const { principal } = request;
  const route = ROUTE.exec(request.routeOptions.url ?? '');
  const resourceType = route?.[1];
  if (principal === undefined || resourceType === undefined) return;
  const action = actionOf(request.method, route?.[2] ?? '');
  if (hasRight(principal, resourceType, action)) return;
  throw new ServiceError('forbidden', `The API key has no scope system/${resourceType}.${action}`);
}

function actionOf(method: string, rest: string): ScopeAction {
  switch (method) {
    case 'POST':
      return rest === '/_search' ? 's' : 'c';
    case 'PUT':
    case 'PATCH':
      return 'u';
    case 'DELETE':
      return 'd';
    default:
      // The history of a whole type shows all of it, as a search does (SMART App Launch 2.0, "s").
      return rest === '' || rest === '/_history' ? 's' : 'r';
  }
}
