// Decides which URLs of the engine respond in FHIR (decision G3): the base, resource paths, $operations, /metadata, and
// an activity as FHIR.
import type { WireForm } from '#lib/http/error-handler.ts';
import { BASE_PATH } from './shared/routes.ts';

/** Resource types begin with a capital letter, everything else of the engine with a small one. */
const FHIR_PATH = /^\/(?:$|[A-Z$]|metadata(?:$|\/)|_history(?:$|\/)|_search(?:$|\/))/;

export function wireFormOf(path: string): WireForm {
  if (path === BASE_PATH) return 'fhir';
  if (!path.startsWith(`${BASE_PATH}/`)) return 'plain';
  const rest = path.slice(BASE_PATH.length);
  return FHIR_PATH.test(rest) || /^\/activities\/[^/]+\/fhir$/.test(rest) ? 'fhir' : 'plain';
}
