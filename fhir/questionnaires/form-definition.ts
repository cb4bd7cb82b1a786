// A Questionnaire read once for the check of responses: extensions, options and the codes of contained ValueSets.
import { isJsonObject, type JsonObject } from '#fhir/patch/json-tree.ts';
import { answerValue, codeKey, keyOf, objectsIn } from './answer-values.ts';

const CORE = 'http://hl7.org/fhir/StructureDefinition/';

/** The values of an item's extension with that short name. */
export function extensionValues(element: JsonObject, name: string): unknown[] {
  return objectsIn(element['extension']).flatMap((each) => (each['url'] === CORE + name ? [answerValue(each)] : []));
}

/** A FHIRPath rule of the form's author (hl7.org/fhir/extensions: targetConstraint, questionnaire-constraint). */
export interface FormConstraint {
  readonly isError: boolean;
  readonly message: string;
  readonly expression: string;
}

export interface FormDefinition {
  readonly questionnaire: JsonObject;
  /** Whether the group or question may occur several times, by its linkId. */
  readonly repeats: (linkId: unknown) => boolean;
  /** Keys of the options of an item; undefined where it has none, or where its codes are not known here. */
  readonly optionsOf: (item: JsonObject) => ReadonlySet<string> | undefined;
  /** Keys of the units that a quantity may have; undefined where any will do. */
  readonly unitsOf: (item: JsonObject) => ReadonlySet<string> | undefined;
  readonly constraintsOf: (element: JsonObject) => readonly FormConstraint[];
}

/** Reads what the items have in common. Options and units are read when they are asked for, and kept. */
export function readForm(questionnaire: JsonObject): FormDefinition {
  const repeating = new Set(
    itemsWithin(questionnaire)
      .filter((item) => item['repeats'] === true)
      .map(({ linkId }) => linkId),
  );
  const valueSets = new Map(objectsIn(questionnaire['contained']).map((each) => [`#${String(each['id'])}`, each]));
  const codes = kept((reference: string) => {
    const valueSet = valueSets.get(reference);
    return valueSet === undefined ? undefined : codesOf(valueSet);
  });
  return {
    questionnaire,
    repeats: (linkId) => repeating.has(linkId),
    optionsOf: kept((item: JsonObject) => {
      const listed = objectsIn(item['answerOption']);
      if (listed.length > 0) return new Set(listed.map((option) => keyOf(answerValue(option))));
      const source = item['answerValueSet'];
      return typeof source === 'string' ? codes(source) : undefined;
    }),
    unitsOf: kept((item: JsonObject) => {
      const [source] = extensionValues(item, 'questionnaire-unitValueSet');
      const listed = typeof source === 'string' ? codes(source) : new Set<string>();
      if (listed === undefined) return undefined;
      const named = ['questionnaire-unit', 'questionnaire-unitOption']
        .flatMap((name) => extensionValues(item, name))
        .filter(isJsonObject)
        .map(({ system, code }) => codeKey(system, code));
      const all = new Set([...named, ...listed]);
      return all.size === 0 ? undefined : all;
    }),
    constraintsOf: kept(constraintsIn),
  };
}

function kept<Key, Found>(find: (key: Key) => Found): (key: Key) => Found {
  const known = new Map<Key, { readonly found: Found }>();
  return (key) => {
    const before = known.get(key);
    if (before !== undefined) return before.found;
    const found = find(key);
    known.set(key, { found });
    return found;
  };
}

function itemsWithin(parent: JsonObject): JsonObject[] {
  return objectsIn(parent['item']).flatMap((item) => [item, ...itemsWithin(item)]);
}

/** The codes that a ValueSet lists, in its expansion or its definition; undefined where it lists none. */
function codesOf(valueSet: JsonObject): ReadonlySet<string> | undefined {
  const { expansion, compose } = valueSet;
  if (isJsonObject(expansion)) {
    return new Set(containsWithin(expansion).map(({ system, code }) => codeKey(system, code)));
  }
  const includes = isJsonObject(compose) ? objectsIn(compose['include']) : [];
  if (includes.length === 0 || includes.some(({ concept }) => !Array.isArray(concept))) return undefined;
  return new Set(
    includes.flatMap(({ system, concept }) => objectsIn(concept).map(({ code }) => codeKey(system, code))),
  );
}

function containsWithin(parent: JsonObject): JsonObject[] {
  return objectsIn(parent['contains']).flatMap((each) => [each, ...containsWithin(each)]);
}

function constraintsIn(element: JsonObject): readonly FormConstraint[] {
  return objectsIn(element['extension'])
    .filter(({ url }) => url === `${CORE}targetConstraint` || url === `${CORE}questionnaire-constraint`)
    .flatMap((extension) => {
      const parts = new Map(objectsIn(extension['extension']).map((part) => [part['url'], answerValue(part)]));
      const stated = parts.get('expression');
      const { language, expression } = isJsonObject(stated) ? stated : { language: FHIRPATH, expression: stated };
      if (language !== FHIRPATH || typeof expression !== 'string') return [];
      const message = parts.get('human');
      return [
        {
          isError: parts.get('severity') !== 'warning',
          message: typeof message === 'string' ? message : `must fulfil ${String(parts.get('key') ?? expression)}`,
          expression,
        },
      ];
    });
}

const FHIRPATH = 'text/fhirpath';
