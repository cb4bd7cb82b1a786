// References to what is under or over a resource, as far as the caller may see the way there
// (hl7.org/fhir/R5/search.html#modifierbelow).
import { nameKey, resourceKey } from '#fhir/search/extract/keys.ts';
import type { Criterion } from '#fhir/search/parse/query.ts';
import { accessCondition } from '../../access.ts';
import type { SqlContext } from './sql-context.ts';

/** A condition on the resource whose row of fhir_resource has the given alias. */
export function hierarchyCondition(
  { parameter, relation, hierarchy, ids }: Extract<Criterion, { kind: 'hierarchy' }>,
  alias: string,
  { values, access }: SqlContext,
): string {
  const { resourceType } = hierarchy;
  const type = values.key(nameKey(resourceType));
  const [known, next] = relation === 'below' ? ['target', 'rid'] : ['rid', 'target'];
  const visible = accessCondition(access(resourceType), resourceType, 'hr', values);
  const step = `SELECT l.${next} FROM reached JOIN fhir_reference l ON l.${known} = reached.rid
      AND l.param = ${values.key(hierarchy.key)} AND l.target_type = ${type}
    JOIN fhir_resource hr ON hr.type = ${type} AND hr.rid = l.${next} AND NOT hr.deleted AND ${visible}`;
  const reached = `WITH RECURSIVE reached(rid) AS (
    SELECT unnest(${values.bind(ids.map(resourceKey), 'uuid[]')}) UNION ${step}) SELECT rid FROM reached`;
  return `EXISTS (SELECT FROM fhir_reference i WHERE i.rid = ${alias}.rid AND i.param = ${values.key(parameter.key)}
    AND i.target_type = ${type} AND i.target IN (${reached}))`;
}
