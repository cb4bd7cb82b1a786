// Sends one mail by SMTP (RFC 5321) and classifies what came of it. Replies of servers may repeat addresses, so nothing
// but their class and code leaves this file.
import { createTransport } from 'nodemailer';
import type { MailMessage } from './message.ts';
import type { SmtpServer } from './smtp-url.ts';

/**
 * `refused`: the server takes no mail to this recipient, or not this mail (5xx); another attempt is useless. `failed`:
 * another attempt may succeed.
 */
export type SendResult =
  | { readonly kind: 'sent' }
  | { readonly kind: 'refused' | 'failed'; readonly error: MailError; readonly code?: number };

export type MailError =
  | 'address_refused'
  | 'message_refused'
  | 'deferred'
  | 'authentication'
  | 'tls'
  | 'timeout'
  | 'unreachable'
  | 'interrupted'
  | 'other';

/** `id`: the same for every attempt at one mail, so that receivers may recognise a second copy (RFC 5322 §3.6.4). */
export type SendMail = (message: MailMessage, id: string, signal: AbortSignal) => Promise<SendResult>;

/** How long to wait for what, in milliseconds. */
const TIMEOUTS = { dnsTimeout: 10_000, connectionTimeout: 10_000, greetingTimeout: 20_000, socketTimeout: 60_000 };

interface Sending {
  readonly server: SmtpServer;
  /** The sender's address. */
  readonly from: string;
}

export function createSmtpSender({ server, from }: Sending): SendMail {
  const domain = domainOf(from);
  const transport = transportTo({ server, from });
  return async ({ to, subject, text }, id, signal) => {
    // `Auto-Submitted` (RFC 3834) keeps absence notes and loops away.
    const headers = { 'Auto-Submitted': 'auto-generated' };
    const envelope = { from, to: [to] };
    const sender = { name: 'Kedja', address: from };
    try {
      const messageId = `<${id}@${domain}>`;
      const recipient = { name: '', address: to };
      await transport.sendMail({ from: sender, to: recipient, subject, text, headers, envelope, messageId, signal });
      return { kind: 'sent' };
    } catch (error) {
      return signal.aborted ? { kind: 'failed', error: abortedBy(signal) } : resultOf(error);
    }
  };
}

/** Connects and signs in, and sends nothing. Returns what prevents it; undefined when all is well. */
export async function trySmtp(sending: Sending): Promise<MailError | undefined> {
  const transport = transportTo(sending);
  try {
    await transport.verify();
    return undefined;
  } catch (error) {
    const result = resultOf(error);
    return result.kind === 'sent' ? undefined : result.error;
  } finally {
    transport.close();
  }
}

function transportTo({ server, from }: Sending) {
  const { host, port, tls, user, password } = server;
  return createTransport({
    host,
    port,
    name: domainOf(from),
    secure: tls === 'implicit',
    requireTLS: tls === 'starttls',
    ignoreTLS: tls === 'none',
    ...TIMEOUTS,
    ...(user === undefined || password === undefined ? {} : { auth: { user, pass: password.reveal() } }),
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1);
}

/** By our own time limit, or by a process that stops. */
function abortedBy({ reason }: AbortSignal): MailError {
  return reason instanceof Error && reason.name === 'TimeoutError' ? 'timeout' : 'interrupted';
}

const CLASSES: Readonly<Record<string, MailError>> = {
  EAUTH: 'authentication',
  ENOAUTH: 'authentication',
  ETLS: 'tls',
  ETIMEDOUT: 'timeout',
  ECONNECTION: 'unreachable',
  ESOCKET: 'unreachable',
  EDNS: 'unreachable',
};

/** nodemailer’s error: its class, the reply's code, and the command that it answers. */
function resultOf(error: unknown): SendResult {
  const { code, responseCode, command } = fieldsOf(error);
  const reply = responseCode === undefined ? {} : { code: responseCode };
  // A refused sender or log-in is the operator's to correct, and the mail is then sent.
  const isFinal = responseCode !== undefined && responseCode >= 500 && (command === 'RCPT TO' || command === 'DATA');
  if (isFinal) return { kind: 'refused', error: command === 'DATA' ? 'message_refused' : 'address_refused', ...reply };
  const known = CLASSES[code ?? ''];
  return { kind: 'failed', error: known ?? (responseCode === undefined ? 'other' : 'deferred'), ...reply };
}

function fieldsOf(error: unknown): { code?: string; responseCode?: number; command?: string } {
  if (typeof error !== 'object' || error === null) return {};
  const [code, responseCode, command] = ['code', 'responseCode', 'command'].map((name) => Reflect.get(error, name));
  return {
    ...(typeof code === 'string' ? { code } : {}),
    ...(typeof responseCode === 'number' ? { responseCode } : {}),
    ...(typeof command === 'string' ? { command } : {}),
  };
}
