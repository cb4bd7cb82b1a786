// The size limit of a push bundle: receivers and the engine's inbox read webhooks of up to 10 MiB (decisions D6, G4).
import { ServiceError } from '#lib/errors.ts';

/** 64 KiB are left for the envelope. */
const MAX_BUNDLE_BYTES = 10 * 1024 * 1024 - 64 * 1024;
/** Reserved for the patient, who is added at the push, and for the structure of the bundle. */
const PATIENT_BYTES = 256 * 1024;

export interface BundleWeight {
  /** JSON text of the frozen ServiceRequest. */
  readonly serviceRequest: string;
  /** The render-ready JSON of each form; a bundle holds it in base64. */
  readonly renderReady: readonly string[];
}

/**
 * Checks the size before the request is frozen.
 * @throws ServiceError `unprocessable` when its bundle would be too large to push
 */
export function requireRoomInBundle({ serviceRequest, renderReady }: BundleWeight): void {
  const forms = renderReady.reduce((sum, text) => sum + Math.ceil(Buffer.byteLength(text) / 3) * 4, 0);
  requireSize(Buffer.byteLength(serviceRequest) + forms + PATIENT_BYTES);
}

/** @throws ServiceError `unprocessable` */
export function requireBundleSize(bundle: string): void {
  requireSize(Buffer.byteLength(bundle));
}

function requireSize(bytes: number): void {
  if (bytes <= MAX_BUNDLE_BYTES) return;
  const message = `What is sent to providers would have ${bytes} bytes, and may have ${MAX_BUNDLE_BYTES}: attach fewer or smaller forms`;
  throw new ServiceError('unprocessable', message, { issues: [{ message, code: 'too-long' }] });
}
