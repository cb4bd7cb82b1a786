// The methods of each path, for 405 with `Allow` (RFC 9110 §15.5.6). Fastify itself responds 404 to a known path with
// another method.
import findMyWay, { type HTTPMethod } from 'find-my-way';

export interface MethodTable {
  add(methods: string | readonly string[], url: string): void;
  /**
   * The methods of the route that the path matches, in a stable order; empty when none does. An operation of FHIR, such
   * as `$match`, is no value of a parameter: `/Patient/$match` is not an address of one Patient.
   */
  allowedFor(path: string): string[];
}

export function createMethodTable(): MethodTable {
  // Its expressions are those of the application's router.
  const router = findMyWay({ maxParamLength: 512, allowUnsafeRegex: true });
  const methodsByUrl = new Map<string, Set<string>>();

  function add(methods: string | readonly string[], url: string): void {
    let known = methodsByUrl.get(url);
    if (known === undefined) {
      known = new Set();
      methodsByUrl.set(url, known);
      router.on('GET' satisfies HTTPMethod, url, () => undefined, known);
    }
    for (const method of typeof methods === 'string' ? [methods] : methods) known.add(method);
  }

  function allowedFor(path: string): string[] {
    const found = router.find('GET', path);
    const methods: unknown = found?.store;
    if (!(methods instanceof Set) || Object.values(found?.params ?? {}).some((value) => value?.startsWith('$')))
      return [];
    return [...methods].map(String).sort();
  }

  return { add, allowedFor };
}
