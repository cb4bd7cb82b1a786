// The compact form of an AuditEvent (docs/adr/0126): what it shares with others as parts, and the rest as columns of
// access_event. The view fhir_resource_all makes the same text of it again. Events of another form have none.
import { createHash } from 'node:crypto';
import { isJsonObject } from '#fhir/patch/json-tree.ts';
import { extractSearchValues } from '#fhir/search/extract/extract.ts';
import { nameKey, resourceKey } from '#fhir/search/extract/keys.ts';
import { findOtherPatient } from '#fhir/search/extract/named-patients.ts';
import type { SearchParameters } from '#fhir/search/parameters/definitions.ts';
import { isGuid, timeOfGuid } from '#lib/guid.ts';
import { type LoggedEvent, readLoggedEvent } from '../shared/logged-event.ts';

type Json = Readonly<Record<string, unknown>>;

/** A value of the search index: a token (system, code), a reference (type, target), or a text alone. */
export interface PartValue {
  readonly param: number;
  /** Key of the system or the type; null for a text. */
  readonly number: string | number | null;
  readonly target: string | null;
  readonly text: string | null;
}

/** What many events have in common: what was done (the kind), or by whom (the actor). */
export interface AccessPart {
  /** Signed 64 bits, as decimal text. */
  readonly part: string;
  readonly pieces: readonly string[];
  /** Of an actor. */
  readonly service: string | null;
  readonly parties: readonly string[] | null;
  readonly values: readonly PartValue[];
}

export interface CompactEvent {
  readonly guid: string;
  /** Milliseconds since 1970. */
  readonly recorded: number;
  readonly kind: AccessPart;
  readonly actor: AccessPart;
  readonly patient: string | null;
  /** The id of the patient where it is not the key. */
  readonly patientId: string | null;
  readonly agent: Target | null;
  readonly entity: Target | null;
  readonly request: string | null;
  /** As it is within a JSON string. */
  readonly address: string | null;
  /** `"detail":…` of the outcome. */
  readonly detail: string | null;
  /** References with spaces between them, or the text of other entities. */
  readonly entities: string | null;
  readonly values: readonly PartValue[];
}

interface Target {
  readonly type: number;
  readonly key: string;
}

const AUDIT = 'AuditEvent';
const AGENT = nameKey(`${AUDIT}.agent`);
const ENTITY = nameKey(`${AUDIT}.entity`);
const NAMED = nameKey(`${AUDIT}.$named`);
const REQUEST_SYSTEM = 'https://kedja.dev/ids/http-request';
export const REFERENCE = /^([A-Z][A-Za-z]*)\/([A-Za-z0-9.-]{1,64})$/;
/** Ids of requests that need no escaping; others are left among the entities. */
export const PLAIN = /^[\w.:-]+$/;
/** Ids of other forms and times would make partitions without end. */
const EARLIEST = Date.UTC(2020, 0, 1);
const LATEST = Date.UTC(2100, 0, 1);
const MAX_PARTS = 10_000;

type Head = Pick<CompactEvent, 'kind' | 'actor'>;

/** All from which the parties of an actor follow, so that two events of one text and one key have the same actor. */
function headKeyOf({ service, event, action, isRefused, person, units, roles, forPatient }: LoggedEvent): string {
  return [service, event, action, isRefused, person, forPatient, ...units, '', ...roles].join('\0');
}

export interface Compacting {
  /** Undefined for an event that is to be stored as it is. */
  compact(event: Json): CompactEvent | undefined;
}

export function createCompacting(parameters: SearchParameters): Compacting {
  const parts = new Map<string, AccessPart>();
  /** What events of one kind by one caller had last. Each event is compared with the text that they make. */
  const heads = new Map<string, Head>();
  const others = new Map<string, readonly PartValue[]>();

  function partOf(
    pieces: readonly string[],
    make: () => Omit<AccessPart, 'part' | 'pieces'>,
    more: readonly string[] = [],
  ): AccessPart {
    const key = [...pieces, ...more].join('\0');
    return remembered(parts, key, () => {
      const part = createHash('sha256').update(key).digest().readBigInt64BE(0).toString();
      return { part, pieces, ...make() };
    });
  }

  const valuesOf = (resource: Json) => valuesIn({ resourceType: AUDIT, ...resource }, parameters);

  function kindOf({ category, code, action, severity, outcome, source }: Json): AccessPart {
    const { detail: _, ...own } = isJsonObject(outcome) ? outcome : {};
    const pieces = [
      `"category":${text(category)},"code":${text(code)},"action":${text(action)},"severity":${text(severity)},"recorded":"`,
      `","outcome":${text(own).slice(0, -1)}`,
      `,"source":${text(source)}`,
    ];
    return partOf(pieces, () => {
      const values = valuesOf({ category, code, action, severity, outcome: own, source });
      return { service: null, parties: null, values };
    });
  }

  function actorOf(agents: readonly Json[], { person, units, service }: LoggedEvent): AccessPart {
    const [first = {}, ...more] = agents;
    const { networkString: _, ...own } = first;
    const pieces = [`,"agent":[${text(own).slice(0, -1)}`, `}${more.map((agent) => `,${text(agent)}`).join('')}]`];
    const parties = [...new Set([...(person === undefined ? [] : [person]), ...units])];
    const make = () => {
      const target = targetOf(first['who']);
      const values = valuesOf({ agent: [own, ...more] }).filter(
        ({ param, number, target: key }) => !(param === AGENT && number === target?.type && key === target.key),
      );
      return { service, parties, values };
    };
    return partOf(pieces, make, [service, ...parties]);
  }

  function entitiesOf(entities: readonly Json[]): Pick<CompactEvent, 'entity' | 'entities' | 'request' | 'values'> {
    const last = entities.at(-1);
    const request = last === undefined ? null : requestOf(last);
    const rest = request === null ? entities : entities.slice(0, -1);
    if (rest.length === 0) return { entity: null, entities: null, request, values: [] };
    const plain = rest.map(plainReference);
    if (plain.every((each) => each !== undefined)) return { request, ...entityColumns(plain) };
    const texts = rest.map(text).join(',');
    const values = remembered(others, texts, () => valuesOf({ entity: rest }));
    return { entity: null, entities: texts, request, values };
  }

  return {
    compact(event) {
      const { id, recorded, patient, agent, entity = [], outcome } = event;
      if (typeof id !== 'string' || !isOfTime(id) || typeof recorded !== 'string') return undefined;
      // Searches by the time leave out months by their ids (docs/adr/0113).
      if (!(Date.parse(recorded) <= timeOfGuid(id))) return undefined;
      const logged = readLoggedEvent(event);
      if (!isList(agent) || !isList(entity) || logged === undefined) return undefined;
      const named = patient === undefined ? undefined : plainReference({ what: patient });
      const patientId = named === undefined ? undefined : REFERENCE.exec(named)?.[2];
      const detail = isJsonObject(outcome) ? outcome['detail'] : undefined;
      const address = agent[0]?.['networkString'];
      const { values, ...entities } = entitiesOf(entity);
      const key = patientId === undefined ? null : resourceKey(patientId);
      const rest = {
        guid: id,
        recorded: Date.parse(recorded),
        patient: key,
        patientId: patientId === undefined || patientId === key ? null : patientId,
        agent: targetOf(agent[0]?.['who']) ?? null,
        ...entities,
        address: typeof address === 'string' ? text(address).slice(1, -1) : null,
        detail: detail === undefined ? null : `"detail":${text(detail)}`,
        values: [...values, ...otherPatient(event, patientId, parameters.baseUrl)],
      };
      const written = text(event);
      const headKey = headKeyOf(logged);
      const usual = heads.get(headKey);
      if (usual !== undefined) {
        const compact = { ...usual, ...rest };
        if (renderCompact(compact) === written) return compact;
      }
      const head = { kind: kindOf(event), actor: actorOf(agent, logged) };
      const compact = { ...head, ...rest };
      if (renderCompact(compact) !== written) return undefined;
      if (heads.size >= MAX_PARTS) heads.clear();
      heads.set(headKey, head);
      return compact;
    },
  };
}

/** The event's text without `meta`, as the view fhir_resource_all makes it. */
export function renderCompact(event: CompactEvent): string {
  const { guid, recorded, kind, actor, address, detail, request, entities } = event;
  const patient = event.patientId ?? event.patient;
  const list = [
    ...(entities === null
      ? []
      : [
          entities.startsWith('{')
            ? entities
            : `{"what":{"reference":"${entities.replaceAll(' ', '"}},{"what":{"reference":"')}"}}`,
        ]),
    ...(request === null ? [] : [`{"what":{"identifier":{"system":"${REQUEST_SYSTEM}","value":"${request}"}}}`]),
  ];
  const [head, outcome, source] = kind.pieces;
  const [before, after] = actor.pieces;
  return [
    `{"resourceType":"${AUDIT}","id":"${guid}",${head}${new Date(recorded).toISOString()}${outcome}`,
    detail === null ? '' : `,${detail}`,
    '}',
    patient === null ? '' : `,"patient":{"reference":"Patient/${patient}"}`,
    before,
    address === null ? '' : `,"networkString":"${address}"`,
    `${after}${source}`,
    list.length === 0 ? '' : `,"entity":[${list.join(',')}]`,
    '}',
  ].join('');
}

function valuesIn(resource: Json, parameters: SearchParameters): PartValue[] {
  const { tokens, references, strings } = extractSearchValues(resource, parameters);
  return [
    ...tokens.map(({ param, system, code }) => ({ param, number: system, target: null, text: code })),
    ...references.map(({ param, targetType, target }) => ({ param, number: targetType, target, text: null })),
    ...strings.map(({ param, value }) => ({ param, number: null, target: null, text: value })),
  ];
}

/** The columns of entities that are references alone. */
export function entityColumns(references: readonly string[]): Pick<CompactEvent, 'entity' | 'entities' | 'values'> {
  if (references.length === 0) return { entity: null, entities: null, values: [] };
  const [first, ...more] = distinct(references.map(keyOf));
  const values = more.map(({ type, key }) => ({ param: ENTITY, number: type, target: key, text: null }));
  return { entity: first ?? null, entities: references.join(' '), values };
}

/** As the index has of a resource in one patient's compartment that names another one. */
export function otherPatientValue(id: string): PartValue {
  return { param: NAMED, number: nameKey('Patient'), target: resourceKey(id), text: null };
}

function otherPatient(event: Json, patientId: string | undefined, baseUrl: string | undefined): PartValue[] {
  if (patientId === undefined) return [];
  const other = findOtherPatient(event, [patientId], baseUrl);
  return other === undefined ? [] : [otherPatientValue(other)];
}

function isOfTime(id: string): boolean {
  return isGuid(id) && id[14] === '7' && timeOfGuid(id) >= EARLIEST && timeOfGuid(id) < LATEST;
}

function isList(value: unknown): value is readonly Json[] {
  return Array.isArray(value) && value.every(isJsonObject);
}

/** The reference of an entity that has nothing else. */
function plainReference({ what, ...more }: Json): string | undefined {
  if (!isJsonObject(what) || Object.keys(more).length > 0 || Object.keys(what).length !== 1) return undefined;
  const { reference } = what;
  return typeof reference === 'string' && REFERENCE.test(reference) ? reference : undefined;
}

function requestOf({ what }: Json): string | null {
  const identifier = isJsonObject(what) ? what['identifier'] : undefined;
  if (!isJsonObject(identifier) || identifier['system'] !== REQUEST_SYSTEM) return null;
  const { value } = identifier;
  return typeof value === 'string' && PLAIN.test(value) ? value : null;
}

function targetOf(who: unknown): Target | undefined {
  const reference = isJsonObject(who) ? who['reference'] : undefined;
  return typeof reference === 'string' && REFERENCE.test(reference) ? keyOf(reference) : undefined;
}

function keyOf(reference: string): Target {
  const [type = '', id = ''] = reference.split('/');
  return { type: nameKey(type), key: resourceKey(id) };
}

function distinct(targets: readonly Target[]): readonly Target[] {
  if (targets.length === 1) return targets;
  return [...new Map(targets.map((each) => [`${each.type} ${each.key}`, each])).values()];
}

function remembered<V>(cache: Map<string, V>, key: string, make: () => V): V {
  const known = cache.get(key);
  if (known !== undefined) return known;
  if (cache.size >= MAX_PARTS) cache.clear();
  const made = make();
  cache.set(key, made);
  return made;
}

function text(value: unknown): string {
  return JSON.stringify(value) ?? '';
}
