// What a page for providers without a system is made from (decision D13).
import type { Language } from '#lib/html/html.ts';
import type { ReceiptPage } from './page-service.ts';

/** Of every text that is written on the page. */
export const TEXT_LENGTH = 2000;

export interface WrongText {
  /** `progress`: nothing was chosen to report. */
  readonly field: 'reason' | 'question' | 'note' | 'progress';
  /** What was written in the form. */
  readonly text: string;
  /** What was chosen beside it. */
  readonly chosen?: string | undefined;
}

export interface ReceiptSheet {
  readonly language: Language;
  /** The IANA name of the zone in which moments are told. */
  readonly timeZone: string;
  readonly token: string;
  readonly page: ReceiptPage;
  /** An answer was given that the state does not allow. */
  readonly isRefused?: boolean;
  /** What was written, when it cannot be taken. */
  readonly wrong?: WrongText | undefined;
}
