// Parses a Group that an SU admin creates, with its first members (decision I15).
import Type from 'typebox';
import type { Database } from '#lib/db/database.ts';
import { isGuid } from '#lib/guid.ts';
import { GroupType } from '../group-type.ts';
import type { NewGroup, NewMember } from '../groups/service.ts';
import { nameText } from '../text.ts';
import { createFormCheck } from './form-check.ts';
import { extensionsOf, referredId } from './person.ts';
import { GROUP_ADMIN_EXTENSION, GROUP_TYPE_SYSTEM } from './resources.ts';
import * as store from './store.ts';
import { readSubmission, type Submission } from './submission.ts';

/** The maximum of members in a new group; more can join later. */
const MAX_MEMBERS = 1000;

const checkForm = createFormCheck({
  name: nameText(200),
  group_type: GroupType,
  description: Type.Optional(nameText(2000)),
});
const PLACES = { name: 'name', group_type: 'code', description: 'description' };

interface Site {
  readonly database: Database;
  readonly baseUrl: string;
}

/** @throws ServiceError `unprocessable` */
export async function readGroupForm(
  resource: Readonly<Record<string, unknown>>,
  site: Site,
): Promise<{ group: NewGroup; members: readonly NewMember[] }> {
  const submission = readSubmission(resource, 'Group');
  const group = readGroup(submission);
  const members = await readMembers(submission, site);
  submission.check();
  return { group, members };
}

function readGroup(submission: Submission): NewGroup {
  submission.expect('type', 'practitioner', 'the members of a group are practitioners');
  submission.expect('membership', 'enumerated', 'the members of a group are enumerated');
  const system = submission.takeText('code.coding[0].system');
  const given = submission.takeText('code.coding[0].code');
  // A group without a type is a team.
  const code = given ?? 'team';
  if (given !== undefined && system !== GROUP_TYPE_SYSTEM) {
    submission.issue('code.coding[0].system', `the kind of group is a code of ${GROUP_TYPE_SYSTEM}`, 'code-invalid');
  }
  const name = submission.takeText('name');
  const description = submission.takeText('description');
  checkForm(submission, { name, group_type: code, ...(description === undefined ? {} : { description }) }, PLACES);
  const groupType = GroupType.enum.find((known) => known === code) ?? 'team';
  return { name: name?.trim() ?? '', groupType, description: description?.trim() ?? null };
}

async function readMembers(submission: Submission, { database, baseUrl }: Site): Promise<NewMember[]> {
  const items = submission.items('member');
  submission.expect('quantity', items.length, 'must be the number of members');
  if (items.length > MAX_MEMBERS) {
    submission.take('member');
    submission.issue('member', `must have at most ${MAX_MEMBERS} members`, 'too-long');
    return [];
  }
  const sent = items.map(({ path }) => readMember(submission, path, baseUrl));
  const users = await store.findUsers(
    database,
    sent.flatMap(({ id }) => id ?? []),
  );
  const members = new Map<string, NewMember>();
  for (const { id, path, isAdmin } of sent) {
    const userGuid = id === undefined ? undefined : users.get(id);
    if (userGuid === undefined) {
      submission.issue(path, 'must refer to a Practitioner that exists, as Practitioner/<id>', 'not-found');
    } else if (members.has(userGuid)) submission.issue(path, 'is a member already', 'duplicate');
    else members.set(userGuid, { userGuid, isAdmin });
  }
  return [...members.values()];
}

interface SentMember {
  readonly path: string;
  readonly id: string | undefined;
  readonly isAdmin: boolean;
}

function readMember(submission: Submission, member: string, baseUrl: string): SentMember {
  submission.expect(`${member}.inactive`, false, 'the members of a group are active');
  submission.expect(`${member}.entity.type`, 'Practitioner', 'the members of a group are practitioners');
  const path = `${member}.entity.reference`;
  const id = referredId(submission.takeText(path), 'Practitioner', baseUrl);
  const [admin] = extensionsOf(submission, GROUP_ADMIN_EXTENSION, `${member}.extension`);
  const isAdmin = admin !== undefined && submission.take(`${admin.path}.valueBoolean`) === true;
  return { path, id: id !== undefined && isGuid(id) ? id : undefined, isAdmin };
}
