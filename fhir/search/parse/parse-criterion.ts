// Parses one search condition: parameter, modifier, chain or `_has`, and its alternative values
// (hl7.org/fhir/R5/search.html#modifiers, #chaining, #has).
import { isFhirId } from '../../primitives/primitives.ts';
import { indexedParameters } from '../extract/composites.ts';
import { derivedKey } from '../extract/derived-keys.ts';
import { exactText, MAX_BEGINNING } from '../extract/normalise.ts';
import type { SearchParameter, SearchParameters } from '../parameters/definitions.ts';
import {
  type CriterionContext,
  normalised,
  type QueryParameter,
  type SearchBudget,
  STEP_COST,
  spend,
  unknownModifier,
} from './criterion-context.ts';
import { parseCodes, parseHierarchy } from './parse-codes.ts';
import { parseSpecial } from './parse-special.ts';
import {
  parseDate,
  parseNumber,
  parseOfType,
  parseQuantity,
  parseReferenceValue,
  parseToken,
  splitEscaped,
  UnreadableValue,
  unescapeValue,
} from './parse-value.ts';
import type { ChainLink, ComponentValue, Criterion } from './query.ts';

/** The most links of a chain. */
export const MAX_CHAINED = 8;

/**
 * Parses a condition; undefined when the type has no such parameter. Its cost is subtracted from the search's budget.
 * @throws UnreadableValue when the modifier or a value cannot be read, or the budget is used up
 */
export function parseCriterion(
  given: QueryParameter,
  parameters: SearchParameters,
  budget: SearchBudget,
): Criterion | undefined {
  return parseNamed(given, { parameters, budget, depth: 0, parse: parseNamed });
}

/** Parses a condition, alone, at the end of a chain or in a filter. @throws UnreadableValue */
function parseNamed(given: QueryParameter, context: CriterionContext): Criterion | undefined {
  const { parameters, depth, budget } = context;
  if (depth > MAX_CHAINED) throw new UnreadableValue('is chained too deeply');
  spend(depth === 0 ? 1 : STEP_COST, budget);
  if (given.name.startsWith('_has:')) return parseHas(given, context);
  const dot = given.name.indexOf('.');
  if (dot !== -1) return parseChain(given, dot, context);
  const [code = '', modifier, ...rest] = given.name.split(':');
  const parameter = parameters.forType(given.resourceType).get(code);
  if (parameter === undefined) return undefined;
  if (rest.length > 0) throw new UnreadableValue('has more than one modifier');
  if (given.value === '') throw new UnreadableValue('must have a value');
  const special = parseSpecial({ ...given, parameter, modifier }, context);
  if (special !== undefined) return special;
  const indexed = indexedParameters(parameter, parameters.forType(given.resourceType));
  const keys = indexed.map(({ key }) => key);
  if (modifier === 'missing') return { kind: 'missing', parameter, keys, isMissing: readBoolean(given.value) };
  const values = splitEscaped(given.value, ',');
  spend(values.length, budget);
  return parseValues({ name: given.name, parameter, indexed, modifier, values }, parameters);
}

interface ParsedParameter {
  /** As given. */
  readonly name: string;
  readonly parameter: SearchParameter;
  /** The parameters whose index rows hold its values. */
  readonly indexed: readonly SearchParameter[];
  readonly modifier: string | undefined;
  readonly values: readonly string[];
}

function parseValues(parsed: ParsedParameter, parameters: SearchParameters): Criterion {
  const { parameter, values } = parsed;
  switch (parameter.type) {
    case 'token':
      return parseTokens(parsed, parameters);
    case 'string':
      return parseStrings(parsed);
    case 'reference':
      return parseReferences(parsed, parameters);
    case 'date':
      refuseModifier(parsed);
      if (parameter.code === '_lastUpdated') return { kind: 'lastUpdated', values: values.map(parseDate) };
      return { kind: 'date', parameter, values: values.map(parseDate) };
    case 'number':
      refuseModifier(parsed);
      return { kind: 'quantity', parameter, values: values.map(parseNumber) };
    case 'quantity':
      refuseModifier(parsed);
      return { kind: 'quantity', parameter, values: values.map(parseQuantity) };
    case 'uri':
      return parseUris(parsed);
    case 'composite': {
      refuseModifier(parsed);
      return {
        kind: 'composite',
        parameter,
        keys: parsed.indexed.map(({ key }) => key),
        canonicalKeys: parsed.indexed.map((each) => derivedKey(each, 'canonical')),
        values: values.map((value) => parseComposite(value, parameter, parameters)),
      };
    }
    case 'special':
      throw new UnreadableValue('cannot be searched by', 'not-supported');
    default:
      return parameter.type satisfies never;
  }
}

function parseTokens(parsed: ParsedParameter, { baseUrl }: SearchParameters): Criterion {
  const { parameter, modifier, values } = parsed;
  if (parameter.code === '_id') {
    if (modifier !== 'not') refuseModifier(parsed);
    const wrong = values.find((id) => !isFhirId(id));
    if (wrong !== undefined) throw new UnreadableValue('must be ids of 1 to 64 letters, digits, hyphens and dots');
    const named = { kind: 'id', ids: values } as const;
    return modifier === 'not' ? { kind: 'not', criterion: named } : named;
  }
  switch (modifier) {
    case undefined:
    case 'not':
      return {
        kind: 'token',
        parameter,
        isNegated: modifier === 'not',
        values: values.map((value) => parseToken(value, parameter)),
      };
    case 'of-type':
      return { kind: 'token', derived: 'of-type', parameter, isNegated: false, values: values.map(parseOfType) };
    case 'text':
      return { kind: 'string', derived: 'text', match: 'prefix', parameter, values: values.map(normalised) };
    case 'text-advanced':
      return { kind: 'string', derived: 'text', match: 'words', parameter, values: values.map(normalised) };
    case 'in':
    case 'not-in':
    case 'above':
    case 'below':
      return parseCodes(parsed, modifier, baseUrl);
    default:
      throw unknownModifier(modifier);
  }
}

function parseStrings({ parameter, modifier, values }: ParsedParameter): Criterion {
  switch (modifier) {
    case undefined:
      return { kind: 'string', match: 'prefix', parameter, values: values.map(normalised) };
    case 'exact':
      return { kind: 'string', match: 'exact', parameter, values: values.map(unescapeValue) };
    case 'contains':
    case 'text':
      return { kind: 'string', match: 'contains', parameter, values: values.map(normalised) };
    default:
      throw unknownModifier(modifier);
  }
}

function parseReferences({ parameter, modifier, values }: ParsedParameter, parameters: SearchParameters): Criterion {
  if (modifier === 'identifier') {
    const tokens = values.map((value) => parseToken(value, parameter));
    return { kind: 'token', derived: 'identifier', parameter, isNegated: false, values: tokens };
  }
  if (modifier === 'text' || modifier === 'text-advanced') {
    const match = modifier === 'text' ? 'prefix' : 'words';
    return { kind: 'string', derived: 'text', match, parameter, values: values.map(normalised) };
  }
  if (modifier === 'above' || modifier === 'below') {
    if (!isCanonicalOnly(parameter)) return parseHierarchy({ parameter, values, relation: modifier }, parameters);
    return { kind: 'uri', parameter, match: `version-${modifier}`, values: values.map(addressOf) };
  }
  if (modifier !== undefined && !parameters.resourceTypes.has(modifier)) throw unknownModifier(modifier);
  if (isCanonicalOnly(parameter)) {
    return { kind: 'uri', parameter, match: 'exact', values: values.map(addressOf) };
  }
  const parsed = { parameter, modifierType: modifier, baseUrl: parameters.baseUrl };
  return { kind: 'reference', parameter, values: values.map((value) => parseReferenceValue(value, parsed)) };
}

/** Whether all of the parameter's elements are canonical URLs, which are searched as written. */
export function isCanonicalOnly({ branches }: SearchParameter): boolean {
  return branches.length > 0 && branches.every(([type]) => type === 'canonical' || type === 'uri' || type === 'url');
}

function parseUris({ parameter, modifier, values }: ParsedParameter): Criterion {
  switch (modifier) {
    case undefined:
      return { kind: 'uri', parameter, match: 'exact', values: values.map(addressOf) };
    case 'above':
    case 'below':
    case 'contains':
      return { kind: 'uri', parameter, match: modifier, values: values.map(addressOf) };
    default:
      throw unknownModifier(modifier);
  }
}

function addressOf(value: string): string {
  return exactText(unescapeValue(value));
}

/** `value$value`, one for each component in their order. */
function parseComposite(text: string, parameter: SearchParameter, { baseUrl }: SearchParameters): ComponentValue[] {
  const components = parameter.groups[0]?.components ?? [];
  const values = splitEscaped(text, '$');
  if (values.length !== components.length) {
    throw new UnreadableValue(`must have ${components.length} values with $ between them`);
  }
  const read = components.map(({ type, branches }, index): ComponentValue => {
    const value = values[index] ?? '';
    switch (type) {
      case 'token':
        return { type, value: parseToken(value, { ...parameter, branches }) };
      case 'string':
        return { type, value: requireShort(normalised(value)) };
      case 'uri':
        return { type, value: exactText(unescapeValue(value)) };
      case 'date':
        return { type, value: parseDate(value) };
      case 'quantity':
        return { type, value: parseQuantity(value) };
      case 'reference':
        return { type, value: parseReferenceValue(value, { parameter, baseUrl }) };
      case 'number':
      case 'composite':
      case 'special':
        throw new UnreadableValue('cannot be searched');
      default:
        return type satisfies never;
    }
  });
  const units = new Set(read.flatMap((each) => (each.type === 'quantity' ? [each.value.canonical === undefined] : [])));
  if (units.size > 1) throw new UnreadableValue('must give all its quantities a unit of UCUM, or none');
  return read;
}

/** Refuses texts that are longer than those in composite index rows. @throws UnreadableValue */
function requireShort(text: string): string {
  if (text.length <= MAX_BEGINNING) return text;
  throw new UnreadableValue(`must have texts of at most ${MAX_BEGINNING} characters in a combination`);
}

function readBoolean(value: string): boolean {
  if (value !== 'true' && value !== 'false') throw new UnreadableValue('must be true or false');
  return value === 'true';
}

/** `subject:Patient.name`, `subject.name`: the rest is a condition on the reference's target type. */
function parseChain(
  { resourceType, name, value }: QueryParameter,
  dot: number,
  context: CriterionContext,
): Criterion | undefined {
  const { parameters, depth } = context;
  const [code = '', type] = name.slice(0, dot).split(':');
  const parameter = parameters.forType(resourceType).get(code);
  if (parameter === undefined) return undefined;
  if (parameter.type !== 'reference') throw new UnreadableValue(`cannot be chained: ${code} is no reference`);
  if (type !== undefined && !parameters.resourceTypes.has(type)) throw unknownModifier(type);
  const types = type === undefined ? parameter.targets : [type];
  if (types.length === 0)
    throw new UnreadableValue(`must name the type it leads to: ${code}:Type.${name.slice(dot + 1)}`);
  const links = types.flatMap((target): ChainLink[] => {
    const rest = { resourceType: target, name: name.slice(dot + 1), value };
    const criterion = parseNamed(rest, { ...context, depth: depth + 1 });
    return criterion === undefined ? [] : [{ resourceType: target, criterion }];
  });
  if (links.length > 0) return { kind: 'chain', parameter, links };
  if (depth === 0) throw new UnreadableValue(`leads to no type that has the search parameter ${name.slice(dot + 1)}`);
  return undefined;
}

/** `_has:Observation:patient:code`: a condition on resources that refer to this one. */
function parseHas({ resourceType, name, value }: QueryParameter, context: CriterionContext): Criterion | undefined {
  const { parameters, depth } = context;
  const [, type = '', code = '', ...rest] = name.split(':');
  if (!parameters.resourceTypes.has(type)) throw new UnreadableValue(`names no resource type: ${type}`);
  const parameter = parameters.forType(type).get(code);
  if (parameter?.type !== 'reference') throw new UnreadableValue(`${type} has no reference parameter ${code}`);
  if (parameter.targets.length > 0 && !parameter.targets.includes(resourceType)) {
    throw new UnreadableValue(`${type}.${code} never refers to a ${resourceType}`);
  }
  const criterion = parseNamed({ resourceType: type, name: rest.join(':'), value }, { ...context, depth: depth + 1 });
  if (criterion !== undefined) return { kind: 'has', parameter, targetType: resourceType, criterion };
  if (depth === 0) throw new UnreadableValue(`must end with a search parameter of ${type}: _has:${type}:${code}:…`);
  return undefined;
}

function refuseModifier({ modifier }: ParsedParameter): void {
  if (modifier !== undefined) throw unknownModifier(modifier);
}
