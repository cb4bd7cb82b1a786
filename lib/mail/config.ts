// Configuration of outgoing mail. Without a mail server nothing is queued, and pages offer nothing that needs mail.
import { email } from '../config/network-types.ts';
import { defineSection, variable } from '../config/section.ts';
import { smtpUrl } from './smtp-url.ts';

export const mailSection = defineSection({
  title: 'Mail',
  variables: {
    smtp: variable('KEDJA_SMTP_URL', smtpUrl(), {
      description:
        'The mail server. `smtps:` is TLS from the start, `smtp:` requires STARTTLS unless the server is on this machine. `?tls=none` permits plain text within a network that you trust.',
      whenUnset: 'no mail is sent, and pages do not offer what needs it',
      example: 'smtps://kedja:password@mail.example.org',
    }),
    from: variable('KEDJA_MAIL_FROM', email(), {
      description: 'The sender of mails; needed with KEDJA_SMTP_URL.',
      whenUnset: 'none',
      example: 'no-reply@example.org',
    }),
  },
  check: ({ smtp, from }, { hasIssue }) => {
    if (smtp !== undefined && from === undefined && !hasIssue('KEDJA_MAIL_FROM')) {
      return ['KEDJA_MAIL_FROM is missing: mails need a sender'];
    }
    if (smtp === undefined && from !== undefined && !hasIssue('KEDJA_SMTP_URL')) {
      return ['KEDJA_SMTP_URL is missing: without a mail server KEDJA_MAIL_FROM sends nothing'];
    }
    return [];
  },
});
