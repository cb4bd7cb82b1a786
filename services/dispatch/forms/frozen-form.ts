// Freezing a form (decisions D3, D12): the Questionnaire as it is now with every ValueSet that it refers to contained in it, and
// its render-ready JSON. Needs the plan service, so it happens before the transaction.
import type { PlanClient } from '#clients/plan-client.ts';
import { type Fault, ServiceError } from '#lib/errors.ts';
import { parseExactJson } from '#lib/fhir/exact-json.ts';
import { parseWritten } from '#lib/fhir/resource-text.ts';
import { hoist } from '../shared/hoist.ts';
import { type FhirObject, isObject, objectsOf, omit, textOf } from '../shared/json.ts';
import { listedCodings, optionsOf } from './answer-options.ts';
import { unitSourceOf, withUnitSource } from './extensions.ts';
import { buildRenderReady, titleOf } from './render-ready.ts';
import type { FrozenForm } from './schema.ts';

/**
 * Reads and freezes forms; `validate` judges each Questionnaire before anything is kept.
 * @throws ServiceError `unprocessable` naming every form that cannot be read or shown; `upstream_unavailable`, `upstream_error`
 */
export async function freezeForms(
  client: PlanClient,
  formGuids: readonly string[],
  validate: (resource: FhirObject) => readonly Fault[],
): Promise<FrozenForm[]> {
  const results = await Promise.all(formGuids.map((formGuid) => freezeForm(client, formGuid, validate)));
  const faults = results.flatMap((result) => ('faults' in result ? result.faults : []));
  if (faults.length > 0) {
    throw new ServiceError('unprocessable', faults.map(({ message }) => message).join('; '), { faults });
  }
  return results.flatMap((result) => ('form' in result ? [result.form] : []));
}

type Result = { readonly form: FrozenForm } | { readonly faults: readonly Fault[] };

async function freezeForm(
  client: PlanClient,
  formGuid: string,
  validate: (resource: FhirObject) => readonly Fault[],
): Promise<Result> {
  const fault = (text: string) => ({ faults: [{ message: `Form ${formGuid} ${text}`, field: 'ServiceRequest' }] });
  const text = await client.readForm(formGuid);
  if (text === undefined) return fault('is not in the catalogue of the plan service');
  const parsed = parseExactJson(text);
  if (!isObject(parsed)) return fault('cannot be read');
  const questionnaire = await takeInValueSets(client, omit(parsed, 'meta', 'text'));
  const missing = questionsOf(questionnaire).flatMap((item) => {
    const options = optionsOf(item, questionnaire);
    const units = unitSourceOf(item);
    return [
      ...(options.kind === 'elsewhere' ? [options.source] : []),
      ...(units === undefined || listedCodings(questionnaire, units) !== undefined ? [] : [units]),
    ];
  });
  if (missing.length > 0)
    return fault(`offers answers or units that cannot be listed: ${[...new Set(missing)].join(', ')}`);
  const frozen = JSON.stringify(questionnaire);
  const errors = validate(parseWritten(frozen)).filter(
    ({ severity }) => severity === undefined || severity === 'error',
  );
  if (errors.length > 0) return fault(`is not valid: ${errors.map(({ message }) => message).join('; ')}`);
  const renderReady = JSON.stringify(buildRenderReady(questionnaire, formGuid));
  return { form: { formGuid, title: titleOf(questionnaire), questionnaire: frozen, renderReady } };
}

async function takeInValueSets(client: PlanClient, questionnaire: FhirObject): Promise<FhirObject> {
  const addresses = questionsOf(questionnaire).flatMap(sourcesOf);
  const outside = [...new Set(addresses)].filter((address) => !address.startsWith('#'));
  const texts = await Promise.all(outside.map((address) => client.expandValueSet(address)));
  const contained = [...objectsOf(questionnaire['contained'])];
  const used = new Set(contained.map(({ id }) => id));
  const taken = new Map<string, string>();
  outside.forEach((address, index) => {
    const valueSet = texts[index] === undefined ? undefined : parseExactJson(texts[index]);
    if (!isObject(valueSet)) return;
    const id = freeId(index + 1, used);
    used.add(id);
    contained.push(hoist(omit(valueSet, 'contained'), id).resource);
    taken.set(address, `#${id}`);
  });
  if (taken.size === 0) return questionnaire;
  return { ...questionnaire, contained, item: redirected(questionnaire['item'], taken) };
}

/** The ValueSets that an item names: of its answers, of its units. */
function sourcesOf(item: FhirObject): string[] {
  return [textOf(item['answerValueSet']), unitSourceOf(item)].filter((source) => source !== undefined);
}

function questionsOf(parent: FhirObject): FhirObject[] {
  return objectsOf(parent['item']).flatMap((item) => [item, ...questionsOf(item)]);
}

function redirected(items: unknown, taken: ReadonlyMap<string, string>): FhirObject[] {
  return objectsOf(items).map((item) => {
    const address = taken.get(textOf(item['answerValueSet']) ?? '');
    const units = taken.get(unitSourceOf(item) ?? '');
    return {
      ...(units === undefined ? item : withUnitSource(item, units)),
      ...(address === undefined ? {} : { answerValueSet: address }),
      ...(item['item'] === undefined ? {} : { item: redirected(item['item'], taken) }),
    };
  });
}

function freeId(first: number, used: ReadonlySet<unknown>): string {
  for (let number = first; ; number += 1) {
    const id = `valueset-${number}`;
    if (!used.has(id)) return id;
  }
}
