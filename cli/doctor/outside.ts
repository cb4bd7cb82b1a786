// `kedja doctor` on what is outside: the public address with its certificate and its proxy, and the mail server.
import { isIP } from 'node:net';
import { connect } from 'node:tls';
import { DAY_MS } from '#lib/clock.ts';
import { isLoopbackUrl } from '#lib/config/address.ts';
import { type MailError, trySmtp } from '#lib/mail/smtp-sender.ts';
import type { SmtpServer } from '#lib/mail/smtp-url.ts';
import { ask, isCertificateError } from './ask.ts';
import { type Finding, fail, fine, warn } from './findings.ts';

const LIMIT_MS = 5_000;
const RENEW_DAYS = 14;
const PROXY_PAGE = 'See docs/operations/deploy.md';

/** Asks the public address from this machine, which may be somewhere that it cannot be reached from. */
export async function checkPublicAddress(publicUrl: string, isGatewayUp: boolean): Promise<Finding[]> {
  if (isLoopbackUrl(publicUrl)) return [fine('address.local', `${publicUrl} is this machine alone`)];
  const answer = await ask(`${publicUrl}/livez`);
  if (typeof answer === 'string') return [unreachable(publicUrl, answer)];
  const findings = [await certificateFinding(new URL(publicUrl))];
  if (!answer.isKedja) {
    const message = `${publicUrl} is answered by something else (status ${answer.status})`;
    if (isGatewayUp)
      return [...findings, fail('address.other', message, `Let the proxy forward to the gateway. ${PROXY_PAGE}`)];
    return [...findings, warn('address.other', message, 'Start Kedja and run this again')];
  }
  const metrics = await ask(`${publicUrl}/metrics`);
  if (typeof metrics !== 'string' && metrics.status === 200) {
    const message = `${publicUrl}/metrics is open to everybody: the proxy does not say for whom it asks`;
    return [...findings, fail('address.forwarding', message, `Let it set X-Forwarded-For. ${PROXY_PAGE}`)];
  }
  return [...findings, fine('address.reached', `${publicUrl} reaches Kedja`)];
}

function unreachable(publicUrl: string, code: string): Finding {
  const message = `${publicUrl} cannot be reached from this machine: ${code}`;
  if (isCertificateError(code))
    return fail('address.certificate', message, 'Renew or complete the certificate of the proxy');
  return warn(
    'address.unreachable',
    message,
    'Ask it from a machine of its users; if it fails there, look at the proxy',
  );
}

/** Reads when the certificate ends; that it is valid was seen before. */
function certificateFinding({ hostname, port }: URL): Promise<Finding> {
  const unknown = fine('address.certificate', 'When the certificate ends is not known');
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  // TLS names no server by its IP address (RFC 6066 §3).
  const name = isIP(host) === 0 ? { servername: host } : {};
  return new Promise((resolve) => {
    const socket = connect({ host, port: Number(port) || 443, timeout: LIMIT_MS, ...name }, () => {
      const ends = Date.parse(socket.getPeerCertificate().valid_to);
      socket.end();
      resolve(Number.isNaN(ends) ? unknown : certificateEnd(ends, Date.now()));
    });
    socket.once('error', () => resolve(unknown));
    socket.once('timeout', () => socket.destroy(new Error('timeout')));
  });
}

/** @param ends in milliseconds since 1970, as `now` */
export function certificateEnd(ends: number, now: number): Finding {
  const days = Math.floor((ends - now) / DAY_MS);
  const message = `The certificate of the public address is valid for ${days} more days`;
  if (days >= RENEW_DAYS) return fine('address.certificate', message);
  return warn('address.certificate', message, 'Renew it, and see why that was not done by itself');
}

const MAIL_ADVICE: Partial<Readonly<Record<MailError, string>>> = {
  authentication: 'Correct the user and the password in KEDJA_SMTP_URL',
  tls: 'See that the server offers TLS with a valid certificate, or take smtps://',
  unreachable: 'Correct the host and the port in KEDJA_SMTP_URL, and see that the network lets this machine through',
  timeout: 'See that the network lets this machine through',
};

/** Connects to the mail server and signs in; it sends nothing. */
export async function checkMail(server: SmtpServer | undefined, from: string | undefined): Promise<Finding> {
  if (server === undefined) return fine('mail.none', 'No mail server is configured, and no mail is sent');
  const place = `${server.host}:${server.port}`;
  const error = await trySmtp({ server, from: from ?? '' });
  if (error === undefined) return fine('mail.connects', `The mail server ${place} takes connections`);
  const advice = MAIL_ADVICE[error] ?? 'Look at the log of the mail server';
  return fail('mail.refused', `The mail server ${place} cannot be used: ${error}`, advice);
}
