// What is known to be refused of an invitation before it is sent. Pure.
export interface Invitation {
  /** A personnummer or an e-mail address. */
  readonly named: string;
  readonly may: 'read' | 'act';
  /** `YYYY-MM-DD`; empty before it is chosen. */
  readonly until: string;
}

/** Keys of texts: `form.issue.required`, `proxies.issue.…`. */
export type InviteIssue = 'required' | 'self' | 'again' | 'past' | 'far';

interface Known {
  /** Of who asks. */
  readonly email: string | undefined;
  readonly open: readonly { readonly named: string | null }[];
  readonly now: Date;
}

/** The service's limit (services/identity/proxies/service.ts), in days. */
const LONGEST_DAYS = 2 * 366;

export function inviteIssues(
  { named, until }: Invitation,
  { email, open, now }: Known,
): { readonly named?: InviteIssue; readonly until?: InviteIssue } {
  const whom = named.trim().toLowerCase();
  const isNamed = open.some((each) => whom.includes('@') && each.named?.toLowerCase() === whom);
  const self = whom === '' ? 'required' : whom === email?.toLowerCase() ? 'self' : isNamed ? 'again' : undefined;
  const today = dayIn(now, 0);
  const day =
    until === '' ? 'required' : until < today ? 'past' : until > dayIn(now, LONGEST_DAYS - 1) ? 'far' : undefined;
  return { ...(self === undefined ? {} : { named: self }), ...(day === undefined ? {} : { until: day }) };
}

/** As in Sweden, where the service counts days. */
function dayIn(now: Date, days: number): string {
  const moment = now.getTime() + days * 86_400_000;
  return new Intl.DateTimeFormat('sv-SE', { timeZone: 'Europe/Stockholm' }).format(moment);
}
