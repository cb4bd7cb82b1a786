// The operationId of an operation (OpenAPI 3.1, Operation Object). Generated clients call their functions by it. So it
// depends on method and address alone and does not change with a summary.

/** Segments that all addresses of a service have. */
const COMMON = new Set(['api', 'v1']);
const PARAMETER = /^\{(\w+)\}$/;

/**
 * `POST /api/groups/admin/decide` is `postGroupsAdminDecide`, `GET /api/v1/concepts/{id}` is `getConceptsById`.
 * Parameters within the address are left out.
 */
export function operationId(method: string, path: string): string {
  const segments = path.split('/').filter((segment) => segment !== '' && !COMMON.has(segment));
  const last = PARAMETER.exec(segments.at(-1) ?? '')?.[1];
  const words = segments.filter((segment) => !PARAMETER.test(segment)).map(pascal);
  return [method.toLowerCase(), ...words, ...(last === undefined ? [] : ['By', pascal(last)])].join('');
}

function pascal(segment: string): string {
  return segment
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}

/** `GET /api/v1/concepts/{id}`, from the address of a route. */
export function operationKey(method: string, url: string): string {
  return `${method.toUpperCase()} ${documentedPath(url)}`;
}

/** `/concepts/:id` as OpenAPI writes it: `/concepts/{id}`. */
export function documentedPath(url: string): string {
  return url.replaceAll(/:(\w+)/g, '{$1}');
}
