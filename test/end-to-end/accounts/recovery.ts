// A forgotten password (decision L12). It is renewed by a link by mail, a code from an administrator, a code from an
// operator on the machine. Also tested: a mail server that is down when the link is asked for.
import assert from 'node:assert/strict';
import { eventually } from '#test/support/http.ts';
import { PASSWORD } from '../accounts.ts';
import { call } from '../call.ts';
import type { Story } from '../context.ts';
import { type RegisteredPatient, register, untilStatus } from '../people.ts';

const NEW = 'skogens-grona-stigar-8';
const SUBJECT = /Choose a new password/;

export async function forgottenPasswordIsReplaced(story: Story): Promise<void> {
  await Promise.all([
    register(story, 'Hugo').then((user) => story.walk('E3', () => byMail(story, user))),
    register(story, 'Irma').then((user) => story.walk('E4', () => byAdministratorsCode(story, user))),
    register(story, 'Jonas').then((user) => story.walk('E5', () => byCommand(story, user))),
  ]);
}

type Site = Pick<Story, 'addresses'>;

/** Asks for a link. */
export function askForLink({ addresses }: Site, email: string): Promise<unknown> {
  return call(`${addresses.identity}/api/auth/password-reset`, { json: { email, lang: 'en' }, expect: 202 });
}

/** Takes the link from the mail and chooses a password; all that was signed in is signed out. */
export async function chooseByLink({ addresses, mail }: Pick<Story, 'addresses' | 'mail'>, user: RegisteredPatient) {
  const { body } = await mail.mailTo(user.email, SUBJECT);
  const link = /https?:\S+token=[\w-]+/.exec(body)?.[0] ?? '';
  assert.ok(link.startsWith(`${addresses.gateway}/identity/reset-password`), 'the link leads to the public address');
  const page = await call(link);
  assert.match(page.text, /name="new_password"/);
  const token = new URL(link).searchParams.get('token') ?? '';
  await chooses({ addresses }, user, token);
  await confirm({ addresses }, token, 401);
}

function confirm({ addresses }: Site, token: string, expect = 200) {
  const json = { token, new_password: NEW };
  return call(`${addresses.identity}/api/auth/password-reset/confirm`, { json, expect });
}

async function chooses(site: Site, { email, token: signedIn }: RegisteredPatient, token: string): Promise<void> {
  const { identity, dispatch } = site.addresses;
  await confirm(site, token);
  await untilStatus(401, `${dispatch}/Patient`, { token: signedIn });
  await call(`${identity}/api/auth/login`, { json: { email, password: PASSWORD }, expect: 401 });
  await call(`${identity}/api/auth/login`, { json: { email, password: NEW } });
}

async function byMail(story: Story, user: RegisteredPatient): Promise<void> {
  const page = await call(`${story.addresses.gateway}/identity/forgot-password?lang=en`);
  assert.match(page.text, /name="email"/);
  await askForLink(story, 'nobody@example.org');
  await askForLink(story, user.email);
  await chooseByLink(story, user);
  const notice = await story.mail.mailTo(user.email, /Ditt lösenord till Kedja är bytt|password for Kedja was changed/);
  assert.doesNotMatch(notice.body, /token=/);
  assert.ok(!story.mail.taken.some(({ to }) => to.includes('nobody@example.org')), 'no mail to who has no account');
}

async function byAdministratorsCode(story: Story, user: RegisteredPatient): Promise<void> {
  const { addresses, accounts } = story;
  const url = `${addresses.identity}/api/admin/users/${user.userGuid}/password-reset`;
  await call(url, { method: 'POST', token: accounts.planner, expect: 403 });
  const issue = { method: 'POST', token: accounts.admin, expect: 201 } as const;
  const replaced = (await call(url, issue)).body.code;
  const { code } = (await call(url, issue)).body;
  await confirm(story, replaced, 401);
  await chooses(story, user, code.toLowerCase().replaceAll('-', ' '));
}

async function byCommand(story: Story, user: RegisteredPatient): Promise<void> {
  const { code, stdout, stderr } = await story.kedja('users', 'reset-password', user.email);
  assert.equal(code, 0, stderr);
  await chooses(story, user, stdout.trim());
  const query = 'event=user.issue-reset-code&outcome=success';
  await eventually('the audit log named the operator', async () => {
    const { text } = await call(`${story.addresses.identity}/api/admin/audit?${query}`, {
      token: story.accounts.admin,
    });
    return /"operator":"/.test(text) ? true : undefined;
  });
}
