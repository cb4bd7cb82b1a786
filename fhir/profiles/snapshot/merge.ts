// Merges the rules of a differential into those of the element that they constrain (hl7.org/fhir/R5/profiling.html).
import type { ConstraintJson, ElementRules, TypeJson } from './structure.ts';

/** The merged rules of an element; `source` is the profile that adds constraints. */
export function mergeRules(base: ElementRules, own: ElementRules, source: string): ElementRules {
  return {
    ...base,
    ...own,
    ...(own['definition'] === undefined ? {} : { definition: continued(base['definition'], own['definition']) }),
    ...(own.slicing === undefined ? {} : { slicing: { ...base.slicing, ...own.slicing } }),
    ...(own.type === undefined ? {} : { type: own.type.map((type) => keepTargets(type, base.type)) }),
    ...(own.constraint === undefined ? {} : { constraint: mergeConstraints(base.constraint, own.constraint, source) }),
  };
}

/** Each rule of a differential that is wider than the one that it constrains. */
export function widenings(base: ElementRules, own: ElementRules): string[] {
  const issues: string[] = [];
  if (own.min !== undefined && base.min !== undefined && own.min < base.min) {
    issues.push(`has a minimum of ${own.min}, below the ${base.min} of its base`);
  }
  if (own.max !== undefined && maximum(own.max) > maximum(base.max))
    issues.push(`has a maximum of ${own.max}, above the ${base.max} of its base`);
  if (own.min !== undefined && own.min > maximum(own.max ?? base.max)) {
    issues.push(`has a minimum of ${own.min}, above its maximum`);
  }
  for (const { code } of own.type ?? []) {
    if (base.type !== undefined && !base.type.some((each) => each.code === code || isAny(each.code))) {
      issues.push(`has the type ${code}, which its base does not allow`);
    }
  }
  return issues;
}

/** `*` and an absent maximum are infinite. */
export function maximum(max: string | undefined): number {
  return max === undefined || max === '*' ? Number.POSITIVE_INFINITY : Number(max);
}

/** Types that any other may replace: a contained resource, an element of any type, a value of FHIRPath's own types. */
function isAny(code: string): boolean {
  return (
    code.includes(':') || ['Resource', 'DomainResource', 'Element', 'BackboneElement', 'DataType', '*'].includes(code)
  );
}

function keepTargets(type: TypeJson, base: readonly TypeJson[] | undefined): TypeJson {
  const same = base?.find(({ code }) => code === type.code);
  return {
    ...(same?.extension !== undefined && type['extension'] === undefined ? { extension: same['extension'] } : {}),
    ...type,
  };
}

function mergeConstraints(
  base: readonly ConstraintJson[] | undefined,
  own: readonly ConstraintJson[],
  source: string,
): ConstraintJson[] {
  const keys = new Set(own.map(({ key }) => key));
  return [
    ...(base ?? []).filter(({ key }) => !keys.has(key)),
    ...own.map((constraint) => ({ ...constraint, source: constraint.source ?? source })),
  ];
}

/** A text that begins with `...` is appended to that of the base. */
function continued(base: unknown, own: unknown): unknown {
  return typeof own === 'string' && own.startsWith('...') && typeof base === 'string'
    ? `${base}\n${own.slice(3)}`
    : own;
}
