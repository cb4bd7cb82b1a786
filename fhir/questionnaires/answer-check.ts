// Checks the value of one answer against its question: type, options, unit and limits
// (hl7.org/fhir/R5/questionnaire-definitions.html#Questionnaire.item; hl7.org/fhir/extensions).
import { linearPattern, UnusablePattern } from '#fhir/fhirpath/linear-pattern.ts';
import { writtenText } from '#fhir/json/written-numbers.ts';
import { isJsonObject, type JsonObject } from '#fhir/patch/json-tree.ts';
import { answerValue, codeKey, keyOf, orderOfValues, valueNameOf } from './answer-values.ts';
import { extensionValues, type FormDefinition } from './form-definition.ts';

const TYPES: Readonly<Record<string, string>> = {
  boolean: 'valueBoolean',
  decimal: 'valueDecimal',
  integer: 'valueInteger',
  date: 'valueDate',
  dateTime: 'valueDateTime',
  time: 'valueTime',
  string: 'valueString',
  text: 'valueString',
  url: 'valueUri',
  coding: 'valueCoding',
  attachment: 'valueAttachment',
  reference: 'valueReference',
  quantity: 'valueQuantity',
};

/** A fault of a value, as what must be, and FHIR's issue-type. */
export interface ValueFault {
  readonly message: string;
  readonly code: string;
}

/** The faults of one answer to the question. */
export function valueFaults(question: JsonObject, answer: JsonObject, form: FormDefinition): ValueFault[] {
  const name = valueNameOf(answer);
  if (name === undefined) return [{ message: 'must have a value', code: 'required' }];
  const isOption = form.optionsOf(question)?.has(keyOf(answerValue(answer)));
  const constraint = question['answerConstraint'] ?? 'optionsOnly';
  if (isOption === false && constraint === 'optionsOrString' && name === 'valueString') return [];
  const wanted = TYPES[String(question['type'])];
  if (name !== wanted) return [{ message: `must be answered by ${wanted ?? 'nothing'}, not ${name}`, code: 'value' }];
  if (isOption === false && constraint !== 'optionsOrType')
    return [{ message: 'must be one of the options', code: 'code-invalid' }];
  return [
    ...rangeFaults(question, answerValue(answer)),
    ...textFaults(question, answerValue(answer)),
    ...decimalFaults(question, answer, name),
    ...partFaults(question, answerValue(answer), form),
  ];
}

function limit(question: JsonObject, name: string): unknown {
  return extensionValues(question, name)[0];
}

function rangeFaults(question: JsonObject, value: unknown): ValueFault[] {
  const [least, most] = [limit(question, 'minValue'), limit(question, 'maxValue')];
  return [
    ...(least === undefined ? [] : boundFaults(value, least, { isLeast: true })),
    ...(most === undefined ? [] : boundFaults(value, most, { isLeast: false })),
  ];
}

function boundFaults(value: unknown, bound: unknown, { isLeast }: { readonly isLeast: boolean }): ValueFault[] {
  const order = orderOfValues(value, bound);
  if (isLeast ? order >= 0 : order <= 0) return [];
  return [{ message: `must be at ${isLeast ? 'least' : 'most'} ${shown(bound)}`, code: 'value' }];
}

function shown(bound: unknown): string {
  if (!isJsonObject(bound)) return String(bound);
  return [bound['value'], bound['unit'] ?? bound['code']].filter((part) => part !== undefined).join(' ');
}

function textFaults(question: JsonObject, value: unknown): ValueFault[] {
  if (typeof value !== 'string') return [];
  const faults: ValueFault[] = [];
  const [longest, shortest, pattern] = [question['maxLength'], limit(question, 'minLength'), limit(question, 'regex')];
  if (typeof longest === 'number' && value.length > longest)
    faults.push({ message: `must have at most ${longest} characters`, code: 'too-long' });
  if (typeof shortest === 'number' && value.length < shortest)
    faults.push({ message: `must have at least ${shortest} characters`, code: 'value' });
  if (typeof pattern === 'string' && !isMatch(pattern, value))
    faults.push({ message: `must match the pattern ${pattern}`, code: 'value' });
  return faults;
}

/** A pattern that cannot be run in linear time refuses nothing: it is the author's fault, not the patient's. */
function isMatch(pattern: string, text: string): boolean {
  try {
    return linearPattern(`^(?:${pattern})$`).matches(text);
  } catch (error) {
    if (error instanceof UnusablePattern) return true;
    throw error;
  }
}

function decimalFaults(question: JsonObject, answer: JsonObject, name: string): ValueFault[] {
  const places = limit(question, 'maxDecimalPlaces');
  const value = answer[name];
  if (typeof places !== 'number' || value === undefined) return [];
  const [holder, member, number] = isJsonObject(value) ? [value, 'value', value['value']] : [answer, name, value];
  if (typeof number !== 'number') return [];
  const given = writtenText(holder, member, number).split('.')[1]?.length ?? 0;
  return given <= places ? [] : [{ message: `must have at most ${places} decimals`, code: 'value' }];
}

/** The unit of a quantity, what an attachment is, and what a reference leads to. */
function partFaults(question: JsonObject, value: unknown, { unitsOf }: FormDefinition): ValueFault[] {
  if (!isJsonObject(value)) return [];
  const faults: ValueFault[] = [];
  const units = unitsOf(question);
  if (units !== undefined && !units.has(codeKey(value['system'], value['code'])))
    faults.push({ message: 'must be given in one of the units', code: 'value' });
  const largest = limit(question, 'maxSize');
  if (typeof largest === 'number' && Number(value['size'] ?? 0) > largest)
    faults.push({ message: `must have at most ${largest} bytes`, code: 'too-long' });
  const media = extensionValues(question, 'mimeType');
  if (media.length > 0 && !media.includes(value['contentType']))
    faults.push({ message: `must be of the type ${media.join(' or ')}`, code: 'value' });
  const targets = extensionValues(question, 'questionnaire-referenceResource');
  if (targets.length > 0 && !targets.some((type) => String(value['reference']).startsWith(`${String(type)}/`)))
    faults.push({ message: `must refer to a ${targets.join(' or ')}`, code: 'value' });
  return faults;
}
