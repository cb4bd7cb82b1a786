// Shapes of a service's document have names, so that a generated client has a type for each (docs/adr/0159).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OpenApiDocument } from './shapes.ts';

/** Members of an object from which on it stands inline once at the most. */
const FEW = 5;

type Json = Readonly<Record<string, unknown>>;

export function holdNamedShapes({ paths, components }: OpenApiDocument): void {
  const kinds = components as Readonly<Record<string, Readonly<Record<string, Json>>>>;

  test(`no shape of ${FEW} members or more stands inline twice`, () => {
    const places = new Map<string, string[]>();
    const visit = (value: unknown, place: string, isNamed: boolean): void => {
      if (typeof value !== 'object' || value === null) return;
      const { properties } = value as { properties?: unknown };
      if (!isNamed && isObject(properties) && Object.keys(properties).length >= FEW) {
        const shape = JSON.stringify(withoutTexts(value));
        places.set(shape, [...(places.get(shape) ?? []), place]);
      }
      for (const [name, inner] of Object.entries(value))
        if (!EXAMPLES.has(name)) visit(inner, `${place}/${name}`, false);
    };
    visit(paths, 'paths', false);
    for (const [kind, all] of Object.entries(kinds))
      for (const [name, component] of Object.entries(all)) visit(component, `${kind}/${name}`, kind === 'schemas');
    assert.deepEqual(
      [...places.values()].filter(({ length }) => length > 1),
      [],
    );
  });

  test('every reference leads somewhere, and the name of a shape is in PascalCase', () => {
    const references = JSON.stringify({ paths, components }).matchAll(/"#\/components\/(\w+)\/([^"]+)"/g);
    const lost = [...references].filter(([, kind = '', name = '']) => !Object.hasOwn(kinds[kind] ?? {}, name));
    assert.deepEqual(
      lost.map(([reference]) => reference),
      [],
    );
    // Parts of a FHIR type have its name before theirs: `Patient.contact`.
    const names = Object.keys(kinds['schemas'] ?? {}).filter((name) => !/^[A-Z][A-Za-z0-9]*(\.\w+)*$/.test(name));
    assert.deepEqual(names, []);
  });

  test('every page is a named shape, and what it lists is one too', () => {
    const pages = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, { responses = {} }]) =>
        Object.values(responses).flatMap(({ content = {} }) =>
          Object.values(content)
            .filter(({ schema }) => isObject(schema) && isPage(schema))
            .map(() => `${method} ${path}`),
        ),
      ),
    );
    assert.deepEqual(pages, []);
    for (const [name, schema] of Object.entries(kinds['schemas'] ?? {})) {
      if (isPage(schema)) assert.match(JSON.stringify(schema['properties']), /"items":\{"\$ref"/, name);
    }
  });
}

const EXAMPLES: ReadonlySet<string> = new Set(['example', 'examples']);
const TEXTS: ReadonlySet<string> = new Set(['description', 'title', ...EXAMPLES]);

/** A description does not make another shape. Members of those names stay. */
function withoutTexts(value: unknown, isMembers = false): unknown {
  if (Array.isArray(value)) return value.map((each) => withoutTexts(each));
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(([name]) => isMembers || !TEXTS.has(name));
  return Object.fromEntries(
    kept.sort().map(([name, inner]) => [name, withoutTexts(inner, name === 'properties' && !isMembers)]),
  );
}

function isPage({ properties }: Json): boolean {
  return isObject(properties) && 'data' in properties && 'per_page' in properties;
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
