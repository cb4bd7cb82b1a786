// The digest of the code that extracts index rows from resources (docs/adr/0065). It is of the code without types,
// comments and format, and of the tables that it reads.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type Options, parseSync, transformSync } from '@swc/core';

/** The files whose imports are followed. */
const ENTRIES = [
  '#fhir/search/extract/extract.ts',
  '#fhir/search/parameters/overlay.ts',
  '#fhir/search/parameters/custom-parameter.ts',
];
const TABLES = [
  '#fhir/search/parameters/generated/search-parameters.json',
  '#fhir/definitions/generated/r5-compartments.json',
];

const WITHOUT_COMMENTS: Options = {
  configFile: false,
  swcrc: false,
  isModule: true,
  jsc: {
    target: 'esnext',
    parser: { syntax: 'typescript' },
    // An import that is not `import type` stays: it is followed.
    transform: { verbatimModuleSyntax: true },
    minify: { format: { comments: false } },
  },
};

/** The JavaScript of a TypeScript module, in one format, without types and comments. */
export function plainCode(source: string): string {
  return transformSync(source, WITHOUT_COMMENTS).code;
}

/** The digest as base64url. `read` returns the text of a file of the repository. */
export function extractionDigest(read: (url: URL) => string = (url) => readFileSync(url, 'utf8')): string {
  const texts = new Map<string, string>();
  const open = ENTRIES.map((name) => urlOf(name));
  for (let url = open.pop(); url !== undefined; url = open.pop()) {
    if (texts.has(url.href)) continue;
    const code = plainCode(read(url));
    texts.set(url.href, code);
    for (const name of importsOf(code)) if (/^(?:\.|#)/.test(name)) open.push(urlOf(name, url));
  }
  for (const name of TABLES) texts.set(name, read(urlOf(name)));
  const hash = createHash('sha256');
  // Sorted and without their paths: a file that is moved changes nothing but the imports of it.
  for (const text of [...texts.values()].sort()) hash.update(`${text}\0`);
  return hash.digest('base64url');
}

/** The text of fhir/search/extract/generated/extraction-digest.ts. */
export function extractionDigestModule(): string {
  return `// Written by \`npm run generate\` (scripts/extraction-digest.ts). With another digest the first update of each resource
// replaces all its index rows (docs/adr/0013, docs/adr/0065).
export const EXTRACTION_DIGEST = '${extractionDigest()}';
`;
}

function urlOf(name: string, from?: URL): URL {
  return name.startsWith('#') ? new URL(import.meta.resolve(name)) : new URL(name, from);
}

/** What a module imports or exports again. */
function importsOf(code: string): string[] {
  const { body } = parseSync(code, { syntax: 'ecmascript', target: 'esnext' });
  return body.flatMap((item) => ('source' in item && item.source ? [item.source.value] : []));
}
