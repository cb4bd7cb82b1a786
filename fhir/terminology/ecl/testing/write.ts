// Writes the tree of an expression as text, in the brief syntax.
import type {
  Cardinality,
  ComparedValue,
  ConceptFilter,
  DescriptionFilter,
  Expression,
  MemberFilter,
  Refinement,
  SearchTerm,
} from '../syntax.ts';

const SYMBOLS = {
  childOf: '<!',
  childOrSelfOf: '<<!',
  descendantOf: '<',
  descendantOrSelfOf: '<<',
  parentOf: '>!',
  parentOrSelfOf: '>>!',
  ancestorOf: '>',
  ancestorOrSelfOf: '>>',
  top: '!!>',
  bottom: '!!<',
};

export function written(of: Expression): string {
  switch (of.kind) {
    case 'concept':
      return of.id;
    case 'any':
      return '*';
    case 'alternate':
      return `${of.scheme}#${of.code}`;
    case 'and':
    case 'or':
      return of.parts.map(within).join(` ${of.kind} `);
    case 'minus':
      return `${within(of.from)} MINUS ${within(of.without)}`;
    case 'related':
      return `${SYMBOLS[of.operator]} ${within(of.of)}`;
    case 'members':
      return `^ [${of.fields.join()}] ${within(of.of)}${braces('M', of.filters.map(filter))}`;
    case 'refined':
      return `${within(of.of)} : ${refinement(of.refinement)}`;
    case 'dotted':
      return `${within(of.of)} . ${within(of.attribute)}`;
    case 'descriptions':
      return `${within(of.of)}${braces('D', of.filters.map(filter))}`;
    case 'concepts':
      return `${within(of.of)}${braces('C', of.filters.map(filter))}`;
    case 'history':
      return `${within(of.of)} {{ + HISTORY (${typeof of.profile === 'string' ? '*' : written(of.profile)}) }}`;
    default:
      return of satisfies never;
  }
}

function within(of: Expression): string {
  return of.kind === 'concept' || of.kind === 'any' ? written(of) : `(${written(of)})`;
}

function braces(letter: string, filters: readonly string[]): string {
  return filters.length === 0 ? '' : ` {{ ${letter} ${filters.join(', ')} }}`;
}

function times({ min, max }: Cardinality): string {
  return `[${min}..${max === Number.POSITIVE_INFINITY ? '*' : max}]`;
}

function refinement(of: Refinement): string {
  switch (of.kind) {
    case 'and':
    case 'or':
      return of.parts
        .map((part) => (part.kind === 'and' || part.kind === 'or' ? `(${refinement(part)})` : refinement(part)))
        .join(` ${of.kind} `);
    case 'group':
      return `${times(of.cardinality)} { ${refinement(of.of)} }`;
    case 'attribute':
      return `${times(of.cardinality)} ${of.isReverse ? 'R ' : ''}${within(of.name)} ${compared(of.value)}`;
    default:
      return of satisfies never;
  }
}

function equals(isNot: boolean): string {
  return isNot ? '!=' : '=';
}

function compared(value: ComparedValue): string {
  switch (value.kind) {
    case 'expression':
      return `${equals(value.isNot)} ${within(value.of)}`;
    case 'number':
      return `${value.comparison} #${value.value}`;
    case 'text':
      return `${equals(value.isNot)} (${value.terms.map(searchTerm).join(' ')})`;
    case 'boolean':
      return `${equals(value.isNot)} ${value.value}`;
    case 'time':
      return `${value.comparison} (${value.values.map((each) => `"${each}"`).join(' ')})`;
    default:
      return value satisfies never;
  }
}

function searchTerm(term: SearchTerm): string {
  const escaped = (text: string): string => text.replaceAll(/["\\]/g, '\\$&');
  if (term.kind === 'match') return `match:"${term.words.map(escaped).join(' ')}"`;
  return `wild:"${term.parts.map((part) => escaped(part).replaceAll('*', '\\*')).join('*')}"`;
}

function filter(of: DescriptionFilter | ConceptFilter | MemberFilter): string {
  switch (of.kind) {
    case 'term':
      return `term ${equals(of.isNot)} (${of.terms.map(searchTerm).join(' ')})`;
    case 'language':
      return `language ${equals(of.isNot)} (${of.codes.join(' ')})`;
    case 'type':
      return `typeId ${equals(of.isNot)} ${within(of.of)}`;
    case 'definitionStatus':
      return `definitionStatusId ${equals(of.isNot)} ${within(of.of)}`;
    case 'module':
      return `moduleId ${equals(of.isNot)} ${within(of.of)}`;
    case 'id':
      return `id ${equals(of.isNot)} (${of.ids.join(' ')})`;
    case 'active':
      return `active = ${of.isActive === undefined ? '"*"' : of.isActive}`;
    case 'time':
      return `effectiveTime ${compared(of)}`;
    case 'field':
      return `${of.name} ${compared(of.value)}`;
    case 'dialect': {
      const listed = of.dialects.map(({ refset, acceptabilities }) => {
        const name = typeof refset === 'string' ? refset : within(refset);
        return acceptabilities.length === 0 ? name : `${name} (${acceptabilities.join(' ')})`;
      });
      return `dialect ${equals(of.isNot)} (${listed.join(' ')})`;
    }
    default:
      return of satisfies never;
  }
}
