// Parses the message of a webhook of dispatch (decision D8) from its bytes. Pure.
import { Value } from 'typebox/value';
import { parseExactJson } from '#fhir/json/exact-json.ts';
import { memberIn } from '#fhir/json/members.ts';
import { factsOf, readBundle, type TaskFacts } from '#fhir/reports/pushed-bundle.ts';
import { ServiceError } from '#lib/errors.ts';
import { fhirLimitsFor, requireModestJson } from '#lib/http/body/json-limits.ts';
import { ClosedData, DispatchedData, Webhook } from '../schema.ts';

export type WebhookMessage =
  | {
      readonly kind: 'dispatched';
      readonly requestGuid: string;
      readonly receiptToken: string;
      readonly facts: TaskFacts & { readonly patientGuid: string };
      /** The pushed Bundle as JSON text. Decimals keep their digits. */
      readonly bundle: string;
    }
  | { readonly kind: 'closed'; readonly requestGuid: string; readonly reason: string }
  | { readonly kind: 'ping' };

/** @throws ServiceError `unprocessable` for a message that cannot be read; `invalid_request` beyond the limits */
export function readWebhook(body: Uint8Array): WebhookMessage {
  const message = parse(body);
  if (!Value.Check(Webhook, message.plain)) throw unreadable('it is no webhook of dispatch');
  const { type, data } = message.plain;
  switch (type) {
    case 'request.dispatched':
      return dispatched(data, message.exact);
    case 'request.withdrawn':
    case 'request.revoked':
      if (!Value.Check(ClosedData, data)) throw unreadable('its data names no request');
      return { kind: 'closed', requestGuid: data.request_guid, reason: data.reason ?? type.replace('request.', '') };
    case 'ping':
      return { kind: 'ping' };
    default:
      throw unreadable('its type is not known');
  }
}

function dispatched(data: unknown, exact: unknown): WebhookMessage {
  if (!Value.Check(DispatchedData, data)) throw unreadable('its data has no request_guid, receipt_token or bundle');
  const read = readBundle(data.bundle);
  if (read === undefined) throw unreadable('its bundle has no ServiceRequest');
  const { patientGuid, ...facts } = factsOf(read);
  if (patientGuid === undefined) throw unreadable('its bundle names no patient');
  const bundle = JSON.stringify(memberIn(memberIn(exact, 'data'), 'bundle'));
  const { request_guid: requestGuid, receipt_token: receiptToken } = data;
  return { kind: 'dispatched', requestGuid, receiptToken, facts: { ...facts, patientGuid }, bundle };
}

/** Parsed values for reading, and exact JSON for storing, so that decimals of the Bundle keep their digits. */
function parse(body: Uint8Array): { plain: unknown; exact: unknown } {
  try {
    requireModestJson(body, fhirLimitsFor(body.length));
    const text = new TextDecoder('utf-8', { fatal: true }).decode(body);
    // FHIR texts contain no NUL character, and PostgreSQL cannot store one.
    if (text.includes('\\u0000')) throw unreadable('it holds a NUL character');
    return { plain: JSON.parse(text), exact: parseExactJson(text) };
  } catch (error) {
    throw error instanceof ServiceError ? error : unreadable('it is no JSON');
  }
}

function unreadable(why: string): ServiceError {
  return new ServiceError('unprocessable', `The webhook cannot be read: ${why}`);
}
