// Builds `expansion.parameter`: the parameters of the request and the definitions that were used. It warns of those
// that are draft, withdrawn or otherwise not for use (HL7's tx-ecosystem).
import { joinCanonical } from '../catalog/catalog.ts';
import { type Evaluated, findValueSet } from '../content/evaluate.ts';
import { type Json, text } from '../json.ts';
import type { OperationContext } from './context.ts';
import type { Inputs } from './inputs.ts';
import type { Languages } from './languages.ts';
import { parameter } from './parameters.ts';
import { type PublicationStatus, statusOf, warningFor } from './publication-status.ts';

/**
 * Parameters that the expansion echoes, with their value types. Those about versions are listed where they had an
 * effect.
 */
const ECHOED: readonly (readonly [
  name: string,
  kind: 'String' | 'Integer' | 'Boolean' | 'Uri' | 'Code' | 'DateTime',
])[] = [
  ['filter', 'String'],
  ['offset', 'Integer'],
  ['count', 'Integer'],
  ['activeOnly', 'Boolean'],
  ['excludeNested', 'Boolean'],
  ['excludeNotForUI', 'Boolean'],
  ['includeDesignations', 'Boolean'],
  ['includeDefinition', 'Boolean'],
  ['designation', 'String'],
  ['exclude-system', 'Uri'],
  ['default-valueset-version', 'Uri'],
  ['context', 'Uri'],
  ['contextDirection', 'Code'],
  ['date', 'DateTime'],
];

/** All parameters of $expand. */
export const EXPANSION_PARAMETERS: readonly string[] = [
  ...ECHOED.map(([name]) => name),
  'displayLanguage',
  'property',
  'system-version',
  'check-system-version',
  'force-system-version',
  'useSupplement',
  'tx-resource',
];

/** @param languages those of the displays, of the request or of the value set */
export function echoOf(inputs: Inputs, languages: Languages): Json[] {
  const echoed: Json[] = [];
  for (const [name, kind] of ECHOED) {
    for (const given of inputs.texts(name)) {
      const found = parameter(name, kind, reportedValue(kind, given));
      if (found !== undefined) echoed.push(found);
    }
  }
  const language = parameter('displayLanguage', 'Code', languages.given);
  if (language !== undefined) echoed.push(language);
  return echoed;
}

function reportedValue(kind: string, given: string): unknown {
  if (kind === 'Integer') return Number(given);
  return kind === 'Boolean' ? given === 'true' : given;
}

/** An evaluation is cached as long as its value set and everything that was used. */
const usedByEvaluation = new WeakMap<Evaluated, readonly Json[]>();

export function usedOf(valueSet: Json, evaluated: Evaluated, context: OperationContext): readonly Json[] {
  const known = usedByEvaluation.get(evaluated) ?? findUsed(valueSet, evaluated, context);
  usedByEvaluation.set(evaluated, known);
  return known;
}

function findUsed(valueSet: Json, evaluated: Evaluated, context: OperationContext): readonly Json[] {
  const used: Json[] = [];
  for (const { model, supplements } of evaluated.views) {
    const { meta } = model;
    const canonical = joinCanonical(meta);
    used.push({ name: 'used-codesystem', valueUri: canonical });
    used.push(...warnings(valueSet, canonical, meta));
    if (!model.isComplete) used.push({ name: meta.content, valueUri: canonical });
    for (const supplement of supplements)
      used.push({ name: 'used-supplement', valueUri: joinCanonical(supplement.meta) });
  }
  const others = [...evaluated.valueSets].map(
    (canonical) => [canonical, findValueSet(context.catalog, canonical).resource()] as const,
  );
  for (const [canonical] of others) used.push({ name: 'used-valueset', valueUri: canonical });
  const own = joinCanonical({ url: text(valueSet['url']) ?? '', version: text(valueSet['version']) });
  for (const [canonical, resource] of [[own, valueSet] as const, ...others]) {
    if (canonical !== '') used.push(...warnings(valueSet, canonical, statusOf(resource)));
  }
  for (const [name, canonicals] of evaluated.parameters) {
    for (const valueUri of canonicals) used.push({ name, valueUri });
  }
  if (evaluated.versionsMatch !== undefined)
    used.push({ name: 'versionsMatch', valueBoolean: evaluated.versionsMatch });
  const seen = new Set<string>();
  return used.filter((each) => seen.size < seen.add(JSON.stringify(each)).size);
}

/** Only the most serious one is reported. */
function warnings(valueSet: Json, canonical: string, status: PublicationStatus): Json[] {
  const kind = warningFor(valueSet, status);
  return kind === undefined ? [] : [{ name: `warning-${kind}`, valueUri: canonical }];
}
