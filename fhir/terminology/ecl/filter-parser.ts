// Parses what is in double braces: filters of descriptions, concepts and members of reference sets, and supplements of
// history.
import { conceptReference, fieldName } from './identifiers.ts';
import type { Scanner } from './scanner.ts';
import type {
  ConceptFilter,
  ConceptReference,
  DescriptionFilter,
  Dialect,
  Expression,
  HistoryProfile,
  MemberFilter,
} from './syntax.ts';
import { comparedValue, comparison, isNot, listOf, searchTerms, timeFilter } from './value-parser.ts';

/** The filters in the braces that begin with the letter; undefined for braces that do not. */
function filtersOf<T>(scanner: Scanner, letter: string | undefined, read: () => T): T[] | undefined {
  const isThere = scanner.attempt(() => {
    if (!scanner.eat('{{')) return undefined;
    return letter === undefined || scanner.eatWord([letter]) !== undefined ? true : undefined;
  });
  if (isThere === undefined) return undefined;
  const found: T[] = [];
  do {
    found.push(read());
  } while (scanner.eat(','));
  scanner.expect('}}');
  return found;
}

export function memberFilters(scanner: Scanner): MemberFilter[] | undefined {
  return filtersOf(scanner, 'm', () => memberFilter(scanner));
}

export function conceptFilters(scanner: Scanner): ConceptFilter[] | undefined {
  return filtersOf(scanner, 'c', () => conceptFilter(scanner));
}

/** Braces without a letter are filters of descriptions. */
export function descriptionFilters(scanner: Scanner): DescriptionFilter[] {
  const read = () => descriptionFilter(scanner);
  return filtersOf(scanner, 'd', read) ?? filtersOf(scanner, undefined, read) ?? [];
}

const SUFFIXES = { min: 'minimum', mod: 'moderate', max: 'maximum' } as const;

/** Undefined for braces that do not begin with a plus sign. */
export function historyProfile(scanner: Scanner): HistoryProfile | undefined {
  const isThere = scanner.attempt(() => (scanner.eat('{{') && scanner.eat('+') ? true : undefined));
  if (isThere === undefined) return undefined;
  if (scanner.eatWord(['history']) === undefined) throw scanner.error('HISTORY');
  let profile: HistoryProfile = 'maximum';
  const next = scanner.text.charAt(scanner.at);
  if (next === '-' || next === '_') {
    scanner.at += 1;
    const suffix = scanner.eatWord(['min', 'mod', 'max']) as keyof typeof SUFFIXES | undefined;
    if (suffix === undefined) throw scanner.error('MIN, MOD or MAX');
    profile = SUFFIXES[suffix];
  } else if (scanner.eat('(')) {
    profile = scanner.nested(() => scanner.expression());
    scanner.expect(')');
  }
  scanner.expect('}}');
  return profile;
}

function memberFilter(scanner: Scanner): MemberFilter {
  const shared = sharedFilter(scanner);
  if (shared !== undefined) return shared;
  scanner.skip();
  const at = scanner.position;
  return { kind: 'field', name: fieldName(scanner), value: comparedValue(scanner, true), at };
}

function conceptFilter(scanner: Scanner): ConceptFilter {
  const shared = sharedFilter(scanner);
  if (shared !== undefined) return shared;
  if (scanner.eatWord(['definitionstatusid']) !== undefined)
    return { kind: 'definitionStatus', isNot: isNot(scanner), of: identifiers(scanner) };
  if (scanner.eatWord(['definitionstatus']) !== undefined)
    return { kind: 'definitionStatus', isNot: isNot(scanner), of: tokens(scanner, DEFINITION_STATUSES) };
  throw scanner.error('definitionStatus, definitionStatusId, moduleId, effectiveTime or active');
}

/** The filters that all components have. */
function sharedFilter(scanner: Scanner): Extract<MemberFilter, ConceptFilter> | undefined {
  switch (scanner.eatWord(['moduleid', 'effectivetime', 'active'])) {
    case 'moduleid':
      return { kind: 'module', isNot: isNot(scanner), of: identifiers(scanner) };
    case 'effectivetime':
      return timeFilter(scanner, comparison(scanner));
    case 'active':
      return activeFilter(scanner);
    default:
      return undefined;
  }
}

/** `true` and `false` stand for 1 and 0, and `"*"` for both. */
function activeFilter(scanner: Scanner): Extract<ConceptFilter, { kind: 'active' }> {
  const isNegated = isNot(scanner);
  if (scanner.eat('"*"')) return { kind: 'active', isActive: isNegated ? false : undefined };
  const isTrue = scanner.eat('1') || scanner.eatWord(['true']) !== undefined;
  if (!isTrue && !scanner.eat('0') && scanner.eatWord(['false']) === undefined)
    throw scanner.error('1, 0, true or false');
  return { kind: 'active', isActive: isTrue !== isNegated };
}

function descriptionFilter(scanner: Scanner): DescriptionFilter {
  const shared = sharedFilter(scanner);
  if (shared !== undefined) return shared;
  const word = scanner.eatWord(['term', 'language', 'typeid', 'type', 'dialectid', 'dialect', 'id']);
  if (word === undefined)
    throw scanner.error('term, language, type, typeId, dialect, dialectId, moduleId, effectiveTime, active or id');
  const negated = isNot(scanner);
  switch (word) {
    case 'term':
      return { kind: 'term', isNot: negated, terms: searchTerms(scanner) };
    case 'language':
      return { kind: 'language', isNot: negated, codes: listOf(scanner, () => languageCode(scanner)) };
    case 'typeid':
      return { kind: 'type', isNot: negated, of: identifiers(scanner) };
    case 'type':
      return { kind: 'type', isNot: negated, of: tokens(scanner, TYPES) };
    case 'id':
      return { kind: 'id', isNot: negated, ids: listOf(scanner, () => identifier(scanner).id) };
    default:
      return { kind: 'dialect', isNot: negated, dialects: dialects(scanner, word === 'dialectid') };
  }
}

const LANGUAGE = /[A-Za-z]{2}(?![A-Za-z])/y;

function languageCode(scanner: Scanner): string {
  scanner.skip();
  const code = scanner.take(LANGUAGE);
  if (code === undefined) throw scanner.error('a language of two letters');
  return code.toLowerCase();
}

function identifier(scanner: Scanner): ConceptReference {
  const found = conceptReference(scanner);
  if (found === undefined) throw scanner.error('an identifier');
  return found;
}

/** An expression, or a list of concepts in brackets. */
function identifiers(scanner: Scanner): Expression {
  const list = scanner.attempt(() => (scanner.eat('(') ? conceptList(scanner) : undefined));
  return list ?? scanner.subExpression();
}

/** At least two concepts and the end of the brackets. */
function conceptList(scanner: Scanner): Expression | undefined {
  const parts: ConceptReference[] = [];
  for (let each = conceptReference(scanner); each !== undefined; each = conceptReference(scanner)) parts.push(each);
  return parts.length > 1 && scanner.eat(')') ? { kind: 'or', parts } : undefined;
}

type Tokens = Readonly<Record<string, string>>;

const DEFINITION_STATUSES: Tokens = { primitive: '900000000000074008', defined: '900000000000073002' };
const [SYNONYM, FULLY_SPECIFIED_NAME, DEFINITION] = ['900000000000013009', '900000000000003001', '900000000000550004'];
const TYPES: Tokens = {
  syn: SYNONYM,
  synonym: SYNONYM,
  fsn: FULLY_SPECIFIED_NAME,
  fullyspecifiedname: FULLY_SPECIFIED_NAME,
  def: DEFINITION,
  definition: DEFINITION,
};
const [ACCEPTABLE, PREFERRED] = ['900000000000549004', '900000000000548007'];
const ACCEPTABILITIES: Tokens = {
  accept: ACCEPTABLE,
  acceptable: ACCEPTABLE,
  prefer: PREFERRED,
  preferred: PREFERRED,
};

/** One of the words, or several in brackets, as the concepts that they stand for. */
function tokens(scanner: Scanner, names: Tokens): Expression {
  const parts = listOf(scanner, (): ConceptReference => {
    scanner.skip();
    const at = scanner.position;
    return { kind: 'concept', id: token(scanner, names), at };
  });
  return { kind: 'or', parts };
}

function token(scanner: Scanner, names: Tokens): string {
  const id = names[scanner.eatWord(Object.keys(names)) ?? ''];
  if (id === undefined) throw scanner.error(`one of ${Object.keys(names).join(', ')}`);
  return id;
}

/** The acceptability behind the brackets holds for all dialects that have none of their own. */
function dialects(scanner: Scanner, isById: boolean): Dialect[] {
  const found = isById ? dialectIds(scanner) : listOf(scanner, () => withAcceptabilities(scanner, alias));
  const { acceptabilities } = withAcceptabilities(scanner, () => '');
  return found.map((each) => (each.acceptabilities.length > 0 ? each : { ...each, acceptabilities }));
}

/** Brackets hold a list of concepts, each with its acceptability, or an expression. */
function dialectIds(scanner: Scanner): Dialect[] {
  const list = scanner.attempt(() => {
    if (!scanner.eat('(')) return undefined;
    const found: Dialect[] = [];
    while (conceptIsNext(scanner)) found.push(withAcceptabilities(scanner, identifier));
    return found.length > 0 && scanner.eat(')') ? found : undefined;
  });
  return list ?? [withAcceptabilities(scanner, () => scanner.subExpression())];
}

function conceptIsNext(scanner: Scanner): boolean {
  scanner.skip();
  return /\d/.test(scanner.text.charAt(scanner.at));
}

function withAcceptabilities(scanner: Scanner, read: (scanner: Scanner) => string | Expression): Dialect {
  scanner.skip();
  const at = scanner.position;
  const refset = read(scanner);
  const list = scanner.attempt(() => (scanner.isNext('(') ? acceptabilityList(scanner) : undefined));
  return { refset, acceptabilities: list ?? [], at };
}

function acceptabilityList(scanner: Scanner): string[] {
  return listOf(scanner, () => (conceptIsNext(scanner) ? identifier(scanner).id : token(scanner, ACCEPTABILITIES)));
}

const ALIAS = /[A-Za-z][A-Za-z0-9-]*/y;

function alias(scanner: Scanner): string {
  scanner.skip();
  const name = scanner.take(ALIAS);
  if (name === undefined) throw scanner.error('the alias of a dialect, such as sv-se');
  return name.toLowerCase();
}
