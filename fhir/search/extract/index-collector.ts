// Collects the values of search parameters as distinct index rows.
import { canonicalRange, UCUM } from '#fhir/ucum/canonical-quantity.ts';
import { parseReference, unversionedUrl } from '../../resources/references.ts';
import type { SearchParameter, SearchParameters } from '../parameters/definitions.ts';
import { multipleDatesRow } from './dated-codes.ts';
import type { ParameterKeys } from './derived-keys.ts';
import { DistinctRows, DistinctTexts } from './distinct-rows.ts';
import { nameKey, resourceKey, systemKey, urlKey } from './keys.ts';
import type { DateRow, QuantityRow, ReferenceRow, SearchValues, StringRow, TokenRow, UriRow } from './search-values.ts';
import { sortText } from './sort-text.ts';
import type { IndexValue, QuantityValue, StringValue } from './values.ts';

/** Up to this many rows are compared one by one, which is cheaper than a map of their texts. */
const FEW = 64;

/** The parameters and settings by which a resource is read. */
export type Reading = Pick<SearchParameters, 'extraction' | 'baseUrl' | 'sortLanguage'>;

/** A URI, and whether a version was removed from its end. */
interface CutUri extends UriRow {
  readonly isCut: boolean;
}

export class IndexCollector {
  readonly #reading: Reading;
  readonly #compartment: ReadonlySet<number>;
  readonly #tokens = new DistinctRows<TokenRow>(isSameToken);
  readonly #references = new DistinctRows<ReferenceRow>(isSameReference);
  readonly #strings = new DistinctRows<StringRow>(isSameString);
  readonly #dates = new DistinctRows<DateRow>(isSameDate);
  readonly #quantities = new DistinctRows<QuantityRow>(isSameQuantity);
  readonly #uris = new DistinctRows<CutUri>(isSameUri);
  readonly #dateParameters = new Set<SearchParameter>();
  /** Ids of the patients to which parameters of the compartment refer. */
  readonly patients = new DistinctTexts();

  /** @param compartment keys of the parameters that define a patient's compartment */
  constructor(reading: Reading, compartment: ReadonlySet<number>) {
    this.#reading = reading;
    this.#compartment = compartment;
  }

  /** Adds a value of a parameter. */
  readonly take = (keys: ParameterKeys, value: IndexValue): void => {
    const { rows: param, mask } = keys;
    switch (value.kind) {
      case 'token':
        this.#tokens.add({ param, system: systemKey(value.system), code: value.code, mask });
        break;
      case 'ofType':
        this.#tokens.add({ param: keys.ofType, system: systemKey(value.system), code: value.code, mask });
        break;
      case 'identifier':
        this.#tokens.add({ param: keys.identifier, system: systemKey(value.system), code: value.code, mask });
        break;
      case 'string':
        this.#strings.add(this.#stringRow({ param, mask }, value));
        break;
      case 'text': {
        const { value: text, whole } = value;
        this.#strings.add({ param: keys.text, value: text, exact: undefined, whole, sort: undefined, mask });
        break;
      }
      case 'date':
        this.#dates.add({ param, low: value.low, high: value.high });
        this.#dateParameters.add(keys.parameter);
        break;
      case 'quantity':
        this.#addQuantity(keys, value);
        break;
      case 'uri':
        this.#uris.add({ param, value: value.value, isCut: value.isCut });
        break;
      case 'reference':
        this.#addAddress(param, value.reference);
        break;
      default:
        value satisfies never;
    }
  };

  #stringRow({ param, mask }: Pick<StringRow, 'param' | 'mask'>, { value, exact, whole }: StringValue): StringRow {
    const sort = exact === undefined ? undefined : sortText(exact, this.#reading.sortLanguage);
    return { param, value, exact, whole, sort: sort === value ? undefined : sort, mask };
  }

  addReference(row: ReferenceRow): void {
    this.#references.add(row);
  }

  /** The rows of all collected values; the caller adds composites. */
  values(): SearchValues {
    const { extraction, baseUrl, sortLanguage } = this.#reading;
    return {
      tokens: this.#tokens.rows,
      references: this.#references.rows,
      strings: withoutRepeats(this.#strings.rows),
      dates: this.#datesWithMarks(),
      quantities: this.#quantities.rows,
      uris: this.#uriRows(),
      composites: [],
      patients: this.patients.texts,
      extraction,
      baseUrl,
      sortLanguage,
    };
  }

  /** A quantity in a UCUM unit has a row in base units too. */
  #addQuantity({ rows, mask, canonical: param }: ParameterKeys, value: QuantityValue): void {
    const { low, high, system, code, unit } = value;
    this.#quantities.add({ param: rows, low, high, system: systemKey(system), code, unit, mask });
    const canonical = system === UCUM && code !== undefined ? canonicalRange(low, high, code) : undefined;
    if (canonical === undefined) return;
    this.#quantities.add({
      param,
      low: canonical.low,
      high: canonical.high,
      system: systemKey(undefined),
      code: canonical.unit,
      unit: undefined,
      mask,
    });
  }

  /** A resource of this server is indexed by its relative URL only, so that it occurs once. */
  #addAddress(param: number, text: string): void {
    const reference = parseReference(text, this.#reading.baseUrl);
    if (reference?.kind === 'relative') {
      const { type, id } = reference;
      this.addReference({ param, targetType: nameKey(type), target: resourceKey(id) });
      if (type === 'Patient' && this.#compartment.has(param)) this.patients.add(id);
    } else if (reference?.kind === 'absolute' || reference?.kind === 'uri') {
      this.addReference({ param, targetType: 0, target: urlKey(unversionedUrl(reference)) });
    }
  }

  /** A resource with several dates for one parameter is marked by a separate row. */
  #datesWithMarks(): DateRow[] {
    const { rows } = this.#dates;
    if (rows.length < 2) return rows;
    const several = [...this.#dateParameters].flatMap((parameter) =>
      multipleDatesRow(
        parameter,
        rows.filter(({ param }) => param === parameter.key),
      ),
    );
    return [...rows, ...several];
  }

  /** A URL that occurs both with and without a version has a row that ends in a bar, which means all versions. */
  #uriRows(): UriRow[] {
    if (this.#uris.rows.length === 0) return [];
    const seen = new Set<string>();
    return this.#uris.rows.map(({ param, value }) => {
      const isThere = seen.has(`${param} ${value}`);
      seen.add(`${param} ${value}`);
      return { param, value: isThere ? `${value}|` : value };
    });
  }
}

/**
 * Removes rows of later words that equal a whole text: "lind" of "per lind" beside the family name. They stay for
 * parameters that do not have the whole text.
 */
function withoutRepeats(rows: StringRow[]): StringRow[] {
  if (rows.every(({ exact }) => exact !== undefined)) return rows;
  const wholeOf = rows.length <= FEW ? bitsAmong(rows) : bitsOfMany(rows);
  return rows.filter((row) => {
    const whole = row.exact === undefined ? wholeOf(row) : undefined;
    return whole === undefined || (row.mask & ~whole) !== 0;
  });
}

/** The bits of a whole text; undefined when there is none. */
type BitsOf = (row: StringRow) => number | undefined;

function bitsAmong(rows: readonly StringRow[]): BitsOf {
  return ({ param, value }) => {
    let bits: number | undefined;
    for (const row of rows) {
      if (row.param === param && row.exact !== undefined && row.value === value) bits = (bits ?? 0) | row.mask;
    }
    return bits;
  };
}

function bitsOfMany(rows: readonly StringRow[]): BitsOf {
  const bits = new Map<string, number>();
  for (const row of rows) {
    if (row.exact !== undefined) bits.set(textOf(row), (bits.get(textOf(row)) ?? 0) | row.mask);
  }
  return (row) => bits.get(textOf(row));
}

function textOf({ param, value }: StringRow): string {
  return `${param} ${value}`;
}

function isSameToken(a: TokenRow, b: TokenRow): boolean {
  return a.param === b.param && a.code === b.code && a.system === b.system;
}

function isSameReference(a: ReferenceRow, b: ReferenceRow): boolean {
  return a.param === b.param && a.target === b.target && a.targetType === b.targetType;
}

function isSameString(a: StringRow, b: StringRow): boolean {
  return a.param === b.param && a.value === b.value && a.exact === b.exact && a.whole === b.whole;
}

function isSameDate(a: DateRow, b: DateRow): boolean {
  return a.param === b.param && a.low === b.low && a.high === b.high;
}

function isSameQuantity(a: QuantityRow, b: QuantityRow): boolean {
  return (
    a.param === b.param &&
    a.low === b.low &&
    a.high === b.high &&
    a.system === b.system &&
    a.code === b.code &&
    a.unit === b.unit
  );
}

function isSameUri(a: CutUri, b: CutUri): boolean {
  return a.param === b.param && a.value === b.value && a.isCut === b.isCut;
}
