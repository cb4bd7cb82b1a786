// The data from which the receipt page for providers without a system is rendered (decision D13).
import type { Language } from '#lib/html/html.ts';
import type { ReceiptPage } from './page-service.ts';

/** The most characters of a text in the page's forms. */
export const TEXT_LENGTH = 2000;

export interface InvalidText {
  /** `progress`: no report was chosen. `discard`: drafts would be lost, and nobody said that they may be. */
  readonly field: 'reason' | 'question' | 'note' | 'progress' | 'discard';
  /** The submitted text. */
  readonly text: string;
  /** The option that was chosen with it. */
  readonly chosen?: string | undefined;
}

export interface ReceiptPageModel {
  readonly language: Language;
  /** The IANA name of the time zone of the times on the page. */
  readonly timeZone: string;
  readonly token: string;
  readonly page: ReceiptPage;
  /** Whether the state refused the response. */
  readonly isRefused?: boolean;
  /** Whether what was written in a form was saved though the form cannot be shown. */
  readonly isKept?: boolean | undefined;
  /** Whether a question has just been asked. */
  readonly isAsked?: boolean;
  /** The submitted text, when it is invalid. */
  readonly wrong?: InvalidText | undefined;
}
