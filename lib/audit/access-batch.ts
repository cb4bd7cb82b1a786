// The compact form of access records (docs/adr/0011): who read or changed which versions of which resources, when and
// from where. Whose data it was is resolved later, because a version never changes.
import type { Actor, ProxyRight, Role } from '../auth/principal.ts';
import type { AuditAction, AuditEntry } from './audit-event.ts';

export interface AccessedVersion {
  readonly resourceType: string;
  readonly id: string;
  readonly version: number;
}

/** One access to records: a read or a change. */
export interface AccessRecord {
  readonly action: AuditAction;
  /** As in the audit event: `patient.read`. */
  readonly event: string;
  readonly principal: Actor;
  readonly address: string;
  readonly requestId: string;
  /** The requested type; undefined for a request over all types. */
  readonly resourceType: string | undefined;
  readonly versions: readonly AccessedVersion[];
  /** Ids of the patients that a search named, whether it found anything or not. */
  readonly named?: readonly string[];
  /** The parameter names of a search that named no patient and found nothing; never their values. */
  readonly parameterNames?: readonly string[];
}

/** A job's access to the records of many patients. Each patient gets an audit event. */
export interface PatientAccess extends Required<Pick<AuditEntry, 'action' | 'event' | 'entities'>> {
  readonly principal: Actor;
  /** Ids of the patients. */
  readonly patients: readonly string[];
}

/** The content of a stored batch. */
export interface UnpackedBatch {
  readonly records: readonly AccessRecord[];
  /** Complete entries, and one for each patient of a job. */
  readonly entries: readonly AuditEntry[];
}

/** A batch holds each caller and type once. A record refers to them by their index. */
interface Packed {
  readonly who: PackedActor[];
  readonly looks: PackedRecord[];
  readonly people?: PackedPeople;
}
type PackedPeople = readonly [
  action: AuditAction,
  event: string,
  entities: readonly string[],
  patients: readonly string[],
];
type PackedActor = readonly [
  kind: Actor['kind'],
  id: string,
  roles: Role[],
  patient: string | null,
  staff: string | null,
  /** Nodes of before neither write nor read what follows. */
  organisations?: readonly string[],
  provider?: string | null,
  /** What a proxy may do; left out for all others. */
  proxy?: ProxyRight,
];
/** Reads of single resources, packed before their statement runs ({@link packPending}). */
interface PackedPending {
  readonly who: PackedActor[];
  readonly kinds: PackedKind[];
  /** The kind, request id and resource id of each read, separated by spaces. */
  readonly coming: string;
  readonly shown: string;
}
/**
 * Complete events. They have a member of their own, so that an earlier release does not take the batch for one without
 * reads.
 */
interface PackedEntries {
  readonly who: PackedActor[];
  readonly heads: PackedHead[];
  readonly told: PackedEntry[];
}
/** The part that several entries share. */
type PackedHead = readonly [
  who: number | null,
  action: AuditAction,
  event: string,
  outcome: NonNullable<AuditEntry['outcome']> | null,
  detail: string | null,
  address: string | null,
  requestId: string | null,
];
type PackedEntry = readonly [head: number, patient: string | null, subject: string | null, entities: readonly string[]];
/** The shared part of reads of one type and action. */
type PackedKind = readonly [who: number, action: AuditAction, event: string, address: string, resourceType: string];
type PackedRecord = readonly [
  who: number,
  action: AuditAction,
  event: string,
  address: string,
  requestId: string,
  resourceType: string | null,
  /**
   * Each type with the versions that were read: `Patient a/1 b/3 Observation c/1`. Ids hold neither spaces nor slashes.
   */
  versions: string | LegacyVersions,
  /** Nodes of before neither write nor read what follows. */
  named?: readonly string[],
  parameterNames?: readonly string[],
];
/** Type, id and version in turn, as earlier releases wrote them. */
type LegacyVersions = readonly (string | number)[];

/** A read of one resource whose version, if any, is not known yet. */
export interface PendingRecord extends Omit<AccessRecord, 'versions' | 'resourceType'> {
  readonly resourceType: string;
  readonly id: string;
}

/** Texts that a space-separated list can hold. */
const PLAIN = /^[\w.:-]+$/;

/** Whether a read can be packed before its result is known; otherwise it is packed afterwards. */
export function canBePackedBefore({ requestId }: Pick<AccessRecord, 'requestId'>): boolean {
  return PLAIN.test(requestId);
}

/**
 * Packs reads before their result is known. The statement that reads the resources completes the batch. It appends the
 * index and the version of each read that found something, separated by spaces (`0/3 2/1`), and then
 * {@link PENDING_END}. Reads that are not listed found nothing and are no access.
 */
export function packPending(records: readonly PendingRecord[]): string {
  const who: PackedActor[] = [];
  const kinds: PackedKind[] = [];
  const places = new Map<Actor, { readonly place: number; readonly kinds: Map<string, number> }>();
  let coming = '';
  for (const { principal, action, event, address, requestId, resourceType, id } of records) {
    let actor = places.get(principal);
    if (actor === undefined) {
      actor = { place: who.push(packActor(principal)) - 1, kinds: new Map() };
      places.set(principal, actor);
    }
    const name = `${event} ${address}`;
    let kind = actor.kinds.get(name);
    if (kind === undefined) {
      kind = kinds.push([actor.place, action, event, address, resourceType]) - 1;
      actor.kinds.set(name, kind);
    }
    coming += coming === '' ? `${kind} ${requestId} ${id}` : ` ${kind} ${requestId} ${id}`;
  }
  return `{"who":${JSON.stringify(who)},"kinds":${JSON.stringify(kinds)},"coming":"${coming}","shown":"`;
}
export const PENDING_END = '"}';

/** The batch as stored text. */
export function packRecords(records: readonly AccessRecord[]): string {
  const places = new Map<Actor, number>();
  const packed: Packed = { who: [], looks: [] };
  for (const record of records) {
    const place = placeOf(places, record.principal, () => packed.who.push(packActor(record.principal)));
    const { action, event, address, requestId, resourceType, named = [], parameterNames = [] } = record;
    const versions = packVersions(record.versions);
    const base = [place, action, event, address, requestId, resourceType ?? null, versions] as const;
    if (parameterNames.length > 0) packed.looks.push([...base, named, parameterNames]);
    else packed.looks.push(named.length === 0 ? base : [...base, named]);
  }
  return JSON.stringify(packed);
}

export function packPatients({ action, event, entities, principal, patients }: PatientAccess): string {
  const packed: Packed = { who: [packActor(principal)], looks: [], people: [action, event, entities, patients] };
  return JSON.stringify(packed);
}

/** Packs entries whose patients are known: nothing is resolved later. */
export function packEntries(entries: readonly AuditEntry[]): string {
  const packed: PackedEntries = { who: [], heads: [], told: [] };
  const actors = new Map<Actor, number>();
  const heads = new Map<string, number>();
  for (const { action, event, principal, outcome, detail, address, requestId, ...own } of entries) {
    const who =
      principal === undefined ? null : placeOf(actors, principal, () => packed.who.push(packActor(principal)));
    const head: PackedHead = [who, action, event, outcome ?? null, detail ?? null, address ?? null, requestId ?? null];
    const place = placeOf(heads, head.join('\0'), () => packed.heads.push(head));
    packed.told.push([place, own.patientGuid ?? null, own.subjectGuid ?? null, own.entities ?? []]);
  }
  return JSON.stringify(packed);
}

/** The index of a value in its list; `add` appends it on first use and returns the new length. */
function placeOf<K>(places: Map<K, number>, key: K, add: () => number): number {
  const known = places.get(key);
  if (known !== undefined) return known;
  const place = add() - 1;
  places.set(key, place);
  return place;
}

/** @throws SyntaxError or TypeError for a text that was not packed here */
export function unpackBatch(text: string): UnpackedBatch {
  const packed = JSON.parse(text) as Packed | PackedPending | PackedEntries;
  const actors = packed.who.map(unpackActor);
  if ('told' in packed) return { records: [], entries: unpackEntries(packed, actors) };
  if ('coming' in packed) return { records: unpackPending(packed, actors), entries: [] };
  const { looks, people } = packed;
  return { records: recordsOf(looks, actors), entries: people === undefined ? [] : entriesOf(people, actors[0]) };
}

function unpackPending({ kinds, coming, shown }: PackedPending, actors: readonly Actor[]): AccessRecord[] {
  const words = coming.split(' ');
  return shown.split(' ').map((each) => {
    const [place = Number.NaN, version = Number.NaN] = each.split('/').map(Number);
    const [kind, requestId, id] = words.slice(place * 3, place * 3 + 3);
    const [who = Number.NaN, action, event, address, resourceType] = kinds[Number(kind)] ?? [];
    const principal = actors[who];
    const isWhole = action !== undefined && event !== undefined && address !== undefined && resourceType !== undefined;
    if (!isWhole || principal === undefined || requestId === undefined || id === undefined) {
      throw new TypeError('A read that found something is not in its batch');
    }
    return { action, event, principal, address, requestId, resourceType, versions: [{ resourceType, id, version }] };
  });
}

function unpackEntries({ heads, told }: PackedEntries, actors: readonly Actor[]): AuditEntry[] {
  return told.map(([place, patientGuid, subjectGuid, entities]) => {
    const head = heads[place];
    if (head === undefined) throw new TypeError('An entry has no head in its batch');
    const [who, action, event, outcome, detail, address, requestId] = head;
    const principal = who === null ? undefined : actors[who];
    if (who !== null && principal === undefined) throw new TypeError('An entry names no caller of its batch');
    return {
      action,
      event,
      principal,
      entities,
      ...(outcome === null ? {} : { outcome }),
      ...(detail === null ? {} : { detail }),
      ...(address === null ? {} : { address }),
      ...(requestId === null ? {} : { requestId }),
      ...(patientGuid === null ? {} : { patientGuid }),
      ...(subjectGuid === null ? {} : { subjectGuid }),
    };
  });
}

function entriesOf([action, event, entities, patients]: PackedPeople, principal: Actor | undefined): AuditEntry[] {
  return patients.map((patientGuid) => ({ action, event, entities, principal, patientGuid }));
}

function recordsOf(packed: readonly PackedRecord[], actors: readonly Actor[]): AccessRecord[] {
  return packed.map(([place, action, event, address, requestId, resourceType, versions, named, parameterNames]) => {
    const principal = actors[place];
    if (principal === undefined) throw new TypeError('A record names no caller of its batch');
    return {
      action,
      event,
      principal,
      address,
      requestId,
      resourceType: resourceType ?? undefined,
      versions: unpackVersions(versions),
      ...(named === undefined ? {} : { named }),
      ...(parameterNames === undefined ? {} : { parameterNames }),
    };
  });
}

function packActor({ kind, id, roles, patientGuid, professionalGuid, ...unit }: Actor): PackedActor {
  const { organisationGuids = [], providerGuid } = unit;
  const [person, staff, provider] = [patientGuid ?? null, professionalGuid ?? null, providerGuid ?? null];
  if (unit.proxy === undefined) return [kind, id, [...roles], person, staff, organisationGuids, provider];
  return [kind, id, [...roles], person, staff, organisationGuids, provider, unit.proxy.may];
}

function unpackActor([kind, id, roles, patient, staff, organisationGuids, provider, proxy]: PackedActor): Actor {
  return {
    kind,
    id,
    roles: new Set(roles),
    ...(patient === null ? {} : { patientGuid: patient }),
    ...(staff === null ? {} : { professionalGuid: staff }),
    ...(organisationGuids === undefined ? {} : { organisationGuids }),
    ...(provider == null ? {} : { providerGuid: provider }),
    ...(proxy === undefined ? {} : { proxy: { may: proxy } }),
  };
}

function packVersions(versions: readonly AccessedVersion[]): string {
  let text = '';
  let last: string | undefined;
  for (const { resourceType, id, version } of versions) {
    if (resourceType !== last) text += text === '' ? resourceType : ` ${resourceType}`;
    last = resourceType;
    text += ` ${id}/${version}`;
  }
  return text;
}

function unpackVersions(packed: string | LegacyVersions): AccessedVersion[] {
  if (typeof packed !== 'string') return unpackLegacyVersions(packed);
  const versions: AccessedVersion[] = [];
  let resourceType = '';
  for (const word of packed === '' ? [] : packed.split(' ')) {
    const [id = '', version] = word.split('/');
    if (version === undefined) resourceType = id;
    else versions.push({ resourceType, id, version: Number(version) });
  }
  return versions;
}

function unpackLegacyVersions(packed: LegacyVersions): AccessedVersion[] {
  return Array.from({ length: packed.length / 3 }, (_, index) => ({
    resourceType: String(packed[index * 3]),
    id: String(packed[index * 3 + 1]),
    version: Number(packed[index * 3 + 2]),
  }));
}
