// The story: the main workflow and every row of docs/reference/everyone.md, at the public address of a running system.
// Rows that do not touch each other are walked at the same time.
import type { TestContext } from 'node:test';
import { pgBouncerVersion, startPgBouncer } from '#test/support/database/pgbouncer.ts';
import { lastFirst } from '#test/support/hooks.ts';
import { eventually } from '#test/support/http.ts';
import { startMailServer } from '#test/support/mail.ts';
import { freePorts } from '#test/support/system/free-ports.ts';
import { createSystemDatabase } from '#test/support/system/system-database.ts';
import { administratorLooksAfterUsers } from './accounts/administration.ts';
import { gatewayNamesALostService, integratorsConnect } from './accounts/integration.ts';
import { oneSessionServesAll } from './accounts/one-session.ts';
import { peopleCorrectTheirAccount } from './accounts/own-account.ts';
import { askForLink, chooseByLink, forgottenPasswordIsReplaced } from './accounts/recovery.ts';
import { assertValid } from './call.ts';
import { providerSeesToItsDeliveries } from './caregivers/own-deliveries.ts';
import { staffDeliver } from './caregivers/provider-staff.ts';
import { caregiverAnswersByLink } from './caregivers/receipt-form.ts';
import { resultsArrive } from './caregivers/results.ts';
import type { Addresses, Story } from './context.ts';
import { assertNoSecrets } from './log-secrecy.ts';
import { patientReadsTheAccessLog } from './patients/access-log.ts';
import { guardianActsForChild } from './patients/guardian.ts';
import { onePersonHasOneRecord } from './patients/one-record.ts';
import { othersDecide, patientSealsAll } from './patients/own-consent.ts';
import { patientReports } from './patients/own-reports.ts';
import { protectedIdentityStaysProtected } from './patients/protected-identity.ts';
import { proxiesAct } from './patients/proxy.ts';
import { register, withPatient } from './people.ts';
import { plannerFollowsDelivery } from './requesters/delivery.ts';
import { plannerIsNotified } from './requesters/notifications.ts';
import { linksAreSentAndEnded } from './requesters/receipt-link.ts';
import { createRows, readRows } from './rows.ts';
import { type Hooks, type System, startSystem } from './system.ts';
import { everyAccessIsRecorded, prepareScenario, runWorkflow, signingOutReachesEveryService } from './workflow.ts';

/** The rate limits are for many people behind one address. */
const LIMITS = ['REGISTER', 'ACCESS_REQUEST', 'PASSWORD_RESET', 'CATALOGUE'].map((name) => `KEDJA_RATE_LIMIT_${name}`);

/** Runs the whole story, with all services in one process, or each in its own behind a pooler (where installed). */
export async function tellStory(t: TestContext, { isApart }: { readonly isApart: boolean }): Promise<void> {
  const hooks = lastFirst(t);
  const { url: databaseUrl } = await createSystemDatabase(hooks);
  const [mailPort = 0] = await freePorts(1);
  const environment = {
    KEDJA_SMTP_URL: `smtp://127.0.0.1:${mailPort}`,
    KEDJA_MAIL_FROM: 'no-reply@kedja.example.org',
    KEDJA_WEBHOOK_RETRY_SECONDS: '3,1',
    ...Object.fromEntries(LIMITS.map((name) => [name, '1000'])),
    ...(isApart ? await pooler(t, hooks, databaseUrl) : {}),
  };
  const system = await startSystem(hooks, { databaseUrl, isApart, environment });
  const rows = createRows(await readRows());
  const scenario = await prepareScenario(atGateway(system.addresses));
  const before = { ...scenario, walk: rows.walk, refused: new Set<string>(), secrets: new Set<string>() };
  const waiting = await mailServerIsDown(before, system);
  const mail = await startMailServer(hooks, mailPort);
  const story: Story = { ...before, mail, kedja: system.command };
  answerWebhooks(story);
  await Promise.all([story.walk('B6', () => chooseByLink(story, waiting)), walkRows(story)]);
  if (isApart) {
    await system.processOf('dispatch').end('SIGTERM');
    await gatewayNamesALostService(story, 'dispatch');
  }
  rows.assertAllWalked();
  checkWhatLeft(story, system);
}

/** The settings for a PgBouncer before the database, which opens at most 20 connections. */
async function pooler(t: TestContext, hooks: Hooks, databaseUrl: string): Promise<Readonly<Record<string, string>>> {
  if (pgBouncerVersion() === undefined) {
    t.diagnostic('without a pooler: PgBouncer is not installed');
    return {};
  }
  return {
    KEDJA_DATABASE_URL: await startPgBouncer(hooks, databaseUrl, { default_pool_size: 20 }),
    KEDJA_DATABASE_DIRECT_URL: databaseUrl,
    KEDJA_DATABASE_POOLING: 'transaction',
  };
}

/** All services at the public address. */
function atGateway(addresses: Addresses): Addresses {
  const { gateway } = addresses;
  const api = (name: string) => `${gateway}/${name}/api/v1`;
  return { ...addresses, identity: `${gateway}/identity`, engine: api('engine'), dispatch: api('dispatch') };
}

/** Asks for a link while nobody takes mails; the response does not differ. Returns who asked. */
async function mailServerIsDown(story: Omit<Story, 'mail' | 'kedja'>, system: System) {
  const user = await register(story, 'Gull');
  await askForLink(story, user.email);
  await eventually('an attempt to send failed', async () =>
    system.processOf('identity').output().includes('"event":"mail.failed"') ? true : undefined,
  );
  return user;
}

/** The outside provider's system takes what it is not set to refuse. */
function answerWebhooks({ addresses, refused }: Story): void {
  addresses.receiver.behave(({ body }, response) => {
    if ([...refused].some((text) => body.includes(text))) response.writeHead(503).end('No disk');
    else response.writeHead(204).end();
  });
}

async function walkRows(story: Story): Promise<void> {
  await Promise.all([
    patientOfTheWorkflow(story),
    withPatient(story, 'Gun').then(async (about) => {
      await providerSeesToItsDeliveries(about, await plannerFollowsDelivery(about));
      await plannerIsNotified(about);
      await linksAreSentAndEnded(about);
    }),
    othersDecide(story),
    onePersonHasOneRecord(story),
    protectedIdentityStaysProtected(story),
    guardianActsForChild(story),
    forgottenPasswordIsReplaced(story),
    peopleCorrectTheirAccount(story),
    administratorLooksAfterUsers(story),
  ]);
  await everyAccessIsRecorded(story);
  await Promise.all([integratorsConnect(story), oneSessionServesAll(story)]);
  await signingOutReachesEveryService(story);
}

async function patientOfTheWorkflow(story: Story): Promise<void> {
  await runWorkflow(story);
  await caregiverAnswersByLink(story);
  await patientReports(story);
  await staffDeliver(story);
  await resultsArrive(story);
  await patientSealsAll(story);
  await proxiesAct(story);
  await patientReadsTheAccessLog(story);
}

/** Every message to a provider is valid, and no log names a person or holds a secret. */
function checkWhatLeft({ addresses, accounts, library, secrets }: Story, system: System): void {
  for (const { event } of addresses.receiver.ledger) {
    if (event.type === 'request.dispatched') assertValid(event.data.bundle, 'the webhook');
    if (typeof event.data.receipt_token === 'string') secrets.add(event.data.receipt_token);
  }
  const { admin, planner, patient } = accounts;
  for (const secret of [admin, planner, patient, library.outsideKey]) secrets.add(secret);
  for (const service of ['identity', 'engine', 'dispatch'] as const) {
    assertNoSecrets(system.processOf(service).output(), [...secrets]);
  }
}
