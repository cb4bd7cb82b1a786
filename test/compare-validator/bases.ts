// The official examples that mutants are made of: those of moderate size, of the many alike one in twenty.
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Base } from './mutations.ts';

const MAX_LENGTH = 30_000;
const MANY_ALIKE =
  /^(?:ValueSet|CodeSystem|StructureDefinition|OperationDefinition|SearchParameter|ConceptMap-sc|Questionnaire-qgen)-/;

/** The examples, or one in so many of them, each as JSON in one line, in the order of their names. */
export function readBases(oneIn = 1): Base[] {
  const folder = dirname(createRequire(import.meta.url).resolve('hl7.fhir.r5.examples/package.json'));
  const names = readdirSync(folder)
    .filter((name) => /^[A-Z]\w+-.*\.json$/.test(name))
    .sort()
    .filter((name, index) => !MANY_ALIKE.test(name) || index % 20 === 0)
    .filter((_, index) => index % oneIn === 0);
  return names
    .map((name) => ({ name, text: JSON.stringify(JSON.parse(readFileSync(join(folder, name), 'utf8'))) }))
    .filter(({ text }) => text.length <= MAX_LENGTH);
}
