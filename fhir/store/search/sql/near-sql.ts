// Places within a distance (hl7.org/fhir/R5/location.html#positional). A position is in fhir_composite: latitude as
// the first part, longitude as the second.
import type { Criterion, Place } from '#fhir/search/parse/query.ts';
import type { IndexRows } from '../../access.ts';
import type { SqlValues } from './sql-values.ts';
import { anyOf } from './text-sql.ts';

const EARTH_RADIUS = 6_371_008.8;
const METRES_PER_DEGREE = (Math.PI / 180) * EARTH_RADIUS;

/** The index rows of positions near one of the places. */
export function nearIndexRows(
  { parameter, places }: Extract<Criterion, { kind: 'near' }>,
  values: SqlValues,
): IndexRows {
  const conditions = places.map((place) => placeCondition(place, values));
  return {
    table: 'fhir_composite',
    condition: `i.param = ${values.key(parameter.key)} AND i.text1 IS NULL AND ${anyOf(conditions)}`,
  };
}

/** First a rectangle, which the index knows, then the great circle. */
function placeCondition({ latitude, longitude, distance }: Place, values: SqlValues): string {
  const bind = (value: number) => values.bind(value, 'float8');
  const high = distance / METRES_PER_DEGREE;
  const conditions = [`i.low1 BETWEEN ${bind(latitude - high)} AND ${bind(latitude + high)}`];
  const narrowest = Math.cos((Math.min(90, Math.abs(latitude) + high) * Math.PI) / 180);
  const wide = high / Math.max(narrowest, 1e-9);
  // Around a pole, and across the line where the day changes, every longitude may be near.
  if (longitude - wide >= -180 && longitude + wide <= 180) {
    conditions.push(`i.low2 BETWEEN ${bind(longitude - wide)} AND ${bind(longitude + wide)}`);
  }
  const lat = bind(latitude);
  const lon = bind(longitude);
  const half = `power(sind((i.low1 - ${lat}) / 2), 2) + cosd(${lat}) * cosd(i.low1) * power(sind((i.low2 - ${lon}) / 2), 2)`;
  conditions.push(`2 * ${EARTH_RADIUS} * asin(least(1, sqrt(${half}))) <= ${bind(distance)}`);
  return conditions.join(' AND ');
}
