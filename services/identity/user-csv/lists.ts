// Lists inside a cell: items separated by `;`. In an item `\` takes the meaning from a following `;`, `\`, `*` or `:`.
// Groups are a name, `type:name` or a guid, and a `*` at the end marks their admin (decision I13 names the columns; the
// marks are ours).
import { GroupType } from '../group-type.ts';

export interface GroupItem {
  /** The item as it stands in the cell, without the mark: for messages, and to know it again. */
  readonly text: string;
  /** The type that the item names; undefined for a bare name or guid. */
  readonly groupType: GroupType | undefined;
  readonly name: string;
  readonly isAdmin: boolean;
}

/** The phases that every system has from the start are known by their names alone (decision I5). */
const PHASES: readonly string[] = ['planning', 'analysis', 'execution', 'followup'];
const SPECIAL = /[;\\*:]/g;
/** An escaped character, or one that separates. */
const SEPARATOR = /\\[;\\*:]|;/g;
const ESCAPED = /\\([;\\*:])/g;

/** Reads the names of a cell; empty items count for nothing. */
export function readNames(cell: string): string[] {
  return splitItems(cell).map(plain);
}

/** Writes names, so that `readNames` finds the same. */
export function writeNames(names: readonly string[]): string {
  return names.map((name) => name.replace(/[;\\]/g, '\\$&')).join(';');
}

export function readGroups(cell: string): GroupItem[] {
  return splitItems(cell).map(readGroup);
}

/** `type:name`; the well-known phases by their name, unless `isShared`: another type has a group of that name. */
export function writeGroup(group: { name: string; groupType: string; isAdmin: boolean; isShared: boolean }): string {
  const isPlain = group.groupType === 'phase' && PHASES.includes(group.name) && !group.isShared;
  const name = isPlain ? group.name : `${group.groupType}:${group.name.replace(SPECIAL, '\\$&')}`;
  return group.isAdmin ? `${name}*` : name;
}

/** Of what type the group is to be made when there is none; undefined when that cannot be told. */
export function typeToMake({ groupType, name }: GroupItem): GroupType | undefined {
  return groupType ?? (PHASES.includes(name.toLowerCase()) ? 'phase' : undefined);
}

function readGroup(item: string): GroupItem {
  const isAdmin = /(^|[^\\])(\\\\)*\*$/.test(item);
  const text = isAdmin ? item.slice(0, -1).trim() : item;
  const [, prefix = '', rest = ''] = /^([a-z_]+):(.*)$/s.exec(text) ?? [];
  const groupType = GroupType.enum.find((type) => type === prefix);
  return { text, groupType, name: plain(groupType === undefined ? text : rest.trim()), isAdmin };
}

function splitItems(cell: string): string[] {
  const items: string[] = [];
  let start = 0;
  for (const { 0: found, index } of cell.matchAll(SEPARATOR)) {
    if (found !== ';') continue;
    items.push(cell.slice(start, index));
    start = index + 1;
  }
  return [...items, cell.slice(start)].map((item) => item.trim()).filter((item) => item !== '');
}

function plain(text: string): string {
  return text.replace(ESCAPED, '$1');
}
