// Builds `expansion.parameter`: the parameters of the request and the definitions that were used. It warns of those
// that are draft, withdrawn or otherwise not for use (HL7's tx-ecosystem).
import { joinCanonical } from '../catalog/catalog.ts';
import type { Evaluated } from '../content/evaluate.ts';
import { findValueSet } from '../content/evaluate.ts';
import { type Json, text } from '../json.ts';
import { standardsStatusOf } from '../model/read-code-system.ts';
import type { OperationContext } from './context.ts';
import type { Inputs } from './inputs.ts';
import { parameter } from './parameters.ts';

/** Parameters that the expansion echoes, with their value types. */
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
  ['property', 'String'],
  ['exclude-system', 'Uri'],
  ['system-version', 'Uri'],
  ['check-system-version', 'Uri'],
  ['force-system-version', 'Uri'],
  ['default-valueset-version', 'Uri'],
  ['useSupplement', 'Uri'],
  ['context', 'Uri'],
  ['contextDirection', 'Code'],
  ['date', 'DateTime'],
];

/** All parameters of $expand. */
export const EXPANSION_PARAMETERS: readonly string[] = [
  ...ECHOED.map(([name]) => name),
  'displayLanguage',
  'tx-resource',
];

export function echoOf(inputs: Inputs, { languages }: OperationContext): Json[] {
  const echoed = ECHOED.flatMap(([name, kind]) =>
    inputs.texts(name).map((given) => parameter(name, kind, reportedValue(kind, given))),
  );
  const language = languages.length === 0 ? undefined : parameter('displayLanguage', 'Code', languages.join(', '));
  return [...echoed, language].filter((each) => each !== undefined);
}

function reportedValue(kind: string, given: string): unknown {
  if (kind === 'Integer') return Number(given);
  return kind === 'Boolean' ? given === 'true' : given;
}

export function usedOf(valueSet: Json, { content, valueSets }: Evaluated, context: OperationContext): Json[] {
  const systems = content.flatMap((part) => (part.kind === 'known' ? [part.view] : []));
  const used: Json[] = [];
  for (const { model, supplements } of systems) {
    const { meta } = model;
    const canonical = joinCanonical(meta);
    used.push({ name: 'used-codesystem', valueUri: canonical });
    used.push(...warnings({ ...meta, canonical }));
    if (!model.isComplete) used.push({ name: meta.content, valueUri: canonical });
    for (const supplement of supplements)
      used.push({ name: 'used-supplement', valueUri: joinCanonical(supplement.meta) });
  }
  const others = [...valueSets].map(
    (canonical) => [canonical, findValueSet(context.catalog, canonical).resource()] as const,
  );
  for (const [canonical] of others) used.push({ name: 'used-valueset', valueUri: canonical });
  const own = joinCanonical({ url: text(valueSet['url']) ?? '', version: text(valueSet['version']) });
  for (const [canonical, resource] of [[own, valueSet] as const, ...others]) {
    if (canonical !== '') used.push(...warnings({ ...statusOf(resource), canonical }));
  }
  const seen = new Set<string>();
  return used.filter((each) => seen.size < seen.add(JSON.stringify(each)).size);
}

interface Status {
  readonly canonical: string;
  readonly status: string | undefined;
  readonly standardsStatus: string | undefined;
  readonly isExperimental: boolean;
}

function statusOf(resource: Json): Omit<Status, 'canonical'> {
  return {
    status: text(resource['status']),
    standardsStatus: standardsStatusOf(resource),
    isExperimental: resource['experimental'] === true,
  };
}

function warnings({ canonical, status, standardsStatus, isExperimental }: Status): Json[] {
  const kinds = [
    standardsStatus === 'deprecated' || standardsStatus === 'withdrawn' ? standardsStatus : undefined,
    status === 'retired' || status === 'draft' ? status : undefined,
    isExperimental ? 'experimental' : undefined,
  ];
  // Only the most serious one is reported.
  const kind = kinds.find((each) => each !== undefined);
  return kind === undefined ? [] : [{ name: `warning-${kind}`, valueUri: canonical }];
}
