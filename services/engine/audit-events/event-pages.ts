// The usual searches of audit events as statements on the events themselves (docs/adr/0144). They are by patient, agent
// or entity, with dates and codes, newest first or in the order of ids. What a search by index rows reads from several
// views is in one row here.
import { nameKey, resourceKey } from '#fhir/search/extract/keys.ts';
import type { Criterion, SearchQuery } from '#fhir/search/parse/query.ts';
import { shortColumns } from '#fhir/store/read/long-texts.ts';
import type {
  CountOfEvents,
  CountStatement,
  DirectSearch,
  DirectStatement,
  KeyPart,
  PageOfEvents,
} from '#fhir/store/search/key-parts.ts';
import { indexRows } from '#fhir/store/search/sql/index-rows.ts';
import { dateCondition } from '#fhir/store/search/sql/range-sql.ts';
import { SqlValues } from '#fhir/store/search/sql/sql-values.ts';
import { anyOf } from '#fhir/store/search/sql/text-sql.ts';

type Reference = Extract<Criterion, { kind: 'reference' }>;
type DateCriterion = Extract<Criterion, { kind: 'date' }>;
type Token = Extract<Criterion, { kind: 'token' }>;

/** What is read from: the events of some months as rows of access_event, and the same of access_event_value. */
export interface EventTables {
  of(table: 'access_event' | 'access_event_value', parts: readonly KeyPart[] | undefined): string;
  /** The SELECT of the view fhir_resource_all that makes resources of the rows `access_event e`. */
  readonly resources: string;
}

/** The condition that an index answers: of a patient in the order of time, of others in the order of ids. */
type Base = { readonly by: 'patient' | 'agent' | 'entity'; readonly criterion: Reference } | undefined;

interface Asked {
  readonly base: Base;
  readonly references: readonly Reference[];
  readonly dates: readonly DateCriterion[];
  readonly tokens: readonly Token[];
  /** Undefined: in the order of keys. */
  readonly direction: 'ASC' | 'DESC' | undefined;
}

const AUDIT_EVENT = nameKey('AuditEvent');
const OF_KIND: ReadonlySet<string> = new Set(['action', 'code', 'category', 'outcome']);
const REFERENCES = ['patient', 'entity', 'agent'] as const;
/** The rows of a part's codes, as fhir_token_all has them. */
const KIND_CODES = `(SELECT part, param, number AS system, text AS code FROM access_part_value
  WHERE target IS NULL AND number IS NOT NULL)`;

/** Undefined for a search that asks for something else. */
export function directSearch(query: SearchQuery, tables: EventTables): DirectSearch | undefined {
  const asked = askedOf(query);
  if (asked === undefined) return undefined;
  return {
    // There is no index of an agent's or an entity's events in the order of time.
    isSized: asked.base !== undefined && asked.base.by !== 'patient' && asked.direction !== undefined,
    count: (counting) => countOf(asked, tables, counting),
    page: (page) => pageOf(asked, tables, page),
  };
}

function askedOf({ criteria, sort }: SearchQuery): Asked | undefined {
  const [first, ...more] = sort;
  if (more.length > 0 || (first !== undefined && first.parameter.code !== 'date')) return undefined;
  const [references, dates, tokens]: [Reference[], DateCriterion[], Token[]] = [[], [], []];
  for (const criterion of criteria) {
    if (criterion.kind === 'reference' && columnOf(criterion) !== undefined) references.push(criterion);
    else if (criterion.kind === 'date' && criterion.parameter.code === 'date') dates.push(criterion);
    else if (isOfKind(criterion)) tokens.push(criterion);
    else return undefined;
  }
  const by = REFERENCES.find((code) => references.some(({ parameter }) => parameter.code === code));
  const criterion = references.find(({ parameter }) => parameter.code === by);
  const base = by === undefined || criterion === undefined ? undefined : { by, criterion };
  const direction = first === undefined ? undefined : first.isDescending ? ('DESC' as const) : ('ASC' as const);
  // Without one of them an index may meet any number of events before it meets a match.
  if (base === undefined && (tokens.length > 0 || (dates.length > 0 && direction === undefined))) return undefined;
  return { base, references, dates, tokens, direction };
}

function isOfKind(criterion: Criterion): criterion is Token {
  return criterion.kind === 'token' && criterion.derived === undefined && OF_KIND.has(criterion.parameter.code);
}

/** The column and the one target of a condition; undefined where it asks for more than a column holds. */
function columnOf({ parameter, values }: Reference): { column: string; id: string; type: string } | undefined {
  const [value, ...more] = values;
  if (value?.kind !== 'local' || more.length > 0) return undefined;
  const [type, ...others] = value.types;
  switch (parameter.code) {
    case 'patient':
      return value.types.length === 0 || value.types.includes('Patient')
        ? { column: 'patient', id: value.id, type: 'Patient' }
        : undefined;
    case 'agent':
    case 'entity':
      if (type === undefined || others.length > 0) return undefined;
      // The column of the entity lacks the patient of the event (./compact-store.ts).
      return parameter.code === 'entity' && type === 'Patient'
        ? undefined
        : { column: parameter.code, id: value.id, type };
    default:
      return undefined;
  }
}

function referenceCondition(criterion: Reference, values: SqlValues): string {
  const { column, id, type } = columnOf(criterion) ?? { column: '', id: '', type: '' };
  const isTarget = `e.${column} = ${values.bind(resourceKey(id), 'uuid')}`;
  return column === 'patient' ? isTarget : `${isTarget} AND e.${column}_type = ${values.key(nameKey(type))}`;
}

function dateConditions({ dates }: Asked, values: SqlValues): string[] {
  const bounds = { low: 'e.recorded', high: 'e.recorded', type: 'bigint' as const };
  return dates.map((criterion) => anyOf(criterion.values.map((value) => dateCondition(value, values, bounds))));
}

/** Conditions of which no index is to be read. */
function furtherConditions({ base, references, tokens }: Asked, values: SqlValues): string[] {
  const others = references.filter((criterion) => criterion !== base?.criterion);
  const ofKind = tokens.map((criterion) => {
    const kinds = `ARRAY(SELECT i.part FROM ${KIND_CODES} i WHERE ${indexRows(criterion, values).condition})`;
    return criterion.isNegated ? `NOT e.kind = ANY(${kinds})` : `e.kind = ANY(${kinds})`;
  });
  return [...others.map((criterion) => referenceCondition(criterion, values)), ...ofKind];
}

function where(conditions: readonly string[]): string {
  return conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`;
}

function baseConditions(asked: Asked, values: SqlValues): string[] {
  const { base } = asked;
  return [
    ...(base === undefined ? [] : [referenceCondition(base.criterion, values)]),
    ...dateConditions(asked, values),
  ];
}

/** With more months that are not counted the statement would be long: all are counted then. */
const MAX_OPEN = 4;

function countOf(asked: Asked, tables: EventTables, counting: CountOfEvents): CountStatement {
  const { parts, limit } = counting;
  const open = openParts(asked, counting);
  if (open !== undefined) return countOpen(asked, tables, { open, counting });
  const values = new SqlValues();
  const further = furtherConditions(asked, values);
  const rows = `${tables.of('access_event', parts)} e${where(baseConditions(asked, values))}`;
  const matches = further.length === 0 ? rows : `(SELECT e.* FROM ${rows} OFFSET 0) e${where(further)}`;
  const total = `SELECT count(*)::int FROM (SELECT FROM ${matches} LIMIT ${values.bind(limit, 'bigint')}) c`;
  const text = `SELECT ${isElsewhere(asked, tables, { parts, values })} AS is_elsewhere, (${total}) AS total`;
  return { text, values: values.list, counted: undefined };
}

/** The months in which a patient's events are not counted beforehand; undefined where those counts are of no use. */
function openParts({ base, references, dates, tokens }: Asked, counting: CountOfEvents): KeyPart[] | undefined {
  const isOfPatient = base?.by === 'patient' && references.length === 1 && dates.length + tokens.length === 0;
  if (counting.isPlain || counting.parts !== undefined || !isOfPatient) return undefined;
  const open = counting.all.filter(({ isCounted }) => !isCounted);
  return open.length > MAX_OPEN || open.length === counting.all.length ? undefined : open;
}

interface CountingOpen {
  readonly open: readonly KeyPart[];
  readonly counting: CountOfEvents;
}

/** Counts the events of a patient in open months (docs/adr/0154). The counts of the others are in one place. */
function countOpen(asked: Asked, tables: EventTables, { open, counting }: CountingOpen): CountStatement {
  const values = new SqlValues();
  const rows = () => `${tables.of('access_event', open)} e${where(baseConditions(asked, values))}`;
  const total =
    open.length === 0
      ? '0'
      : `SELECT count(*)::int FROM (SELECT FROM ${rows()} LIMIT ${values.bind(counting.limit, 'bigint')}) c`;
  const counts = `SELECT string_agg(e.month || ':' || coalesce(e.events::text, ''), ' ') FROM access_event_patient e${where(baseConditions(asked, values))}`;
  const text = `SELECT ${isElsewhere(asked, tables, { parts: undefined, values })} AS is_elsewhere, (${total}) AS total,
    (${counts}) AS counts`;
  return { text, values: values.list, counted: counting.all.filter(({ isCounted }) => isCounted) };
}

function pageOf(asked: Asked, tables: EventTables, page: PageOfEvents): DirectStatement {
  const { parts, isChecked } = page;
  const values = new SqlValues();
  const rows = `(${rowsOf(asked, tables, { page, values })}) e`;
  const resources = tables.resources.replace(/(\s+FROM\s+\(*)access_event e\b/, (_, from: string) => {
    return `, e.recorded AS s0${from}${rows}`;
  });
  const order = asked.direction === undefined ? 'r.rid' : `r.s0 ${asked.direction}, r.rid`;
  const time = asked.direction === undefined ? [] : ['r.s0::text'];
  const fields = ['r.rid::text', 'r.version::text', "''", ...time, "coalesce(r.content, '')"];
  const records = `SELECT ${fields.join(' || chr(31) || ')} AS record
    FROM (SELECT ${shortColumns('f')}, f.s0 FROM (${resources} OFFSET 0) f) r ORDER BY ${order}`;
  const elsewhere = isChecked ? 'FALSE' : isElsewhere(asked, tables, { parts, values });
  const text = `SELECT ${elsewhere} AS is_elsewhere, (SELECT string_agg(p.record, chr(30)) FROM (${records}) p) AS page`;
  return { text, values: values.list };
}

interface Writing {
  readonly page: PageOfEvents;
  readonly values: SqlValues;
}

/** The rows of the page. */
function rowsOf(asked: Asked, tables: EventTables, { page, values }: Writing): string {
  const { parts, after, limit } = page;
  const { base, direction } = asked;
  const further = furtherConditions(asked, values);
  if (base?.by === 'patient' && direction === undefined && further.length === 0)
    return firstByKeys(asked, tables, { page, values });
  const conditions = [...baseConditions(asked, values), ...afterConditions(direction, after, values)];
  const all = `SELECT e.* FROM ${tables.of('access_event', parts)} e${where(conditions)}`;
  const count = values.bind(limit, 'bigint');
  const order = direction === undefined ? 'ORDER BY e.event_guid' : `ORDER BY e.recorded ${direction}`;
  // Equal times come in the order of keys, in which no index has them.
  const first = direction === undefined ? `${order} LIMIT ${count}` : `${order} FETCH FIRST (${count}) ROWS WITH TIES`;
  const isInOrder = base === undefined || (base.by === 'patient') === (direction !== undefined);
  const fenced = isInOrder ? `${all} ${order} OFFSET 0` : `${all} OFFSET 0`;
  const isRead = isInOrder && further.length === 0;
  const rows = isRead ? `${all} ${first}` : `SELECT e.* FROM (${fenced}) e${where(further)} ${first}`;
  return direction === undefined
    ? rows
    : `SELECT e.* FROM (${rows}) e ORDER BY e.recorded ${direction}, e.event_guid LIMIT ${count}`;
}

/**
 * A patient's first events in the order of ids, by the index in the order of time. No event is later than its id. So
 * each of the first ones is not later than the greatest id of any that are as many: those are the first in time.
 */
function firstByKeys(asked: Asked, tables: EventTables, { page: { parts, after, limit }, values }: Writing): string {
  const conditions = [...baseConditions(asked, values), ...afterConditions(undefined, after, values)];
  const events = `${tables.of('access_event', parts)} e${where(conditions)}`;
  const count = values.bind(limit, 'bigint');
  const ids = `SELECT e.event_guid AS id FROM ${events} ORDER BY e.recorded LIMIT ${count}`;
  const latest = `(SELECT ('x' || translate(left(max(i.id::text COLLATE "C"), 13), '-', ''))::bit(48)::bigint FROM (${ids}) i)`;
  return `SELECT e.* FROM ${events} AND e.recorded <= ${latest} ORDER BY e.event_guid LIMIT ${count}`;
}

function afterConditions(direction: Asked['direction'], after: PageOfEvents['after'], values: SqlValues): string[] {
  if (after === undefined) return [];
  const isLater = `e.event_guid > ${values.bind(after.rid, 'uuid')}`;
  if (direction === undefined) return [isLater];
  const sign = direction === 'DESC' ? '<' : '>';
  const time = values.bind(after.sort[0], 'bigint');
  return [`e.recorded ${sign}= ${time}`, `(e.recorded ${sign} ${time} OR ${isLater})`];
}

interface Looking {
  readonly parts: readonly KeyPart[] | undefined;
  readonly values: SqlValues;
}

/**
 * Whether there may be matches that the columns do not show. They are resources (of other systems, or of before the
 * compact form), second agents, and second entities.
 */
function isElsewhere(asked: Asked, tables: EventTables, { parts, values }: Looking): string {
  const { base, references, dates } = asked;
  const places = [`EXISTS (SELECT FROM ${storedRows(base?.criterion ?? dates[0], values)})`];
  for (const { parameter, values: targets } of references) {
    const [target] = targets;
    if (parameter.code === 'patient' || target?.kind !== 'local') continue;
    const table = parameter.code === 'agent' ? 'access_part_value' : tables.of('access_event_value', parts);
    places.push(`EXISTS (SELECT FROM ${table} v WHERE v.param = ${values.key(parameter.key)}
      AND v.target = ${values.bind(resourceKey(target.id), 'uuid')})`);
  }
  return places.join(' OR ');
}

function storedRows(criterion: Reference | DateCriterion | undefined, values: SqlValues): string {
  if (criterion === undefined) return `fhir_resource f WHERE f.type = ${values.key(AUDIT_EVENT)} AND NOT f.deleted`;
  const { table, condition } = indexRows(criterion, values);
  return `${table} i WHERE ${condition}`;
}
