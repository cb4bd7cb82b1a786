// The limits of an answer: which a kind of item has, read and set as what is typed. What cannot be read is kept as
// text, so that nothing typed is lost; ./issues.ts names it.
import type { Coding } from 'fhir/r5';
import { type ExtensionValue, extensionsOf, valueIn, withExtension } from './extensions.ts';
import type { Kind } from './kinds.ts';
import type { Item } from './tree.ts';

const EXTENSIONS = {
  min: 'minValue',
  max: 'maxValue',
  decimals: 'maxDecimalPlaces',
  minLength: 'minLength',
  maxSize: 'maxSize',
  minAnswers: 'questionnaire-minOccurs',
  maxAnswers: 'questionnaire-maxOccurs',
} as const;

export type LimitName = keyof typeof EXTENSIONS | 'maxLength';

const BY_KIND: Partial<Readonly<Record<Kind, readonly LimitName[]>>> = {
  integer: ['min', 'max'],
  decimal: ['min', 'max', 'decimals'],
  quantity: ['min', 'max', 'decimals'],
  date: ['min', 'max'],
  dateTime: ['min', 'max'],
  time: ['min', 'max'],
  string: ['minLength', 'maxLength'],
  text: ['minLength', 'maxLength'],
};

/** The limits that an item of the kind may have; how many answers, where it has several. */
export function limitsOf({ type, repeats }: Pick<Item, 'type' | 'repeats'>): LimitName[] {
  return [...(BY_KIND[type] ?? []), ...(repeats === true ? (['minAnswers', 'maxAnswers'] as const) : [])];
}

/** How the value of a limit is typed: a whole number, any number, or the control of a day or a time. */
export function inputOf(
  { type }: Pick<Item, 'type'>,
  name: LimitName,
): 'whole' | 'number' | 'date' | 'dateTime' | 'time' {
  if (name !== 'min' && name !== 'max') return 'whole';
  if (type === 'date' || type === 'dateTime' || type === 'time') return type;
  return type === 'integer' ? 'whole' : 'number';
}

/** As it is typed; numbers with a comma. */
export function limitText(item: Item, name: LimitName): string {
  const value = name === 'maxLength' ? item.maxLength : valueIn(extensionsOf(item, EXTENSIONS[name])[0]);
  const bare = typeof value === 'object' && value !== null && 'value' in value ? value.value : value;
  if (typeof bare === 'number') return String(bare).replace('.', ',');
  return typeof bare === 'string' ? bare : '';
}

/** An empty text takes the limit away. */
export function withLimit(item: Item, name: LimitName, text: string): Item {
  if (name === 'maxLength') {
    const { maxLength: _, ...rest } = item;
    const [value] = text === '' ? [] : [valueFrom(item, name, text)];
    return value?.valueInteger === undefined ? rest : { ...rest, maxLength: value.valueInteger };
  }
  return withExtension(item, EXTENSIONS[name], text.trim() === '' ? [] : [valueFrom(item, name, text.trim())]);
}

function valueFrom(item: Item, name: LimitName, text: string): ExtensionValue {
  switch (inputOf(item, name)) {
    case 'date':
      return { valueDate: text };
    case 'dateTime':
      return { valueDateTime: text };
    case 'time':
      return { valueTime: text.length === 5 ? `${text}:00` : text };
    case 'whole': {
      const number = numberFrom(text);
      if (number === undefined || !Number.isInteger(number)) return { valueString: text };
      return { valueInteger: number };
    }
    case 'number': {
      const number = numberFrom(text);
      if (number === undefined) return { valueString: text };
      const [unit] = unitsOf(item);
      return item.type === 'quantity' ? { valueQuantity: quantityOf(number, unit) } : { valueDecimal: number };
    }
  }
}

/** With a comma or a point; undefined for no number. */
export function numberFrom(text: string): number | undefined {
  const plain = text.trim().replace(',', '.').replace('\u2212', '-');
  return /^-?\d+(?:\.\d+)?$/.test(plain) ? Number(plain) : undefined;
}

export function quantityOf(value: number, unit: Coding | undefined) {
  const { system, code, display } = unit ?? {};
  return {
    value,
    ...(display === undefined ? {} : { unit: display }),
    ...(system === undefined || code === undefined ? {} : { system, code }),
  };
}

/** The units of a measured value, the first of which is offered first. */
export function unitsOf(item: Item): Coding[] {
  return ['questionnaire-unit', 'questionnaire-unitOption'].flatMap((name) =>
    extensionsOf(item, name).flatMap(({ valueCoding }) => valueCoding ?? []),
  );
}

/** Limits are in the first unit, so they follow it. */
export function withUnits(item: Item, units: readonly Coding[]): Item {
  const plain = withExtension(item, 'questionnaire-unit', []);
  const next = withExtension(
    plain,
    'questionnaire-unitOption',
    units.map((valueCoding) => ({ valueCoding })),
  );
  return withLimit(withLimit(next, 'min', limitText(item, 'min')), 'max', limitText(item, 'max'));
}

export function patternOf(item: Item): string {
  const [found] = extensionsOf(item, 'regex');
  return found?.valueString ?? '';
}

/** How the text has to be written, and an example that is shown in the field. */
export function withPattern(item: Item, pattern: string, example: string): Item {
  const patterned = withExtension(item, 'regex', pattern === '' ? [] : [{ valueString: pattern }]);
  return withExtension(patterned, 'entryFormat', example === '' ? [] : [{ valueString: example }]);
}

export function exampleOf(item: Item): string {
  return extensionsOf(item, 'entryFormat')[0]?.valueString ?? '';
}
