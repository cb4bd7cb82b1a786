// The official examples of R5 as texts, and the conditions by which a search must find each. They are values that
// fhirpath extracts, checked without the server (test/model).
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { type Asking, askingsOf } from '#test/model/candidates.ts';
import { type Parameter, parametersOf } from '#test/model/parameters.ts';
import { makeWorld, matching, type StoredResource } from '#test/model/reference-search.ts';

const folder = dirname(createRequire(import.meta.url).resolve('hl7.fhir.r5.examples/package.json'));
/** What no single request may hold. */
const MAX_LENGTH = 10 * 1024 * 1024;

/** Refused for the reasons that fhir/validation/validate.examples.test.ts names. */
const ISSUEY =
  /^(?:Bundle-(?:10bb101f-a121-4264-a920-67be9cb82c74|3a0707d3-549e-4467-b8b8-5a2ab3800efe|lri-example|valuesets)|CodeSystem-fhir-types|BiologicallyDerivedProduct-(?:allogeneic|autologous)HCT|DocumentReference-(?:sound|xray)|Encounter-example|Medication-med0301|MedicinalProductDefinition-drug-and-device-complete|PlanDefinition-example-cardiology-os|Transport-simpledelivery|Questionnaire-qgen-.*|StructureDefinition-(?:Definition|Event|FiveWs|Participant|ParticipantContactable|ParticipantLiving|Product|Publishable|Request|Shareable))\.json$/;
/** Never changed; without an address of its own; asking for notifications that nobody would send (docs/adr/0052). */
const UNWRITTEN = /^(?:AuditEvent|Parameters|Subscription)-/;

const MANY_ALIKE = /^(?:ValueSet|CodeSystem|StructureDefinition|OperationDefinition|ConceptMap-sc|Questionnaire-qgen)-/;
export const ALL_EXAMPLES = process.env['KEDJA_EXAMPLES'] === 'all';

export interface Example extends StoredResource {
  readonly text: string;
}

/** Those that the engine takes: of the many alike one in eight, all with KEDJA_EXAMPLES=all. */
export function acceptedExamples(): Example[] {
  return readExamples((name) => !ISSUEY.test(name) && !UNWRITTEN.test(name)).filter(
    ({ type, id }, index) => ALL_EXAMPLES || index % 8 === 0 || !MANY_ALIKE.test(`${type}-${id}`),
  );
}

/** Those that `isWanted` lets through by their file names, without such as are too long to be sent. */
export function readExamples(isWanted: (name: string) => boolean): Example[] {
  return readdirSync(folder)
    .filter((name) => /^[A-Z]\w+-.*\.json$/.test(name) && isWanted(name))
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .filter((text) => text.length < MAX_LENGTH)
    .map((text) => {
      const resource = JSON.parse(text);
      return { type: resource.resourceType, id: resource.id, text, resource, organisation: null, updatedAt: 0 };
    });
}

/** A condition for each parameter that the example has a value for; which of the possible ones, `turn` chooses. */
export function conditionsOf(example: Example, turn: number): [name: string, value: string][] {
  return [...parametersOf(example.type).values()].flatMap((parameter) => {
    const found = askingsOf(parameter, [example]).flatMap((asking) => fulfilled(example, parameter, asking));
    const chosen = found[turn % found.length];
    return chosen === undefined ? [] : [chosen];
  });
}

const PREFIXES = ['', 'ge', 'le', 'ap'];

function fulfilled(example: Example, { code }: Parameter, { modifier, values, hasPrefix }: Asking): [string, string][] {
  if (modifier === 'missing' || modifier === 'not') return [];
  const name = modifier === undefined ? code : `${code}:${modifier}`;
  const given = values.slice(0, 8).flatMap((value) => (hasPrefix ? PREFIXES.map((prefix) => prefix + value) : [value]));
  return given.map((value): [string, string] => [name, value]).filter((condition) => isFound(example, condition));
}

function isFound(example: Example, condition: readonly [string, string]): boolean {
  const view = { world: makeWorld([example]), access: () => ({ kind: 'all' }) as const };
  return matching(example.type, [condition], view).length === 1;
}
