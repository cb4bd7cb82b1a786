// Types of forms inside dispatch (decision D12): attached to a request, and in the catalogue.

export interface FormAttachment {
  readonly serviceRequestId: string;
  readonly formAttachmentGuid: string;
  readonly formGuid: string;
  readonly title: string;
  /** From 1, without gaps. */
  readonly position: number;
  /** A form for the patient is not sent to providers (docs/adr/0072). */
  readonly answeredBy: AnsweredBy;
  /** By when the patient is to answer it: a date. */
  readonly due: string | undefined;
}

export const ANSWERED_BY = ['provider', 'patient'] as const;
export type AnsweredBy = (typeof ANSWERED_BY)[number];

/** A form that finalize froze. */
export interface FrozenAttachment extends FormAttachment {
  /** JSON text. */
  readonly renderReady: string;
}

export interface CatalogueEntry {
  readonly formGuid: string;
  readonly title: string;
  readonly version: string | null;
  readonly status: string;
  readonly url: string | null;
}

/** A form as the plan service has it now, made self-contained. */
export interface FrozenForm {
  readonly formGuid: string;
  readonly title: string;
  /** JSON text of the Questionnaire, self-contained. */
  readonly questionnaire: string;
  /** JSON text. */
  readonly renderReady: string;
}
