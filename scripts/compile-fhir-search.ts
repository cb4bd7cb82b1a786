// Compiles every R5 SearchParameter of hl7.fhir.r5.core into fhir/search/parameters/generated/search-parameters.json.
// The elements are those of the compiled definitions, as the running server has them. `--check` compares instead of
// writing and fails on drift.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { compileParameter, type PublishedParameter } from '#fhir/search/parameters/compile-parameter.ts';
import { r5ElementLookup } from '#fhir/search/parameters/element-lookup.ts';

const SOURCE = new URL('../node_modules/hl7.fhir.r5.core/', import.meta.url);
const TARGET = new URL('../fhir/search/parameters/generated/search-parameters.json', import.meta.url);
/** Examples that collide with real parameters. */
const LEFT_OUT = new Set(['example', 'example-constraint', 'example-extension', 'example-reference', 'filter']);

function readAll<T>(prefix: string): T[] {
  return readdirSync(SOURCE)
    .filter((name) => name.startsWith(`${prefix}-`))
    .sort()
    .map((name) => JSON.parse(readFileSync(new URL(name, SOURCE), 'utf8')) as T);
}

function compileAll(): string {
  const lookup = r5ElementLookup();
  const all = readAll<PublishedParameter>('SearchParameter').filter((parameter) => !LEFT_OUT.has(parameter.id));
  const byType: Record<string, Record<string, unknown[]>> = {};
  for (const parameter of all) {
    for (const base of parameter.base) {
      const type = base === 'DomainResource' ? 'Resource' : base;
      if (parameter.id === 'DomainResource-text') continue;
      byType[type] ??= {};
      byType[type][parameter.code] = compileParameter(parameter, type, lookup);
    }
  }
  const lines = Object.keys(byType)
    .sort()
    .map((type) => `${JSON.stringify(type)}:${JSON.stringify(byType[type])}`);
  return `{\n${lines.join(',\n')}\n}\n`;
}

const output = compileAll();
if (process.argv.includes('--check')) {
  if (readFileSync(TARGET, 'utf8') !== output) {
    console.error('search-parameters.json is out of date: run scripts/compile-fhir-search.ts');
    process.exitCode = 1;
  }
} else {
  writeFileSync(TARGET, output);
}
