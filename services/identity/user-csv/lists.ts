// Parses and writes lists inside a cell, with items separated by `;`. In an item `\` escapes a following `;`, `\`, `*`
// or `:`. A group is a name, `type:name` or a guid; a `*` at the end marks its admin. Decision I13 names the columns;
// the syntax is ours.
import { GroupType } from '../group-type.ts';

export interface GroupItem {
  /** The item as written in the cell, without the mark, for messages and as a key. */
  readonly text: string;
  /** The type in the item; undefined for a bare name or guid. */
  readonly groupType: GroupType | undefined;
  readonly name: string;
  readonly isAdmin: boolean;
}

/** The phases that every system has are known by their names alone (decision I5). */
const PHASES: readonly string[] = ['planning', 'analysis', 'execution', 'followup'];
const SPECIAL = /[;\\*:]/g;
/** An escaped character or a separator. */
const SEPARATOR = /\\[;\\*:]|;/g;
const ESCAPED = /\\([;\\*:])/g;

/** Parses the names of a cell; empty items are ignored. */
export function readNames(cell: string): string[] {
  return splitItems(cell).map(plain);
}

/** Writes names such that `readNames` returns the same. */
export function writeNames(names: readonly string[]): string {
  return names.map((name) => name.replace(/[;\\]/g, '\\$&')).join(';');
}

export function readGroups(cell: string): GroupItem[] {
  return splitItems(cell).map(readGroup);
}

/**
 * Writes `type:name`. A well-known phase is written by its name, unless `isShared`: a group of another type has that
 * name.
 */
export function writeGroup(group: { name: string; groupType: string; isAdmin: boolean; isShared: boolean }): string {
  const isPlain = group.groupType === 'phase' && PHASES.includes(group.name) && !group.isShared;
  const name = isPlain ? group.name : `${group.groupType}:${group.name.replace(SPECIAL, '\\$&')}`;
  return group.isAdmin ? `${name}*` : name;
}

/** The type with which a missing group is created; undefined when it is unknown. */
export function typeToCreate({ groupType, name }: GroupItem): GroupType | undefined {
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
