// Importing and exporting users as an SU admin does: the file as a multipart upload.
import type { Identity } from './identity.ts';

export const HEADER =
  'email,user_type,first_name,last_name,professional_role,personnummer,organisations,groups,is_su_admin';

/** A row of a nurse; `rest`: the cells after the role. */
export const nurse = (email: string, rest = ',,,,') => `${email},professional,Anna,Berg,nurse${rest}`;

/** The imported user with the address; undefined when there is none. */
export async function findUser({ database }: Identity, email: string) {
  const { rows } = await database.query<{
    user_guid: string;
    must_change_password: boolean;
    is_su_admin: boolean;
    first_name: string | null;
  }>('SELECT user_guid, must_change_password, is_su_admin, first_name FROM app_user WHERE email = $1', [email]);
  return rows[0];
}

export interface ImportResponse {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: the assertions check what comes over the wire
  readonly body: any;
}

/** The multipart form with its content type. */
export async function formOf(form: FormData): Promise<{ payload: Buffer; headers: { 'content-type': string } }> {
  const encoded = new Response(form);
  const contentType = encoded.headers.get('content-type') ?? '';
  return { payload: Buffer.from(await encoded.arrayBuffer()), headers: { 'content-type': contentType } };
}

export function fileForm(content: string | Uint8Array<ArrayBuffer>): FormData {
  const form = new FormData();
  form.append('file', new Blob([content], { type: 'text/csv' }), 'users.csv');
  return form;
}

/** Sends the document, or the form, to the import. */
export async function importUsers(
  identity: Identity,
  file: string | Uint8Array<ArrayBuffer> | FormData,
  query = '',
): Promise<ImportResponse> {
  const { payload, headers } = await formOf(file instanceof FormData ? file : fileForm(file));
  const answer = await identity.app.inject({
    method: 'POST',
    url: `/api/admin/import-users${query}`,
    headers: { ...(await identity.asAdmin()), ...headers },
    payload,
  });
  return { status: answer.statusCode, body: answer.json() };
}

/** Imports these rows below the header. */
export function importRows(identity: Identity, rows: readonly string[], query = ''): Promise<ImportResponse> {
  return importUsers(identity, [HEADER, ...rows, ''].join('\r\n'), query);
}

export async function exportUsers(identity: Identity): Promise<string> {
  const answer = await identity.app.inject({ url: '/api/admin/export-users', headers: await identity.asAdmin() });
  if (answer.statusCode !== 200) throw new Error(`The export answered ${answer.statusCode}: ${answer.body}`);
  return answer.body;
}
