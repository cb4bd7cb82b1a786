// When an item is shown: rules about the answers to other questions, as they are chosen in words.
import type { Coding, QuestionnaireItemEnableWhen } from 'fhir/r5';
import { isQuestion } from './kinds.ts';
import { numberFrom, quantityOf, unitsOf } from './limits.ts';
import { everyItem, type Item, itemAt } from './tree.ts';

export type ShowRule = QuestionnaireItemEnableWhen;

/** As they are chosen; the first two of them are FHIR's `exists`. */
export type Operator = 'answered' | 'unanswered' | '=' | '!=' | '>' | '<' | '>=' | '<=';

const ORDERED: readonly Operator[] = ['=', '!=', '>', '<', '>=', '<=', 'answered', 'unanswered'];
const EQUAL: readonly Operator[] = ['=', '!=', 'answered', 'unanswered'];
const PRESENT: readonly Operator[] = ['answered', 'unanswered'];

/** The codes of a code list are not in the form, so its answers are not compared. */
export function operatorsFor({ type, answerValueSet }: Pick<Item, 'type' | 'answerValueSet'>): readonly Operator[] {
  if (answerValueSet !== undefined) return PRESENT;
  switch (type) {
    case 'boolean':
    case 'coding':
    case 'string':
      return EQUAL;
    case 'integer':
    case 'decimal':
    case 'quantity':
    case 'date':
    case 'time':
      return ORDERED;
    default:
      return PRESENT;
  }
}

/** The questions of which a rule of the item may speak: all but itself and what is within it. */
export function questionsFor(items: readonly Item[], id: string): Item[] {
  const own = itemAt(items, id);
  const within = new Set(own === undefined ? [] : everyItem([own]).map(({ linkId }) => linkId));
  return everyItem(items).filter((item) => isQuestion(item) && !within.has(item.linkId));
}

export function operatorOf(rule: ShowRule): Operator {
  if (rule.operator !== 'exists') return rule.operator;
  return rule.answerBoolean === false ? 'unanswered' : 'answered';
}

/** A rule about a question as it is at first: of a question with yes and no, that the answer is yes. */
export function ruleAbout(question: Item): ShowRule {
  const [operator = 'answered'] = operatorsFor(question);
  const rule = withOperator({ question: question.linkId, operator: 'exists' }, question, operator);
  return question.type === 'boolean' ? { ...rule, answerBoolean: true } : rule;
}

/** The answer that it is compared with stays, where there is one. */
export function withOperator(rule: ShowRule, question: Item, operator: Operator): ShowRule {
  const { question: linkId } = rule;
  if (operator === 'answered' || operator === 'unanswered')
    return { question: linkId, operator: 'exists', answerBoolean: operator === 'answered' };
  const text = operatorOf(rule) === 'answered' || operatorOf(rule) === 'unanswered' ? '' : answerText(rule);
  return withAnswer({ question: linkId, operator }, question, text);
}

/** What it is compared with, as it is typed or chosen; a code stands for its option. */
export function answerText(rule: ShowRule): string {
  if (rule.answerBoolean !== undefined) return String(rule.answerBoolean);
  if (rule.answerCoding !== undefined) return codingKey(rule.answerCoding);
  const number = rule.answerInteger ?? rule.answerDecimal ?? rule.answerQuantity?.value;
  if (number !== undefined) return String(number).replace('.', ',');
  return rule.answerString ?? rule.answerDate ?? rule.answerTime ?? rule.answerDateTime ?? '';
}

/** A text that is no answer to the question stays as text; ./issues.ts names it. */
export function withAnswer(rule: ShowRule, question: Item, text: string): ShowRule {
  const { question: linkId, operator } = rule;
  const bare = { question: linkId, operator };
  if (text === '') return bare;
  switch (question.type) {
    case 'boolean':
      return { ...bare, answerBoolean: text === 'true' };
    case 'coding': {
      const coding = codingsOf(question).find((each) => codingKey(each) === text);
      return coding === undefined ? bare : { ...bare, answerCoding: plainCoding(coding) };
    }
    case 'date':
      return { ...bare, answerDate: text };
    case 'time':
      return { ...bare, answerTime: text.length === 5 ? `${text}:00` : text };
    case 'integer':
    case 'decimal':
    case 'quantity': {
      const number = numberFrom(text);
      if (number === undefined) return { ...bare, answerString: text };
      if (question.type === 'quantity') return { ...bare, answerQuantity: quantityOf(number, unitsOf(question)[0]) };
      if (question.type === 'decimal') return { ...bare, answerDecimal: number };
      return Number.isInteger(number) ? { ...bare, answerInteger: number } : { ...bare, answerString: text };
    }
    default:
      return { ...bare, answerString: text };
  }
}

/** The item's own answers to choose from. */
export function codingsOf({ answerOption = [] }: Item): Coding[] {
  return answerOption.flatMap(({ valueCoding }) => valueCoding ?? []);
}

export function codingKey({ system = '', code = '' }: Coding): string {
  return `${system}|${code}`;
}

function plainCoding({ system, code, display }: Coding): Coding {
  return {
    ...(system === undefined ? {} : { system }),
    ...(code === undefined ? {} : { code }),
    ...(display === undefined ? {} : { display }),
  };
}

/** Whether the rule has all that it needs to be decided. */
export function isComplete(rule: ShowRule, question: Item): boolean {
  if (rule.operator === 'exists') return rule.answerBoolean !== undefined;
  switch (question.type) {
    case 'boolean':
      return rule.answerBoolean !== undefined;
    case 'coding': {
      const { answerCoding } = rule;
      if (answerCoding === undefined) return false;
      return (
        question.answerValueSet !== undefined ||
        codingsOf(question).some((each) => codingKey(each) === codingKey(answerCoding))
      );
    }
    case 'integer':
      return rule.answerInteger !== undefined;
    case 'decimal':
      return rule.answerDecimal !== undefined;
    case 'quantity':
      return rule.answerQuantity !== undefined;
    default:
      return answerText(rule) !== '';
  }
}

/** Two rules and more need a word of how they are joined. */
export function withRules(item: Item, rules: readonly ShowRule[]): Item {
  const { enableWhen: _, enableBehavior = 'all', ...rest } = item;
  if (rules.length === 0) return rest;
  return { ...rest, enableWhen: [...rules], ...(rules.length > 1 ? { enableBehavior } : {}) };
}
