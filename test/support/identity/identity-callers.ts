// One caller of each kind that identity's authorisation distinguishes, named as the columns of its matrix.
import { decodeJwt } from 'jose';
import { systemClock } from '#lib/clock.ts';
import { newGuid } from '#lib/guid.ts';
import { createKeyMaterial } from '#services/identity/signing-keys/key-material.ts';
import { createSigningKeys } from '#services/identity/signing-keys/service.ts';
import { ADMIN, asService, type Identity, SEALING_KEYS } from './identity.ts';
import { makePatient, makeProfessional, PASSWORD } from './identity-people.ts';
import { createIdentityRecords } from './identity-records.ts';

type Headers = Readonly<Record<string, string>>;

/** `here` and `elsewhere`: guids of two groups. */
export async function createIdentityCallers(identity: Identity, groups: { here: string; elsewhere: string }) {
  const { app, database } = identity;
  const records = createIdentityRecords(database);
  const emails = new Map<string, string>([['su', ADMIN.email]]);
  const headers = new Map<string, Headers>([
    ['none', {}],
    ['serv', asService],
  ]);

  async function addProfessional(name: string): Promise<string> {
    const made = await makeProfessional(identity);
    emails.set(name, made.email);
    headers.set(name, made.headers);
    return made.userGuid;
  }
  async function addMember(name: string, group: string, isAdmin: boolean): Promise<void> {
    const user = await addProfessional(name);
    await records.membership({ group, user, status: 'approved', isAdmin });
  }

  const patient = await makePatient(identity);
  emails.set('pat', patient.email);
  headers.set('pat', patient.headers);
  const proxy = await makePatient(identity);
  emails.set('prox', proxy.email);
  headers.set('prox', { ...proxy.headers, 'kedja-patient': await makeProxyOf(identity, { patient, proxy }) });
  await addProfessional('prof');
  await addMember('memb', groups.here, false);
  await addMember('here', groups.here, true);
  await addMember('else', groups.elsewhere, true);
  const su = await identity.asAdmin();
  headers.set('su', su);
  const deleted = await addProfessional('del');
  await app.inject({ method: 'DELETE', url: `/api/admin/users/${deleted}`, headers: su });
  const temporary = await addProfessional('temp');
  await database.query('UPDATE app_user SET must_change_password = true WHERE user_guid = $1', [temporary]);
  const expired = await addProfessional('exp');
  headers.set('exp', await expiredToken(identity, expired));
  await addProfessional('rev');
  await app.inject({ method: 'POST', url: '/api/auth/logout', headers: headers.get('rev') ?? {} });

  const headersOf = (caller: string): Headers => {
    const found = headers.get(caller);
    if (found === undefined) throw new Error(`No caller is named ${caller}`);
    return found;
  };
  async function signInAgain(caller: string): Promise<Headers> {
    const email = emails.get(caller);
    if (email === undefined || ['del', 'exp', 'rev'].includes(caller)) return headersOf(caller);
    return identity.signIn(email, caller === 'su' ? ADMIN.password : PASSWORD);
  }
  return {
    headersOf,
    /** The guid of a further session of a caller who can have one, else of nobody's. */
    async anotherSessionOf(caller: string): Promise<string> {
      const token = (await signInAgain(caller))['authorization']?.slice('Bearer '.length);
      return token === undefined ? newGuid() : String(decodeJwt(token).jti);
    },
    passwordOf: (caller: string) => (caller === 'su' ? ADMIN.password : PASSWORD),
    patientGuid: String(patient.answer.patient_guid),
    /** The headers of a further session of a caller who can have one, else what the caller has. */
    signInAgain,
  };
}

type Patient = Awaited<ReturnType<typeof makePatient>>;

/** The patient names the other one; returns the patient's guid. */
async function makeProxyOf({ app }: Identity, { patient, proxy }: { patient: Patient; proxy: Patient }) {
  const until = new Date(Date.now() + 7 * 86_400_000).toISOString().slice(0, 10);
  const payload = { email: proxy.email, may: 'act', until };
  const url = '/api/patient/proxies';
  const invited = await app.inject({ method: 'POST', url, headers: patient.headers, payload });
  const accepting = { method: 'POST', url: `${url}/${invited.json().proxy_guid}/accept` } as const;
  const accepted = await app.inject({ ...accepting, headers: proxy.headers });
  if (accepted.statusCode !== 200) throw new Error(accepted.body);
  return String(patient.answer.patient_guid);
}

/** Signed by the right key for a user who exists, but out of date. */
async function expiredToken({ database }: Identity, userGuid: string): Promise<Headers> {
  const keys = createSigningKeys({ database, clock: systemClock, material: createKeyMaterial(SEALING_KEYS) });
  await keys.refresh();
  const now = Math.floor(Date.now() / 1000);
  const times = { issuedAt: now - 3600, expiresAt: now - 1 };
  const claims = { userGuid, tokenId: newGuid(), userType: 'professional', audience: 'kedja', ...times } as const;
  return { authorization: `Bearer ${(await keys.sign(claims)).token}` };
}
