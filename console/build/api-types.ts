// Writes the types of the console's API calls from a service's OpenAPI document. Only the addresses that the console
// uses are in them (src/api/used-paths.json), so that other changes of an API change nothing here.
import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript';
import usedPaths from '../src/api/used-paths.json' with { type: 'json' };

export type DescribedService = keyof typeof usedPaths;

/** TypeScript with `paths` and `components`. @throws Error for an address that the document lacks */
export async function apiTypes(service: DescribedService, document: unknown): Promise<string> {
  const known = document as OpenAPI3 & { paths: Record<string, unknown> };
  const paths = usedPaths[service].map((name) => {
    const path = known.paths[name];
    if (path === undefined) throw new Error(`${service} has no address ${name}`);
    return [name, withoutTexts(path)] as const;
  });
  const head =
    '// Written from the OpenAPI document of the service by KEDJA_WRITE_EXAMPLES=1 npm test -- test/openapi/\n';
  const schema = { ...known, paths: Object.fromEntries(paths), components: componentsOf(paths, known) } as OpenAPI3;
  // A member with a default is required only where the document says so: a request may leave it out.
  const options = { alphabetize: true, excludeDeprecated: true, defaultNonNullable: false };
  return head + astToString(await openapiTS(schema, options));
}

/** The components that the paths refer to, and those that these refer to. */
function componentsOf(paths: unknown, document: OpenAPI3): OpenAPI3['components'] {
  const all = (document.components ?? {}) as Record<string, Record<string, unknown>>;
  const kept: Record<string, Record<string, unknown>> = {};
  const visit = (value: unknown): void => {
    for (const [, kind = '', name = ''] of JSON.stringify(value).matchAll(/#\/components\/(\w+)\/([\w.-]+)/g)) {
      if (kept[kind]?.[name] !== undefined || all[kind]?.[name] === undefined) continue;
      const component = withoutTexts(all[kind][name]);
      kept[kind] = { ...kept[kind], [name]: component };
      visit(component);
    }
  };
  visit(paths);
  return kept as OpenAPI3['components'];
}

const TEXTS: ReadonlySet<string> = new Set(['description', 'summary', 'title', 'example', 'examples']);

/** Types say nothing of descriptions and examples, and these change often. Members of those names stay. */
function withoutTexts(value: unknown, isMembers = false): unknown {
  if (Array.isArray(value)) return value.map((each) => withoutTexts(each));
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([name]) => isMembers || !TEXTS.has(name));
  return Object.fromEntries(kept.map(([name, inner]) => [name, withoutTexts(inner, name === 'properties')]));
}
