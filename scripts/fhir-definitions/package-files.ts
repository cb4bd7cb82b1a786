// Reads the resources of the official FHIR npm packages that the generators compile.
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const require = createRequire(import.meta.url);

/** Every resource of one type in a package, by file name order. */
export function readPackage<T>(packageName: string, resourceType: string): T[] {
  const folder = dirname(require.resolve(`${packageName}/package.json`));
  return readdirSync(folder)
    .filter((name) => name.startsWith(`${resourceType}-`) && name.endsWith('.json'))
    .sort()
    .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as T);
}

/** JSON with one line for each value at the given depth: small, and a change shows as a line. */
export function toLines(value: unknown, depth: number, indent = ''): string {
  if (depth === 0 || typeof value !== 'object' || value === null) return JSON.stringify(value);
  const inner = `${indent} `;
  if (Array.isArray(value)) {
    if (value.length === 0) return '[]';
    return `[\n${value.map((item) => inner + toLines(item, depth - 1, inner)).join(',\n')}\n${indent}]`;
  }
  const members = Object.entries(value).map(
    ([key, item]) => `${inner}${JSON.stringify(key)}: ${toLines(item, depth - 1, inner)}`,
  );
  return members.length === 0 ? '{}' : `{\n${members.join(',\n')}\n${indent}}`;
}
