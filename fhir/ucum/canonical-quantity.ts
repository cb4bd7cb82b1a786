// Converts quantities to UCUM's base units, so that a search finds 5.4 mg and 0.0054 g as equal (ucum.org;
// hl7.org/fhir/R5/search.html#quantity).
import { ucum } from './utilities.ts';

export const UCUM = 'http://unitsofmeasure.org';

/** The conversion of a unit to its base units, and the name of these: `g.m-3`. */
interface Conversion {
  readonly factor: number;
  readonly offset: number;
  readonly unit: string;
}

export interface CanonicalRange {
  readonly low: number;
  readonly high: number;
  readonly unit: string;
}

/** Units in the cache; it is bounded, as clients may send any number of units. */
const MAX_CACHED = 5000;
const MAX_LENGTH = 100;
/** Digits that are kept: further digits are the rounding error of the conversion. */
const DIGITS = 12;

const conversions = new Map<string, Conversion | undefined>();

/**
 * A range of numbers of a UCUM unit in base units. Undefined for a code that UCUM does not know, and for units that are
 * not proportional to an amount (logarithms, arbitrary units). Such quantities compare only as written.
 */
export function canonicalRange(low: number, high: number, code: string): CanonicalRange | undefined {
  const conversion = conversionOf(code);
  if (conversion === undefined) return undefined;
  const convert = (value: number) => Number((value * conversion.factor + conversion.offset).toPrecision(DIGITS));
  const first = convert(low);
  return { low: first, high: low === high ? first : convert(high), unit: conversion.unit };
}

function conversionOf(code: string): Conversion | undefined {
  const known = conversions.get(code);
  if (known !== undefined || conversions.has(code)) return known;
  const computed = code.length > MAX_LENGTH ? undefined : computeConversion(code);
  if (conversions.size >= MAX_CACHED) conversions.clear();
  conversions.set(code, computed);
  return computed;
}

/**
 * Degrees Celsius and Fahrenheit have an offset. Three points test whether the conversion is linear; a unit that is not
 * has no base units here.
 */
function computeConversion(code: string): Conversion | undefined {
  const [zero, one, two] = [0, 1, 2].map((value) => inBaseUnits(code, value));
  if (zero === undefined || one === undefined || two === undefined) return undefined;
  const factor = one.magnitude - zero.magnitude;
  const isLine = Math.abs(two.magnitude - zero.magnitude - 2 * factor) <= 1e-9 * Math.abs(two.magnitude);
  if (!isLine || !(factor > 0) || !Number.isFinite(factor)) return undefined;
  // Without an offset the factor is exact; with one it has the rounding error of a difference.
  return zero.magnitude === 0
    ? { factor: one.magnitude, offset: 0, unit: one.unit }
    : { factor: Number(factor.toPrecision(DIGITS)), offset: zero.magnitude, unit: one.unit };
}

function inBaseUnits(code: string, value: number): { readonly magnitude: number; readonly unit: string } | undefined {
  const { status, magnitude, unitToExp } = ucum().convertToBaseUnits(code, value);
  if (status !== 'succeeded' || magnitude === undefined || unitToExp === undefined) return undefined;
  const unit = Object.entries(unitToExp)
    .filter(([, exponent]) => exponent !== 0)
    .map(([base, exponent]) => `${base}${exponent === 1 ? '' : exponent}`)
    .sort()
    .join('.');
  return { magnitude, unit: unit === '' ? '1' : unit };
}
