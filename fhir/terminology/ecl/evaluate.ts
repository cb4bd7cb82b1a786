// Evaluates an expression constraint on a code system, as a set of its concepts (ECL 2.2, section 6). The work can be
// suspended, so that no expression holds up other requests.
import type { Steps } from '../content/unfinished.ts';
import { addBit, andBits, type Bitset, emptyBitset, fullBitset, orBits, withoutBits } from '../model/bitset.ts';
import type { CodeSystemModel } from '../model/code-system-model.ts';
import { TerminologyError } from '../terminology-error.ts';
import { typeFlags } from './attribute-test.ts';
import { filterConcepts } from './concept-filters.ts';
import { type EclContext, notSupported } from './context.ts';
import { filterByDescriptions } from './description-filters.ts';
import { membersOf, withHistory } from './members.ts';
import { refine } from './refinements.ts';
import { activeConcepts, eachMember, relatives } from './sets.ts';
import type { ConceptReference, Expression } from './syntax.ts';

/**
 * The concepts of the expression. A hierarchy operator finds active concepts only; everything else, inactive ones too.
 * @throws TerminologyError for a concept that the code system does not have, and for what cannot be evaluated
 */
export function evaluateExpression(expression: Expression, model: CodeSystemModel): Steps<Bitset> {
  const context: EclContext = { model, evaluate: (of) => evaluate(of, context) };
  return context.evaluate(expression);
}

function* evaluate(expression: Expression, context: EclContext): Steps<Bitset> {
  const { model } = context;
  yield;
  switch (expression.kind) {
    case 'concept':
      return only(expression, model);
    case 'any':
      return fullBitset(model.size);
    case 'alternate':
      throw notSupported(`identifiers of the scheme ${expression.scheme} are not known here`, expression.at);
    case 'and':
    case 'or':
      return yield* joined(expression, context);
    case 'minus': {
      const from = yield* context.evaluate(expression.from);
      return withoutBits(from, yield* context.evaluate(expression.without));
    }
    case 'related': {
      const of = yield* context.evaluate(expression.of);
      const found = yield* relatives(model, expression.operator, of);
      const isOfSet = expression.operator === 'top' || expression.operator === 'bottom';
      return isOfSet ? found : andBits(found, yield* activeConcepts(model));
    }
    case 'members':
      return yield* membersOf(expression, context);
    default:
      return yield* narrowed(expression, context);
  }
}

type Narrowing = Extract<Expression, { kind: 'refined' | 'dotted' | 'descriptions' | 'concepts' | 'history' }>;

/** Expressions that begin with the concepts of another one. */
function* narrowed(expression: Narrowing, context: EclContext): Steps<Bitset> {
  const of = yield* context.evaluate(expression.of);
  switch (expression.kind) {
    case 'refined':
      return yield* refine(of, expression.refinement, context);
    case 'dotted':
      return yield* valuesOf(of, expression.attribute, context);
    case 'descriptions':
      return yield* filterByDescriptions(of, expression.filters, context);
    case 'concepts':
      return yield* filterConcepts(of, expression.filters, context);
    case 'history':
      return yield* withHistory(of, expression.profile, context);
    default:
      return expression satisfies never;
  }
}

function only({ id, at }: ConceptReference, model: CodeSystemModel): Bitset {
  const place = model.find(id);
  if (place === -1) {
    const message = `${model.meta.url} has no code ${id}, which the expression constraint names at character ${at}`;
    throw new TerminologyError('invalid', message, 'vs-invalid');
  }
  const bits = emptyBitset(model.size);
  addBit(bits, place);
  return bits;
}

function* joined(
  { kind, parts }: Extract<Expression, { kind: 'and' | 'or' }>,
  { evaluate: inner, model }: EclContext,
): Steps<Bitset> {
  const join = kind === 'and' ? andBits : orBits;
  let found = kind === 'and' ? fullBitset(model.size) : emptyBitset(model.size);
  for (const part of parts) found = join(found, yield* inner(part));
  return found;
}

/** The values of the attributes, as far as they are concepts. */
function* valuesOf(of: Bitset, attribute: Expression, context: EclContext): Steps<Bitset> {
  const { model } = context;
  const { relations } = model;
  const types = yield* typeFlags(attribute, context);
  const found = emptyBitset(model.size);
  if (relations.isEmpty) return found;
  yield* eachMember(of, (place) => {
    for (let at = relations.starts[place] ?? 0; at < (relations.starts[place + 1] ?? 0); at += 1) {
      const target = relations.targets[at] ?? -1;
      if (target >= 0 && types[relations.typeOf(at)] === 1) addBit(found, target);
    }
  });
  return found;
}
