// Expressions evaluated in the plainest way, over objects and sets of indexes: the evaluation on columns is compared
// with it.
import type {
  Attribute,
  ComparedValue,
  Comparison,
  ConceptFilter,
  DescriptionFilter,
  Expression,
  HierarchyOperator,
  MemberFilter,
  Refinement,
  SearchTerm,
} from '../syntax.ts';
import type { TestConcept, TestDescription, TestRefset, TestRelation, TestSystem } from './concepts.ts';

type Found = ReadonlySet<number>;

/** The indexes of the concepts, in order. */
export function naively(expression: Expression, system: TestSystem): number[] {
  return [...new Naive(system).evaluate(expression)].sort((a, b) => a - b);
}

class Naive {
  readonly #concepts: readonly TestConcept[];
  readonly #refsets: readonly TestRefset[];

  constructor({ concepts, refsets }: TestSystem) {
    this.#concepts = concepts;
    this.#refsets = refsets;
  }

  evaluate(of: Expression): Found {
    switch (of.kind) {
      case 'concept':
        return new Set([this.#find(of.id)]);
      case 'any':
        return new Set(this.#concepts.keys());
      case 'and':
        return of.parts.map((part) => this.evaluate(part)).reduce((a, b) => a.intersection(b));
      case 'or':
        return of.parts.map((part) => this.evaluate(part)).reduce((a, b) => a.union(b));
      case 'minus':
        return this.evaluate(of.from).difference(this.evaluate(of.without));
      case 'related':
        return this.#related(of.operator, this.evaluate(of.of));
      case 'members': {
        const refsets = this.evaluate(of.of);
        const members = this.#refsets
          .filter(({ code }) => refsets.has(this.#find(code)))
          .flatMap(({ members: all }) =>
            all.filter((member) => of.filters.every((each) => this.#isMember(member, each))),
          );
        return new Set(members.map(({ concept }) => concept));
      }
      case 'refined':
        return this.#where(this.evaluate(of.of), (concept, place) => this.#refines(of.refinement, concept, place));
      case 'dotted': {
        const types = this.evaluate(of.attribute);
        const relations = [...this.evaluate(of.of)].flatMap((place) => this.#concepts[place]?.relations ?? []);
        const found = relations.filter(({ type }) => types.has(this.#find(type)));
        return new Set(found.flatMap(({ target }) => (typeof target === 'number' ? [target] : [])));
      }
      case 'descriptions':
        return this.#where(this.evaluate(of.of), ({ descriptions }) =>
          descriptions.some((description) => of.filters.every((each) => this.#isDescribed(description, each))),
        );
      case 'concepts':
        return this.#where(this.evaluate(of.of), (concept) => of.filters.every((each) => this.#isSuch(concept, each)));
      case 'history': {
        const base = this.evaluate(of.of);
        const refsets = typeof of.profile === 'string' ? new Set<number>() : this.evaluate(of.profile);
        const added = this.#refsets
          .filter(({ code, fields }) => refsets.has(this.#find(code)) && fields[0] === 'targetComponentId')
          .flatMap(({ members }) => members.filter(({ values: [target] }) => base.has(Number(target))));
        return base.union(new Set(added.map(({ concept }) => concept)));
      }
      default:
        throw new Error(`${of.kind} is not evaluated`);
    }
  }

  #find(code: string): number {
    return this.#concepts.findIndex((concept) => concept.code === code);
  }

  #where(of: Found, holds: (concept: TestConcept, place: number) => boolean): Found {
    return new Set(
      [...of].filter((place) => this.#concepts[place] !== undefined && holds(this.#concepts[place], place)),
    );
  }

  #parents(place: number): Found {
    return new Set(this.#concepts[place]?.parents);
  }

  #ancestors(place: number): Found {
    const parents = this.#parents(place);
    return [...parents].reduce<Found>((found, parent) => found.union(this.#ancestors(parent)), parents);
  }

  #related(operator: HierarchyOperator, of: Found): Found {
    const everywhere = [...this.#concepts.keys()];
    const under = (above: (place: number) => Found) =>
      new Set(everywhere.filter((place) => !above(place).isDisjointFrom(of)));
    const over = (above: (place: number) => Found) =>
      [...of].reduce<Found>((found, place) => found.union(above(place)), new Set());
    const [parents, ancestors] = [(place: number) => this.#parents(place), (place: number) => this.#ancestors(place)];
    const active = (found: Found) => this.#where(found, ({ isActive }) => isActive);
    switch (operator) {
      case 'childOf':
        return active(under(parents));
      case 'childOrSelfOf':
        return active(under(parents).union(of));
      case 'descendantOf':
        return active(under(ancestors));
      case 'descendantOrSelfOf':
        return active(under(ancestors).union(of));
      case 'parentOf':
        return active(over(parents));
      case 'parentOrSelfOf':
        return active(over(parents).union(of));
      case 'ancestorOf':
        return active(over(ancestors));
      case 'ancestorOrSelfOf':
        return active(over(ancestors).union(of));
      case 'top':
        return of.difference(under(ancestors));
      case 'bottom':
        return of.difference(over(ancestors));
      default:
        return operator satisfies never;
    }
  }

  #refines(of: Refinement, concept: TestConcept, place: number): boolean {
    switch (of.kind) {
      case 'and':
        return of.parts.every((part) => this.#refines(part, concept, place));
      case 'or':
        return of.parts.some((part) => this.#refines(part, concept, place));
      case 'attribute':
        return isWithin(of, of.isReverse ? this.#sources(of, place) : this.#count(of, concept.relations));
      case 'group': {
        const groups = [...Map.groupBy(concept.relations, (each) => (each.group === 0 ? each : each.group)).values()];
        return isWithin(of, groups.filter((group) => this.#holdsInGroup(of.of, group)).length);
      }
      default:
        return of satisfies never;
    }
  }

  #holdsInGroup(of: Refinement, group: readonly TestRelation[]): boolean {
    switch (of.kind) {
      case 'and':
        return of.parts.every((part) => this.#holdsInGroup(part, group));
      case 'or':
        return of.parts.some((part) => this.#holdsInGroup(part, group));
      case 'attribute':
        return isWithin(of, this.#count(of, group));
      default:
        throw new Error('There is no group within a group');
    }
  }

  #count({ name, value }: Attribute, relations: readonly TestRelation[]): number {
    const types = this.evaluate(name);
    return relations.filter(({ type, target }) => types.has(this.#find(type)) && this.#hasValue(value, target)).length;
  }

  #hasValue(value: ComparedValue, target: number | string): boolean {
    if (value.kind === 'expression') {
      if (value.of.kind === 'any') return !value.isNot;
      return typeof target === 'number' && this.evaluate(value.of).has(target) !== value.isNot;
    }
    if (typeof target === 'number') return false;
    switch (value.kind) {
      case 'number':
        return target.startsWith('#') && compares(value.comparison, Number(target.slice(1)), value.value);
      case 'text':
        return target.startsWith('"') && value.terms.some((term) => matches(term, target.slice(1, -1))) !== value.isNot;
      case 'boolean':
        return /^(?:true|false)$/i.test(target) && (target.toLowerCase() === String(value.value)) !== value.isNot;
      default:
        return false;
    }
  }

  #sources({ name, value }: Attribute, place: number): number {
    if (value.kind !== 'expression') throw new Error('A reversed attribute has concepts as values');
    const [types, of] = [this.evaluate(name), this.evaluate(value.of)];
    return this.#concepts.filter(
      ({ relations }, source) =>
        of.has(source) !== value.isNot &&
        relations.some(({ type, target }) => types.has(this.#find(type)) && target === place),
    ).length;
  }

  #isSuch(concept: TestConcept, filter: ConceptFilter): boolean {
    switch (filter.kind) {
      case 'active':
        return concept.isActive === filter.isActive;
      case 'definitionStatus':
        return isOne(filter.of, concept.isDefined ? '900000000000073002' : '900000000000074008') !== filter.isNot;
      default:
        return isOfRelease(concept, filter);
    }
  }

  #isDescribed(description: TestDescription, filter: DescriptionFilter): boolean {
    switch (filter.kind) {
      case 'term':
        return filter.terms.some((term) => matches(term, description.term)) !== filter.isNot;
      case 'language':
        return filter.codes.includes(description.language) !== filter.isNot;
      case 'type':
        return isOne(filter.of, description.type) !== filter.isNot;
      case 'dialect': {
        const ids = { 'en-us': '900000000000509007', 'sv-se': '46011000052107' } as const;
        const isIn = filter.dialects.some(({ refset, acceptabilities: [...wanted] }) =>
          description.dialects.some(
            (each) =>
              ids[refset as keyof typeof ids] === each.refset &&
              (wanted.length === 0 || wanted.includes(each.isPreferred ? '900000000000548007' : '900000000000549004')),
          ),
        );
        return isIn !== filter.isNot;
      }
      case 'active':
      case 'id':
        throw new Error(`${filter.kind} is not evaluated`);
      default:
        return isOfRelease(description, filter);
    }
  }

  #isMember(member: TestRefset['members'][number], filter: MemberFilter): boolean {
    if (filter.kind === 'field') return this.#hasValue(filter.value, member.concept);
    if (filter.kind === 'active') return filter.isActive === true;
    return isOfRelease(member, filter);
  }
}

function isWithin({ cardinality: { min, max } }: Pick<Attribute, 'cardinality'>, count: number): boolean {
  return count >= min && count <= max;
}

function isOne(of: Expression, id: string): boolean {
  return of.kind === 'concept' && of.id === id;
}

function compares(comparison: Comparison, a: number, b: number): boolean {
  return { '=': a === b, '!=': a !== b, '<': a < b, '<=': a <= b, '>': a > b, '>=': a >= b }[comparison];
}

function isOfRelease(
  { moduleId, effectiveTime }: { readonly moduleId: string; readonly effectiveTime: string },
  filter: Extract<ConceptFilter, { kind: 'module' | 'time' }>,
): boolean {
  if (filter.kind === 'module') return isOne(filter.of, moduleId) !== filter.isNot;
  const verdicts = filter.values.map((value) => compares(filter.comparison, Number(effectiveTime), Number(value)));
  return filter.comparison === '!=' ? verdicts.every(Boolean) : verdicts.some(Boolean);
}

/** Words without accents and case; the test's terms have no other letters. */
function plain(text: string): string {
  return text.toLowerCase().replaceAll('ä', 'a');
}

function matches(term: SearchTerm, text: string): boolean {
  if (term.kind === 'match') {
    const found = plain(text).split(/[^a-z]+/);
    return term.words
      .flatMap((word) => plain(word).split(/[^a-z]+/))
      .every((word) => word === '' || found.some((each) => each.startsWith(word)));
  }
  const pattern = term.parts.map((part) => part.toLowerCase().replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('.*');
  return new RegExp(`^${pattern}$`, 's').test(text.toLowerCase());
}
