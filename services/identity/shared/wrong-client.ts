// The refusal of a caller who is no client, or another one than is asked for (decision I4).
import { ServiceError } from '#lib/errors.ts';

/** For a caller whose credentials are no client's, or not those of the client that is asked for. */
export function wrongClient(): ServiceError {
  return new ServiceError('invalid_service_credentials', 'The service credentials are missing or wrong');
}
