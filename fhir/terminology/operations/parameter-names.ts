// The names of the parameters that each terminology operation takes. Another name is a typing error, which would change
// the answer without a word. It is refused, or named in the answer where the client asks for lenient handling.
import { MAX_ISSUES } from '#lib/errors.ts';
import type { Json } from '../json.ts';
import type { Inputs } from './inputs.ts';

const words = (text: string): readonly string[] => text.trim().split(/\s+/);

/**
 * Parameters of all operations. They are the rules on versions, languages and definitions, and what clients of
 * terminology servers send to any of them, which changes no answer here.
 */
const OF_ALL = words(`
  tx-resource displayLanguage useSupplement
  system-version check-system-version force-system-version default-valueset-version
  uuid cache-id profile profile-url no-cache diagnostics mode default-to-latest-version incomplete-ok limitedExpansion
`);

const VALUE_SET = words('url valueSet valueSetVersion context contextDirection date');
const CODE = words('code system systemVersion version display coding codeableConcept');
const VALIDATION = words(`
  abstract inferSystem implySystem lenient-display-validation valueset-membership-only valueSetMode
`);

/** Clients send their settings for expansions to validations, too. */
const EXPANSION = words(`
  filter offset count includeDesignations designation includeDefinition activeOnly excludeNested excludeNotForUI
  excludePostCoordinated exclude-system property manifest allowSubset
`);

const OF_OPERATION: Readonly<Record<string, readonly string[]>> = {
  'ValueSet/expand': [...VALUE_SET, ...EXPANSION],
  'ValueSet/related': words('thisUrl thisValueSet otherUrl otherValueSet'),
  'ValueSet/validate-code': [...VALUE_SET, ...CODE, ...VALIDATION, ...EXPANSION],
  'CodeSystem/validate-code': [...CODE, ...VALIDATION, ...EXPANSION, ...words('url codeSystem date valueSet')],
  'ValueSet/batch-validate-code': [...VALUE_SET, ...CODE, ...VALIDATION, ...EXPANSION, 'validation'],
  'CodeSystem/batch-validate-code': [
    ...CODE,
    ...VALIDATION,
    ...EXPANSION,
    ...words('url codeSystem date validation valueSet'),
  ],
  'CodeSystem/lookup': words('code system version coding date property'),
  '/closure': words('name concept version'),
  'CodeSystem/find-matches': words('system version property exact compositional'),
  'CodeSystem/subsumes': words('codeA codeB system version codingA codingB'),
  'ConceptMap/translate': words(`
    url conceptMap conceptMapVersion sourceCode sourceCoding sourceCodeableConcept sourceScope sourceSystem system version
    targetCode targetCoding targetCodeableConcept targetScope targetSystem dependency
  `),
};

export interface OperationNames {
  readonly type: string;
  readonly name: string;
}

const NAMES: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries(OF_OPERATION).map(([operation, names]) => [operation, new Set([...names, ...OF_ALL])]),
);
/** By the operation, whose address would be put together each time. */
const namesOf = new WeakMap<OperationNames, ReadonlySet<string>>();
const NONE: ReadonlySet<string> = new Set();

/** The names of the parameters that an operation takes. */
export function parameterNames(operation: OperationNames): ReadonlySet<string> {
  const known = namesOf.get(operation);
  if (known !== undefined) return known;
  const names = NAMES.get(`${operation.type}/${operation.name}`) ?? NONE;
  namesOf.set(operation, names);
  return names;
}

/** Names with these beginnings are of the address (`_format`) or of one client alone. */
const isOfOthers = (name: string): boolean => name.startsWith('_') || name.startsWith('x-');

/** The given names that the operation does not take. */
export function unknownNames(inputs: Inputs, operation: OperationNames): readonly string[] {
  return inputs.namesBut(parameterNames(operation), isOfOthers);
}

/** Adds an issue for each unknown name, with the name that it resembles. */
export function refuseUnknown(inputs: Inputs, operation: OperationNames, names: readonly string[]): void {
  const known = [...parameterNames(operation)];
  for (const [at, name] of names.entries()) {
    // Only so many issues are shown.
    const meant = at < MAX_ISSUES ? known.find((each) => isAlike(each, name)) : undefined;
    const hint = meant === undefined ? '' : `: is ${meant} meant?`;
    inputs.issue(name, `${name} is no parameter of $${operation.name}${hint}`);
  }
}

/** Whether two names differ in case, separators, a plural, one letter, or two letters that have changed places. */
function isAlike(a: string, b: string): boolean {
  const [x, y] = [folded(a), folded(b)];
  if (x === y) return true;
  const [short, long] = x.length < y.length ? [x, y] : [y, x];
  if (long.length < 4 || long.length - short.length > 1) return false;
  let same = 0;
  while (same < short.length && short[same] === long[same]) same += 1;
  const isSwapped = short[same] === long[same + 1] && short[same + 1] === long[same];
  if (isSwapped && short.slice(same + 2) === long.slice(same + 2)) return true;
  // Of four letters one other letter makes another word: code and mode.
  const isChanged = short.length === long.length;
  if (isChanged && long.length < 5) return false;
  return short.slice(same + (isChanged ? 1 : 0)) === long.slice(same + 1);
}

function folded(name: string): string {
  return name.toLowerCase().replaceAll(/[-_]/g, '').replace(/s$/, '');
}

/** The answer with the names of the parameters that were ignored. */
export function withIgnored(answer: Json, names: readonly string[]): Json {
  if (names.length === 0) return answer;
  const ignored = names.map((valueString) => ({ name: 'ignored-parameter', valueString }));
  const { expansion, parameter } = answer;
  if (Array.isArray(parameter)) return { ...answer, parameter: [...parameter, ...ignored] };
  if (typeof expansion !== 'object' || expansion === null) return answer;
  const echoed = 'parameter' in expansion && Array.isArray(expansion.parameter) ? expansion.parameter : [];
  return { ...answer, expansion: { ...expansion, parameter: [...echoed, ...ignored] } };
}
