// Filters of concepts by their descriptions: all filters of one pair of braces hold for one and the same description.
import type { Steps } from '../content/unfinished.ts';
import { addBit, andBits, type Bitset, emptyBitset, orBits } from '../model/bitset.ts';
import type { CodeSystemModel } from '../model/code-system-model.ts';
import type { DescriptionDialect, DesignationKind } from '../model/designations.ts';
import { refsetOfDialect } from '../model/snomed/dialects.ts';
import { setWithPrefix } from '../model/word-index.ts';
import { TerminologyError } from '../terminology-error.ts';
import { type EclContext, identifierTest, isTime, notSupported } from './context.ts';
import { eachMember } from './sets.ts';
import type { DescriptionFilter, Dialect } from './syntax.ts';
import { beginningsOf, beginningsOfWild, termTest } from './term-match.ts';

type TermFilter = Extract<DescriptionFilter, { kind: 'term' }>;
type KindTest = (kind: DesignationKind) => boolean;

export function* filterByDescriptions(
  bits: Bitset,
  filters: readonly DescriptionFilter[],
  context: EclContext,
): Steps<Bitset> {
  const { model } = context;
  const terms = filters.filter((filter) => filter.kind === 'term');
  const tests: KindTest[] = [];
  for (const filter of filters) if (filter.kind !== 'term') tests.push(yield* kindTest(filter, context));
  const kinds = model.designationKinds.map((kind) => tests.every((test) => test(kind)));
  const candidates = narrowed(model, bits, terms);
  const termTests = terms.map(({ isNot, terms: list }) => {
    const test = termTest(list);
    return (text: string) => test(text) !== isNot;
  });
  const found = emptyBitset(model.size);
  const visit = (place: number): void => {
    let holds = false;
    model.eachDesignation(place, (kind, at) => {
      if (holds || kinds[kind] !== true) return;
      const text = termTests.length === 0 ? '' : model.text(at);
      holds = termTests.every((test) => test(text));
    });
    if (holds) addBit(found, place);
  };
  yield* eachMember(candidates, visit, STRIDE);
  return found;
}

/** Words of a set that are read in one step: texts take longer than numbers. */
const STRIDE = 8;

/** The concepts with the words of the terms, in whichever description. */
function narrowed(model: CodeSystemModel, bits: Bitset, filters: readonly TermFilter[]): Bitset {
  let found = bits;
  for (const { isNot, terms } of filters) {
    const sets = terms.map((term) =>
      withBeginnings(model, term.kind === 'match' ? beginningsOf(term.words) : beginningsOfWild(term.parts)),
    );
    const known = sets.filter((set) => set !== undefined);
    if (isNot || known.length < sets.length) continue;
    found = andBits(found, known.reduce(orBits));
  }
  return found;
}

function withBeginnings(model: CodeSystemModel, beginnings: readonly string[]): Bitset | undefined {
  if (beginnings.length === 0) return undefined;
  return beginnings.map((beginning) => setWithPrefix(model, beginning)).reduce(andBits);
}

function* kindTest(filter: Exclude<DescriptionFilter, TermFilter>, context: EclContext): Steps<KindTest> {
  switch (filter.kind) {
    case 'language': {
      const codes = new Set(filter.codes);
      return ({ language }) => codes.has(languageOf(language)) !== filter.isNot;
    }
    case 'type': {
      const isThere = yield* identifierTest(filter.of, context);
      return ({ use }) => isThere(use?.code ?? '') !== filter.isNot;
    }
    case 'module': {
      const isThere = yield* identifierTest(filter.of, context);
      return ({ description }) => isThere(description?.moduleId ?? '') !== filter.isNot;
    }
    case 'time':
      return ({ description }) => isTime(filter, description?.effectiveTime ?? '');
    case 'dialect':
      return yield* dialectTest(filter.dialects, filter.isNot, context);
    case 'active':
      if (filter.isActive === true) return () => true;
      throw notSupported('inactive descriptions are not kept');
    case 'id':
      throw notSupported('the identifiers of descriptions are not kept');
    default:
      return filter satisfies never;
  }
}

/** The first part of a language tag, in lower case. */
function languageOf(tag: string | undefined): string {
  return tag?.split('-')[0]?.toLowerCase() ?? '';
}

const PREFERRED = '900000000000548007';
const ACCEPTABLE = '900000000000549004';

function* dialectTest(dialects: readonly Dialect[], isNot: boolean, context: EclContext): Steps<KindTest> {
  const tests: ((dialect: DescriptionDialect) => boolean)[] = [];
  for (const { refset, acceptabilities, at } of dialects) {
    const isThere = typeof refset === 'string' ? ofAlias(refset, at) : yield* identifierTest(refset, context);
    tests.push(
      ({ refset: id, isPreferred }) =>
        isThere(id) && (acceptabilities.length === 0 || acceptabilities.includes(isPreferred ? PREFERRED : ACCEPTABLE)),
    );
  }
  return ({ description }) =>
    (description?.dialects.some((dialect) => tests.some((test) => test(dialect))) ?? false) !== isNot;
}

/** @throws TerminologyError for an alias without a known reference set */
function ofAlias(alias: string, at: number): (id: string) => boolean {
  const known = refsetOfDialect(alias);
  if (known !== undefined) return (id) => id === known;
  const message = `the expression constraint names the dialect ${alias} at character ${at}, which is not known: use dialectId`;
  throw new TerminologyError('invalid', message, 'vs-invalid');
}
