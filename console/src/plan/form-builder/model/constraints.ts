// Demands on answers beyond the limits: FHIRPath that must hold, and what is said when it does not
// (hl7.org/fhir/extensions: targetConstraint). Those of another language or of the older extension stay as they are.
import type { Extension } from 'fhir/r5';
import { type ExtensionValue, extensionsOf, withExtension } from './extensions.ts';

export interface Demand {
  readonly expression: string;
  readonly message: string;
  /** Whether the answers can be sent nevertheless. */
  readonly isWarning: boolean;
  /** Where it came from: what else it says is kept. */
  readonly source: ExtensionValue;
}

const CONSTRAINT = 'targetConstraint';
const FHIRPATH = 'text/fhirpath';
interface Constrained {
  readonly extension?: Extension[] | undefined;
}

export function demandsOf(element: Constrained): Demand[] {
  return extensionsOf(element, CONSTRAINT).filter(isFhirPath).map(demandIn);
}

function isFhirPath(extension: Extension): boolean {
  const language = part(extension, 'expression')?.valueExpression?.language;
  return language === undefined || language === FHIRPATH;
}

function demandIn({ url: _, ...source }: Extension): Demand {
  const extension = { url: CONSTRAINT, ...source };
  return {
    expression: part(extension, 'expression')?.valueExpression?.expression ?? '',
    message: part(extension, 'human')?.valueString ?? '',
    isWarning: part(extension, 'severity')?.valueCode === 'warning',
    source,
  };
}

export function newDemand(): Demand {
  const key = `c-${crypto.randomUUID().slice(0, 8)}`;
  return { expression: '', message: '', isWarning: false, source: { extension: [{ url: 'key', valueId: key }] } };
}

export function withDemands<Of extends Constrained>(element: Of, demands: readonly Demand[]): Of {
  const others = extensionsOf(element, CONSTRAINT).filter((each) => !isFhirPath(each));
  const kept = others.map(({ url: _, ...value }) => value);
  return withExtension(element, CONSTRAINT, [...kept, ...demands.map(valueOfDemand)]);
}

/** In the order of the extension's definition; what the builder does not know comes last. */
function valueOfDemand({ expression, message, isWarning, source }: Demand): ExtensionValue {
  const own = new Set(['key', 'severity', 'expression', 'human']);
  const given = source.extension ?? [];
  const { valueExpression = {} } = part({ url: CONSTRAINT, ...source }, 'expression') ?? {};
  return {
    ...source,
    extension: [
      ...given.filter(({ url }) => url === 'key'),
      { url: 'severity', valueCode: isWarning ? 'warning' : 'error' },
      { url: 'expression', valueExpression: { ...valueExpression, language: FHIRPATH, expression } },
      { url: 'human', valueString: message },
      ...given.filter(({ url }) => !own.has(url)),
    ],
  } as ExtensionValue;
}

function part({ extension = [] }: Extension, url: string): Extension | undefined {
  return extension.find((each) => each.url === url);
}
