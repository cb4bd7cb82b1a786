// Reads the elements that several submitted resource types share: name, e-mail address, extensions and references
// (decision I15).

import { memberIn } from '#fhir/json/members.ts';
import { parseReference } from '#fhir/resources/references.ts';
import type { Audit } from '#lib/audit/audit.ts';
import type { Database } from '#lib/db/database.ts';
import { isGuid } from '#lib/guid.ts';
import type { PasswordOwner } from '#lib/passwords/personal.ts';
import type { AccountPassword } from '../temporary-password.ts';
import { fullName } from './resources.ts';
import * as store from './store.ts';
import type { Item, Submission } from './submission.ts';

/** What creating a patient or a practitioner with an account needs. */
export interface AccountKindDeps {
  readonly database: Database;
  readonly audit: Audit;
  /** The absolute URL of /fhir, without a slash at its end. */
  readonly baseUrl: string;
  /** @throws ServiceError `conflict` when none is configured, or when its owner would guess it */
  readonly temporaryPassword: (owner: PasswordOwner) => Promise<AccountPassword>;
}

export interface SubmittedName {
  readonly first: string | undefined;
  readonly last: string | undefined;
}

/** The first name of the resource; given names are stored as one text. */
export function readName(submission: Submission): SubmittedName {
  const use = submission.take('name[0].use');
  if (use !== undefined && use !== 'official' && use !== 'usual') {
    submission.issue('name[0].use', 'The directory keeps the official name', 'not-supported');
  }
  const last = submission.takeText('name[0].family')?.trim();
  const given = submission.items('name[0].given').map(({ path }) => submission.takeText(path)?.trim() ?? '');
  const first = given.length === 0 ? undefined : given.join(' ');
  const text = fullName({ first_name: first ?? null, last_name: last ?? null });
  submission.expect('name[0].text', text, 'The text of a name is its given names and family name');
  return { first, last };
}

/** The e-mail address of the account: the first ContactPoint of the system `email`. */
export function readEmail(submission: Submission): string | undefined {
  const [found] = submission.items('telecom').filter(({ value }) => memberIn(value, 'system') === 'email');
  if (found === undefined) return undefined;
  submission.take(`${found.path}.system`);
  return submission.takeText(`${found.path}.value`)?.trim();
}

/** The extensions with this url, of the element at `list` or of the resource. Their values are not taken yet. */
export function extensionsOf(submission: Submission, url: string, list = 'extension'): Item[] {
  const found = submission.items(list).filter(({ value }) => memberIn(value, 'url') === url);
  for (const { path } of found) submission.take(`${path}.url`);
  return found;
}

/** The id in a reference to a resource of this type on this server; undefined for any other. */
export function referredId(text: string | undefined, type: string, baseUrl: string): string | undefined {
  const reference = text === undefined ? undefined : parseReference(text);
  const isOurs = reference?.kind === 'relative' || (reference?.kind === 'absolute' && reference.base === baseUrl);
  return isOurs && reference.type === type ? reference.id : undefined;
}

/** The organisation that the reference at the path names. Undefined, with an issue added, when it names none. */
export async function readOrganisation(
  submission: Submission,
  path: string,
  site: { readonly database: Database; readonly baseUrl: string },
): Promise<{ readonly id: string; readonly name: string } | undefined> {
  submission.expect(`${path}.type`, 'Organization', 'must refer to an Organization');
  const id = referredId(submission.takeText(`${path}.reference`), 'Organization', site.baseUrl);
  const known = id !== undefined && isGuid(id) ? await store.readOrganisation(site.database, id) : null;
  if (known !== null) return known;
  submission.issue(`${path}.reference`, 'must refer to an Organization that exists, as Organization/<id>', 'not-found');
  return undefined;
}
