// Looks at records and changes of them in their compact form (docs/adr/0011): who, when, from where, and which versions
// were shown or made. Whose data that was is found out later: a version never changes.
import type { Actor, Role } from '../auth/principal.ts';
import type { AuditAction, AuditEntry } from './audit-event.ts';

export interface AccessedVersion {
  readonly resourceType: string;
  readonly id: string;
  readonly version: number;
}

/** A look, or a change. */
export interface AccessRecord {
  readonly action: AuditAction;
  /** As in the audit event: `patient.read`. */
  readonly event: string;
  readonly principal: Actor;
  readonly address: string;
  readonly requestId: string;
  /** The type that was asked for; undefined for what reaches over all types. */
  readonly resourceType: string | undefined;
  readonly seen: readonly AccessedVersion[];
  /** Ids of the patients whom a search named, whether anything of them was found or not. */
  readonly named?: readonly string[];
  /** Names of the parameters of a search that named nobody and found nothing: never their values. */
  readonly asked?: readonly string[];
}

/** Of many people the same: that a job for all of them touched their records. Each gets an event of their own. */
export interface PeopleTouched extends Required<Pick<AuditEntry, 'action' | 'event' | 'entities'>> {
  readonly principal: Actor;
  /** Ids of the patients. */
  readonly patients: readonly string[];
}

/** What a stored batch tells. */
export interface UnpackedBatch {
  readonly looks: readonly AccessRecord[];
  /** What was told whole, and one for each person touched. */
  readonly entries: readonly AuditEntry[];
}

/** In a batch, callers and types stand once, and what is said of each look by its place. */
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
];
/** Looks at single resources that were packed before they were found ({@link packPending}). */
interface PackedComing {
  readonly who: PackedActor[];
  readonly kinds: PackedKind[];
  /** Of each look its kind, its request and the id, all parted by spaces. */
  readonly coming: string;
  readonly shown: string;
}
/** Events that are told whole: a list of its own, so that no node of before takes the batch for one without looks. */
interface PackedReports {
  readonly who: PackedActor[];
  readonly heads: PackedHead[];
  readonly told: PackedEntry[];
}
/** What several entries have in common. */
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
/** An event is of one type and action. */
type PackedKind = readonly [who: number, action: AuditAction, event: string, address: string, resourceType: string];
type PackedRecord = readonly [
  who: number,
  action: AuditAction,
  event: string,
  address: string,
  requestId: string,
  resourceType: string | null,
  /** Each type with what was seen of it: `Patient a/1 b/3 Observation c/1`. Ids hold neither spaces nor slashes. */
  seen: string | FormerlySeen,
  /** Nodes of before neither write nor read what follows. */
  named?: readonly string[],
  asked?: readonly string[],
];
/** Type, id and version, one after the other, as rows of before are still to be read. */
type FormerlySeen = readonly (string | number)[];

/** A look at one resource of which is not known yet which version will be shown, if any. */
export interface PendingRecord extends Omit<AccessRecord, 'seen' | 'resourceType'> {
  readonly resourceType: string;
  readonly id: string;
}

/** What may stand in a list that is parted by spaces. */
const PLAIN = /^[\w.:-]+$/;

/** Whether a look can be packed before it is known what is found; else it is packed afterwards. */
export function canBePackedBefore({ requestId }: Pick<AccessRecord, 'requestId'>): boolean {
  return PLAIN.test(requestId);
}

/**
 * Packs looks before it is known what is found. To end the batch, the statement that finds it adds what was shown: for
 * each look, parted by spaces, its place and the version (`0/3 2/1`), and then {@link PENDING_END}. What is not among
 * these was not shown, and no look.
 */
export function packPending(looks: readonly PendingRecord[]): string {
  const who: PackedActor[] = [];
  const kinds: PackedKind[] = [];
  const places = new Map<Actor, { readonly place: number; readonly kinds: Map<string, number> }>();
  let coming = '';
  for (const { principal, action, event, address, requestId, resourceType, id } of looks) {
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

/** The batch as the text that is stored. */
export function packRecords(looks: readonly AccessRecord[]): string {
  const places = new Map<Actor, number>();
  const packed: Packed = { who: [], looks: [] };
  for (const look of looks) {
    const place = placeOf(places, look.principal, () => packed.who.push(packActor(look.principal)));
    const { action, event, address, requestId, resourceType, named = [], asked = [] } = look;
    const seen = packSeen(look.seen);
    const told = [place, action, event, address, requestId, resourceType ?? null, seen] as const;
    if (asked.length > 0) packed.looks.push([...told, named, asked]);
    else packed.looks.push(named.length === 0 ? told : [...told, named]);
  }
  return JSON.stringify(packed);
}

export function packPeople({ action, event, entities, principal, patients }: PeopleTouched): string {
  const packed: Packed = { who: [packActor(principal)], looks: [], people: [action, event, entities, patients] };
  return JSON.stringify(packed);
}

/** Packs entries whose patients are known: there is nothing to find out later. */
export function packEntries(entries: readonly AuditEntry[]): string {
  const packed: PackedReports = { who: [], heads: [], told: [] };
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

/** Where a thing stands in its list; `add` puts it there when it is met first, and answers the list's new length. */
function placeOf<K>(places: Map<K, number>, key: K, add: () => number): number {
  const known = places.get(key);
  if (known !== undefined) return known;
  const place = add() - 1;
  places.set(key, place);
  return place;
}

/** @throws SyntaxError or TypeError for a text that was not packed here */
export function unpackBatch(text: string): UnpackedBatch {
  const packed = JSON.parse(text) as Packed | PackedComing | PackedReports;
  const actors = packed.who.map(unpackActor);
  if ('told' in packed) return { looks: [], entries: toldOf(packed, actors) };
  if ('coming' in packed) return { looks: shownOf(packed, actors), entries: [] };
  const { looks, people } = packed;
  return { looks: recordsOf(looks, actors), entries: people === undefined ? [] : entriesOf(people, actors[0]) };
}

function shownOf({ kinds, coming, shown }: PackedComing, actors: readonly Actor[]): AccessRecord[] {
  const words = coming.split(' ');
  return shown.split(' ').map((each) => {
    const [place = Number.NaN, version = Number.NaN] = each.split('/').map(Number);
    const [kind, requestId, id] = words.slice(place * 3, place * 3 + 3);
    const [who = Number.NaN, action, event, address, resourceType] = kinds[Number(kind)] ?? [];
    const principal = actors[who];
    const isWhole = action !== undefined && event !== undefined && address !== undefined && resourceType !== undefined;
    if (!isWhole || principal === undefined || requestId === undefined || id === undefined) {
      throw new TypeError('A look that was shown is not in its batch');
    }
    return { action, event, principal, address, requestId, resourceType, seen: [{ resourceType, id, version }] };
  });
}

function toldOf({ heads, told }: PackedReports, actors: readonly Actor[]): AuditEntry[] {
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

function recordsOf(looks: readonly PackedRecord[], actors: readonly Actor[]): AccessRecord[] {
  return looks.map(([place, action, event, address, requestId, resourceType, seen, named, asked]) => {
    const principal = actors[place];
    if (principal === undefined) throw new TypeError('A look names no caller of its batch');
    return {
      action,
      event,
      principal,
      address,
      requestId,
      resourceType: resourceType ?? undefined,
      seen: unpackSeen(seen),
      ...(named === undefined ? {} : { named }),
      ...(asked === undefined ? {} : { asked }),
    };
  });
}

function packActor({ kind, id, roles, patientGuid, professionalGuid, ...unit }: Actor): PackedActor {
  const { organisationGuids = [], providerGuid } = unit;
  return [kind, id, [...roles], patientGuid ?? null, professionalGuid ?? null, organisationGuids, providerGuid ?? null];
}

function unpackActor([kind, id, roles, patient, staff, organisationGuids, provider]: PackedActor): Actor {
  return {
    kind,
    id,
    roles: new Set(roles),
    ...(patient === null ? {} : { patientGuid: patient }),
    ...(staff === null ? {} : { professionalGuid: staff }),
    ...(organisationGuids === undefined ? {} : { organisationGuids }),
    ...(provider == null ? {} : { providerGuid: provider }),
  };
}

function packSeen(seen: readonly AccessedVersion[]): string {
  let text = '';
  let last: string | undefined;
  for (const { resourceType, id, version } of seen) {
    if (resourceType !== last) text += text === '' ? resourceType : ` ${resourceType}`;
    last = resourceType;
    text += ` ${id}/${version}`;
  }
  return text;
}

function unpackSeen(packed: string | FormerlySeen): AccessedVersion[] {
  if (typeof packed !== 'string') return unpackFormerlySeen(packed);
  const seen: AccessedVersion[] = [];
  let resourceType = '';
  for (const word of packed === '' ? [] : packed.split(' ')) {
    const [id = '', version] = word.split('/');
    if (version === undefined) resourceType = id;
    else seen.push({ resourceType, id, version: Number(version) });
  }
  return seen;
}

function unpackFormerlySeen(seen: FormerlySeen): AccessedVersion[] {
  return Array.from({ length: seen.length / 3 }, (_, index) => ({
    resourceType: String(seen[index * 3]),
    id: String(seen[index * 3 + 1]),
    version: Number(seen[index * 3 + 2]),
  }));
}
