// A mail server on loopback for tests. It stores accepted messages, and refuses or does not respond on request.
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';
import { createSmtpSender, type SendMail } from '#lib/mail/smtp-sender.ts';
import type { Hooks } from './hooks.ts';
import { eventually } from './http.ts';

/** A mail whose first attempt failed is sent again some ten seconds later. */
const ARRIVES_WITHIN_MS = 60_000;
export const SENDER = 'no-reply@kedja.example.org';

export interface TakenMail {
  readonly from: string;
  readonly to: readonly string[];
  /** As sent: headers and body. */
  readonly raw: string;
  readonly subject: string;
  /** The body, decoded. */
  readonly body: string;
}

export interface MailServer {
  readonly url: string;
  readonly send: SendMail;
  readonly taken: TakenMail[];
  /** What the server replies to recipients and to messages; undefined for a server that takes all. */
  reply: { recipient?: number; message?: number; isSilent?: boolean };
  /** The mail to this address that matches, as soon as it is there. */
  mailTo(address: string, about?: RegExp): Promise<TakenMail>;
}

/** It takes a free port when none is given. */
export async function startMailServer(hooks: Hooks, port = 0): Promise<MailServer> {
  const taken: TakenMail[] = [];
  const site: Pick<MailServer, 'reply'> = { reply: {} };
  const refused = (code: number) => Object.assign(new Error('No'), { responseCode: code });
  const server = new SMTPServer({
    authOptional: true,
    hideSTARTTLS: true,
    closeTimeout: 1,
    onRcptTo: (_address, _session, done) =>
      site.reply.recipient === undefined ? done() : done(refused(site.reply.recipient)),
    onData: (stream, { envelope }, done) => {
      void text(stream).then((raw) => {
        if (site.reply.isSilent === true) return;
        if (site.reply.message !== undefined) return done(refused(site.reply.message));
        const { mailFrom, rcptTo } = envelope;
        const from = mailFrom === false ? '' : mailFrom.address;
        taken.push({ from, to: rcptTo.map(({ address }) => address), raw, ...partsOf(raw) });
        done();
      });
    },
  });
  // Clients that go away in the middle are part of the tests.
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => {
    server.listen(port, '127.0.0.1', resolve);
  });
  hooks.after(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
      }),
  );
  const taking = (server.server.address() as AddressInfo).port;
  const send = createSmtpSender({ server: { host: '127.0.0.1', port: taking, tls: 'none' }, from: SENDER });
  const mailTo = (address: string, about = /(?:)/): Promise<TakenMail> =>
    eventually(
      'the mail arrives',
      async () => taken.find((mail) => mail.to.includes(address) && about.test(mail.subject)),
      ARRIVES_WITHIN_MS,
    );
  return Object.assign(site, { url: `smtp://127.0.0.1:${taking}`, send, taken, mailTo });
}

function partsOf(raw: string): { subject: string; body: string } {
  const [head = '', ...rest] = raw.split('\r\n\r\n');
  const unfolded = head.replaceAll(/\r\n[ \t]+/g, ' ');
  const header = (name: string) => new RegExp(`^${name}: (.*)$`, 'im').exec(unfolded)?.[1] ?? '';
  const encoding = header('Content-Transfer-Encoding');
  const body = rest.join('\r\n\r\n').replaceAll('\r\n', '\n');
  return { subject: decodeWords(header('Subject')), body: decodeBody(body, encoding) };
}

function decodeBody(body: string, encoding: string): string {
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString();
  return encoding === 'quoted-printable' ? decodeQuoted(body.replaceAll('=\n', '')) : body;
}

/** Encoded words (RFC 2047). */
function decodeWords(text: string): string {
  return text
    .replaceAll(/\?=\s+=\?/g, '?==?')
    .replaceAll(/=\?utf-8\?([bq])\?([^?]*)\?=/gi, (_all, form: string, word: string) =>
      form.toLowerCase() === 'b' ? Buffer.from(word, 'base64').toString() : decodeQuoted(word.replaceAll('_', ' ')),
    );
}

function decodeQuoted(quoted: string): string {
  const bytes = quoted.replaceAll(/=([0-9A-F]{2})/g, (_all, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return Buffer.from(bytes, 'latin1').toString();
}
